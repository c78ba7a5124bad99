/// Tests the reliability of the gate: compares a program with itself, with and without an injected slowdown.
public struct SelfTest {
    /// The number of trials.
    public struct Plan: Sendable {
        /// The operations to compare.
        public var operations: [String]
        /// How often each operation is compared with itself.
        public var runs: Int
        /// The injected slowdowns in percent.
        public var slowdowns = [1, 2, 3, 5, 7, 10, 15, 20]
        /// The number of trials of slowdowns that must be detected: 10 % and more.
        public var trials: Int
        /// The number of trials of smaller slowdowns, which need many more pairs.
        var trialsOfSmaller: Int { max(trials / 4, 2) }

        /// Creates a plan with a tenth as many trials for each slowdown.
        public init(operations: [String], runs: Int = 200) {
            self.operations = operations
            self.runs = runs
            trials = max(runs / 10, 2)
        }
    }

    /// Extra work that is injected into every change, which the counts must reveal.
    public enum ExtraWork: String, CaseIterable, Sendable, Codable {
        /// An additional flush in every transaction.
        case flush
        /// An additional entry.
        case put
    }

    /// Compares a program, slowed down by a percentage, with itself.
    public typealias Trial = (_ operation: String, _ percent: Int) async throws -> Comparison
    /// Counts a program with injected extra work, if any.
    public typealias Counting = (_ extra: ExtraWork?) async throws -> [ExactCounts]

    private let plan: Plan
    private let seconds: () -> Double

    /// Creates a self-test. `seconds` returns the elapsed time of the process, to estimate the duration.
    public init(_ plan: Plan, seconds: @escaping () -> Double) {
        self.plan = plan
        self.seconds = seconds
    }

    /// Runs all trials. `say` receives messages, `progress` the current state.
    public func run(
        trial: Trial, countsWithInjection count: Counting?, say: (String) -> Void, progress: (String) -> Void
    ) async throws -> SelfTestReport {
        var rows = plan.operations.map { SelfTestReport.Row(operation: $0) }
        var runsWithFalseAlarm = 0
        let start = seconds()
        for run in 0..<plan.runs {
            progress("comparing with itself: run \(run + 1) of \(plan.runs)")
            var hasFalseAlarm = false
            for index in rows.indices {
                let comparison = try await trial(rows[index].operation, 0)
                rows[index].runs += 1
                rows[index].inconclusive += comparison.outcome == .inconclusive ? 1 : 0
                rows[index].falseAlarms += comparison.outcome == .worse ? 1 : 0
                hasFalseAlarm = hasFalseAlarm || comparison.outcome == .worse
            }
            runsWithFalseAlarm += hasFalseAlarm ? 1 : 0
            if run == 0 { say("This takes about \(Self.spoken(seconds: expected(after: seconds() - start))).") }
        }
        for index in rows.indices {
            progress("slowing down: \(rows[index].operation)")
            rows[index].slowdowns = try await slowdowns(found: trial, in: rows[index].operation)
        }
        var extraWork: [SelfTestReport.ExtraWorkRow]?
        if let count {
            progress("counting")
            extraWork = try await Self.extraWork(found: count)
        }
        return SelfTestReport(
            runs: plan.runs, runsWithFalseAlarm: runsWithFalseAlarm, rows: rows, extraWork: extraWork)
    }

    /// Tries slowdowns from the promised one down to the first that is missed, since smaller ones would be missed as
    /// well. If the promised one is missed, tries larger ones up to the first that is detected.
    private func slowdowns(found trial: Trial, in operation: String) async throws -> [SelfTestReport.Slowdown] {
        let promised = SelfTestReport.promisedSlowdown
        var rows: [SelfTestReport.Slowdown] = []
        for percent in plan.slowdowns.sorted(by: >) where percent <= promised && rows.allSatisfy(\.isFound) {
            rows.append(try await slowdown(percent, found: trial, in: operation))
        }
        guard let first = rows.first, !first.isFound else { return rows }
        for percent in plan.slowdowns.sorted() where percent > promised && !rows.contains(where: \.isFound) {
            rows.append(try await slowdown(percent, found: trial, in: operation))
        }
        return rows
    }

    /// The first miss ends the trials.
    private func slowdown(
        _ percent: Int, found trial: Trial, in operation: String
    ) async throws -> SelfTestReport.Slowdown {
        let trials = percent < SelfTestReport.promisedSlowdown ? plan.trialsOfSmaller : plan.trials
        var row = SelfTestReport.Slowdown(percent: percent)
        while row.trials < trials, row.isFound {
            row.trials += 1
            row.found += try await trial(operation, percent).outcome == .worse ? 1 : 0
        }
        return row
    }

    /// The counts without extra work serve as the baseline.
    private static func extraWork(found count: Counting) async throws -> [SelfTestReport.ExtraWorkRow] {
        func counted(_ extra: ExtraWork?) async throws -> CountedRun {
            CountedRun(
                size: 0, seed: 1, pageSize: nil, lmdb: nil, toolchain: "", storeBytes: nil, snapshotBytes: nil,
                zstd: "",
                counts: try await count(extra))
        }
        let plain = try await counted(nil)
        let baseline = Baseline(plain)
        // Those that write while they are counted: the change that `live-past` shows is made before.
        let changes = plain.counts.filter { ($0.values[.flushes] ?? 0) > 0 }.map(\.operation)
        var rows: [SelfTestReport.ExtraWorkRow] = []
        for extra in ExtraWork.allCases {
            let findings = baseline.findings(for: try await counted(extra))
            let found = Set(findings.filter { $0.verdict == .worse }.map(\.subject))
            rows += changes.map { .init(extra: extra, operation: $0, isFound: found.contains($0)) }
        }
        return rows
    }

    /// An estimate from the first run. A detection takes two comparisons; smaller slowdowns take about eight times as
    /// many pairs, and the first miss the maximum.
    private func expected(after first: Double) -> Double {
        first * Double(plan.runs + 4 * plan.trials + 8 * plan.trialsOfSmaller + 20)
    }

    private static func spoken(seconds: Double) -> String {
        seconds < 90 ? "\(Int(seconds.rounded(.up))) seconds" : "\(Int((seconds / 60).rounded(.up))) minutes"
    }
}
