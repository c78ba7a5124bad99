import KeyValue
import TestSupport
import Testing

/// Damaged files that are read and written in another process: `StoreProcess`, `DamagedPages` and `DamagedWrites`.
struct DamagedPageTests {
    /// What the process answers; nil if it ended.
    private func read(
        _ command: String = "read-damaged", seed: UInt64, count: Int, leavingOut checks: PageChecks = []
    ) throws -> String? {
        let folder = TemporaryFolder()
        // Where a check is left out, a signal is no news.
        let child = try ChildProcess(explainsSignals: checks.isEmpty)
        defer { child.kill() }
        return try child.ask("\(command) \(folder.file("store")) \(seed) \(count) \(checks.rawValue)")
    }

    @Test("No damage of a data file ends a process that reads it, makes it hang or lends bytes beyond the file")
    func everyDamageIsSurvived() throws {
        let count = TestBudget.count(120, long: 60_000)
        let answer = try read(seed: 1, count: count)
        #expect(answer?.hasPrefix("survived \(count)") == true, "\(answer ?? "the process ended")")
    }

    @Test(
        "A check that is left out of the page reader is noticed",
        arguments: [PageChecks.file, .number, .bounds, .values, .loops])
    func everyCheckIsNeeded(check: PageChecks) throws {
        let answer = try read(seed: 1, count: 600, leavingOut: check)
        #expect(answer?.hasPrefix("survived") != true, "\(answer ?? "")")
    }

    @Test("No damage of a data file ends a process that writes to it")
    func everyDamageIsSurvivedByWrites() throws {
        let count = TestBudget.count(240, long: 60_000)
        let answer = try read("write-damaged", seed: 1, count: count)
        #expect(answer?.hasPrefix("survived \(count)") == true, "\(answer ?? "the process ended")")
    }

    @Test("A check that is left out before writes is noticed", arguments: [PageChecks.lists, .paths, .siblings, .rest])
    func everyCheckOfWritesIsNeeded(check: PageChecks) throws {
        let answer = try read("write-damaged", seed: 1, count: 1200, leavingOut: check)
        #expect(answer?.hasPrefix("survived") != true, "\(answer ?? "")")
    }
}
