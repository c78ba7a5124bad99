import KeyValue
import TestSupport
import Testing

/// The page reader on damaged files, in another process: `StoreProcess`, `DamagedPages`.
struct DamagedPageTests {
    /// What the process answers; nil if it ended.
    private func read(
        seed: UInt64, count: Int, leavingOut checks: PageChecks = [], seconds: Int = 540
    ) throws -> String? {
        let folder = TemporaryFolder()
        let child = try ChildProcess()
        defer { child.kill() }
        return try child.ask("read-damaged \(folder.file("store")) \(seed) \(count) \(checks.rawValue) \(seconds)")
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
        let answer = try read(seed: 1, count: 600, leavingOut: check, seconds: 60)
        #expect(answer?.hasPrefix("survived") != true, "\(answer ?? "")")
    }
}
