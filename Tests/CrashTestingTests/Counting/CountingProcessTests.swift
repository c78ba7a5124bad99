import CivilTime
import Foundation
import KeyValue
import Processes
import TestSupport
import Testing

@testable import CrashTesting
@testable import DiskRecording

/// The counts of an operation depend on its code alone, not on the machine, folder or process.
@Suite struct CountingProcessTests {
    private static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("CountingProcess").path

    private static let rounds = TestBudget.count(20, long: 100)

    /// Returns the counts of some rounds of every operation in a store of a thousand tasks.
    private func counts(in folder: String, _ environment: [String] = []) throws -> [String] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (ending, output) = try ChildProcess.run(
            "/usr/bin/env", environment + [Self.executable, "count", folder, "\(Self.rounds)"])
        #expect(ending == .exited(0))
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("Counts are equal in every process, folder, environment and hash seed")
    func sameEverywhere() throws {
        let folder = try LabFolder()
        let first = try counts(in: "\(folder.path)/a")
        let second = try counts(
            in: "\(folder.path)/with a long name/of several folders",
            ["TMPDIR=\(folder.path)", "TZ=Asia/Tokyo", "LANG=tr_TR.UTF-8"])
        // Swift's dictionaries have another order in each process.
        #expect(first[0].hasPrefix("hash ") && second[0].hasPrefix("hash ") && first[0] != second[0])
        #expect(first.count > 7 * Self.rounds)
        for (one, other) in zip(first, second).dropFirst() { #expect(one == other) }
        #expect(first.count == second.count)
        for name in ["create", "today", "cycle", "reorder", "schedule", "month", "delete", "undo"] {
            let lines = first.filter { $0.hasPrefix("\(name): ") }
            #expect(lines.count > Self.rounds * 6 / 10)
            let isView = ["today", "month"].contains(name)
            #expect(lines.allSatisfy { $0.contains("flushes: \(isView ? 0 : 1),") }, "\(name)")
        }
    }
}

@Suite struct InstructionCounterTests {
    let folder: LabFolder

    init() throws {
        folder = try LabFolder()
    }

    static let hasValgrind = FileManager.default.isExecutableFile(atPath: "/usr/bin/valgrind")

    /// `seq`, which does a little work for each number.
    private func counter(
        of executable: String = "/usr/bin/seq", valgrind: String = "valgrind", timeLimitSeconds: Int64 = 120,
        lines: Int = 1000
    ) -> InstructionCounter {
        InstructionCounter(
            executable: executable, scratch: folder.path, valgrind: valgrind,
            timeLimitSeconds: timeLimitSeconds, clock: SystemClock()
        ) { ["1000000", "\(1_000_000 + $0 * lines - 1)"] }
    }

    @Test("Counting is reproducible, and twice the work counts twice as much", .enabled(if: Self.hasValgrind))
    func count() throws {
        let first = try #require(try counter().count(rounds: 10))
        let second = try #require(try counter().count(rounds: 10))
        let double = try #require(try counter(lines: 2000).count(rounds: 10))
        #expect(first > 1000)
        #expect(abs(first - second) <= first / 1000)
        #expect(abs(double - 2 * first) <= first / 100)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("Without valgrind there is no count")
    func missing() throws {
        #expect(try counter(valgrind: "no-such-program").count(rounds: 1) == nil)
    }

    @Test("A program that fails or exceeds its time limit is an error, not a count", .enabled(if: Self.hasValgrind))
    func failures() throws {
        #expect(throws: CrashLabError.noAnswer("under valgrind exceeded its time limit")) {
            try counter(timeLimitSeconds: 0).count(rounds: 1)
        }
        #expect(throws: CrashLabError.noAnswer("under valgrind failed with exited(1)")) {
            try counter(of: "/usr/bin/false").count(rounds: 1)
        }
    }

    @Test("The number is parsed from cachegrind's output")
    func parsing() {
        let output = """
            ==7== Cachegrind, a cache and branch-prediction profiler
            I refs: 5
            ==7== I1  misses:        3
            ==7== I   refs:      1,071,598,933
            """
        #expect(InstructionCounter.instructions(in: output) == 1_071_598_933)
        #expect(InstructionCounter.instructions(in: "==12== I refs:        42") == 42)
        #expect(InstructionCounter.instructions(in: "==12== D refs:        42") == nil)
    }
}
