import FoundationEssentials
import Testing

@testable import Workloads

@Suite struct RunHistoryTests {
    private static let here = Machine(processor: "A", cores: 2, memory: 1, kernel: "K", disk: "D")
    private static let elsewhere = Machine(processor: "B", cores: 2, memory: 1, kernel: "K", disk: "D")

    private static func run(_ median: Int64, on machine: Machine = here, tasks: Int = 1000, date: String = "d")
        -> RunRecord
    {
        var report = BenchReport(machine: machine, date: date, program: "1 \"quoted\"\nand more", taskCount: tasks)
        report.budgets = [
            BudgetRow(
                operation: "today", title: "Today", budget: 100, timings: Timings([median, median, median + 5]),
                floor: nil)
        ]
        report.counts = [ExactCounts(operation: "today", runs: 2, values: [.gets: 14, .flushes: 0])]
        return RunRecord(report)
    }

    /// Calls a closure with the path of a missing file in a temporary folder.
    private func withFile(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/daybook-history-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder + "/history.jsonl")
    }

    private func bytes(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    @Test("Runs read back as written, one a line")
    func roundTrip() throws {
        try withFile { path in
            #expect(try RunHistory(path: path) == RunHistory())
            let runs = [Self.run(10), Self.run(20, on: Self.elsewhere), Self.run(30, tasks: 5)]
            for run in runs { try RunHistory.append(run, to: path) }
            let history = try RunHistory(path: path)
            #expect(history.runs == runs)
            #expect(!history.hasTornLine)
            #expect(try bytes(of: path).count { $0 == UInt8(ascii: "\n") } == 3)
        }
    }

    @Test("An incomplete last line is reported, ignored and replaced by the next run")
    func incompleteLastLine() throws {
        try withFile { path in
            try RunHistory.append(Self.run(10), to: path)
            let first = try bytes(of: path)
            try RunHistory.append(Self.run(20), to: path)
            let both = try bytes(of: path)
            for size in first.count + 1..<both.count - 1 {
                let history = try RunHistory(bytes: Array(both[..<size]), path: path)
                #expect(history.runs == [Self.run(10)], "\(size)")
                #expect(history.hasTornLine, "\(size)")
            }
            try write(Array(both[..<(both.count - 7)]), to: path)
            try RunHistory.append(Self.run(30), to: path)
            let history = try RunHistory(path: path)
            #expect(history.runs == [Self.run(10), Self.run(30)])
            #expect(!history.hasTornLine)
        }
    }

    @Test("A complete last line without a terminator is accepted")
    func missingTerminator() throws {
        try withFile { path in
            try RunHistory.append(Self.run(10), to: path)
            try write(try bytes(of: path).dropLast(), to: path)
            #expect(try RunHistory(path: path).runs == [Self.run(10)])
            try RunHistory.append(Self.run(20), to: path)
            #expect(try RunHistory(path: path).runs == [Self.run(10), Self.run(20)])
        }
    }

    @Test("A malformed line in the middle is rejected, and nothing is appended to such a file")
    func malformedLine() throws {
        try withFile { path in
            try RunHistory.append(Self.run(10), to: path)
            let good = try bytes(of: path)
            let bad = good + Array("{\"version\":1}\n".utf8) + good
            try write(bad, to: path)
            let error = RunHistoryError.malformed(path: path, line: 2)
            #expect(throws: error) { try RunHistory(path: path) }
            #expect(throws: error) { try RunHistory.append(Self.run(20), to: path) }
            #expect(try bytes(of: path) == bad)
            // A last line with a terminator is complete.
            #expect(throws: error) { try RunHistory(bytes: good + Array("{\"ver\n".utf8), path: path) }
        }
    }

    @Test("A line of a newer version is rejected, even an incomplete last one")
    func newerVersion() throws {
        let line = Array("{\"version\":2,\"anything\":[]}".utf8)
        for bytes in [line, line + [UInt8(ascii: "\n")]] {
            #expect(throws: RunHistoryError.newer(path: "p", line: 1, version: 2)) {
                try RunHistory(bytes: bytes, path: "p")
            }
        }
    }

    @Test("An unusable file is an error")
    func unusableFile() {
        #expect(throws: RunHistoryError.self) { try RunHistory(path: "/") }
        #expect(throws: RunHistoryError.self) { try RunHistory.append(Self.run(1), to: "/no/such/folder/file") }
    }

    @Test("Comparisons use the last runs on the same machine and of the same size")
    func comparisons() throws {
        let runs = [
            Self.run(1), Self.run(30), Self.run(10, on: Self.elsewhere), Self.run(20), Self.run(5, tasks: 5),
            Self.run(25),
        ]
        let history = RunHistory(runs: runs)
        #expect(history.series(of: Self.run(0)) == [runs[0], runs[1], runs[3], runs[5]])
        let comparison = try #require(history.comparisons(of: Self.run(22), withLast: 3).first)
        #expect(comparison == RunComparison(operation: "today", median: 22, low: 20, high: 30, runs: 3))
        #expect(history.comparisons(of: Self.run(22, tasks: 6)).isEmpty)
    }

    @Test("A median more than a tenth beyond the others is unusual")
    func unusualMedian() {
        let comparison = { (median: Int64) in
            RunComparison(operation: "today", median: median, low: 100, high: 200, runs: 5)
        }
        for (median, isUnusual) in [(150, false), (220, false), (221, true), (91, false), (90, true)] as [(Int64, Bool)]
        {
            #expect(comparison(median).isUnusual == isUnusual, "\(median)")
        }
    }
}
