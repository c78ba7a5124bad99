/// Shows how far the gate can be trusted: compares a program with itself, with and without a slowdown that was put in.
public struct SelfTest {
    /// How often.
    public struct Plan: Sendable {
        /// The operations to compare.
        public var operations: [String]
        /// How often each is compared with itself.
        public var runs: Int
        /// The slowdowns to put in, in percent.
        public var slowdowns = [1, 2, 3, 5, 7, 10, 15, 20]
        /// How often a slowdown has to be found that is promised to be found: 10 % and more.
        public var trials: Int
        /// How often a smaller one has to be: it takes many more pairs to tell.
        var trialsOfSmaller: Int { max(trials / 4, 2) }

        /// Every operation, so many times; every slowdown a tenth as often.
        public init(operations: [String] = Operation.all.map(\.name), runs: Int = 200) {
            self.operations = operations
            self.runs = runs
            trials = max(runs / 10, 2)
        }
    }

    /// Work that is put into every change, which the counts have to show.
    public enum ExtraWork: String, CaseIterable, Sendable, Codable {
        /// One more flush in every transaction.
        case flush
        /// One more entry put.
        case put
    }

    /// Compares a program, slowed by so many percent, with itself.
    public typealias Trial = (_ operation: String, _ percent: Int) async throws -> Comparison
    /// Counts a program with more work put in than there should be; nil for none.
    public typealias Counting = (_ extra: ExtraWork?) async throws -> [ExactCounts]

    private let plan: Plan
    private let seconds: () -> Double

    /// A self-test by a plan. `seconds` tells how long this process has been running, to say how long it will take.
    public init(_ plan: Plan, seconds: @escaping () -> Double) {
        self.plan = plan
        self.seconds = seconds
    }

    /// Does it all. What it says once is told to `say`; how far it is, to `progress`.
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

    /// From the promised slowdown down to the first that is missed: smaller ones are not found either. When even that is
    /// missed, up to the first that is found.
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

    /// At the first miss there is no need to try it again.
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

    /// What no extra work is put into is the baseline of what it is.
    private static func extraWork(found count: Counting) async throws -> [SelfTestReport.ExtraWorkRow] {
        func counted(_ extra: ExtraWork?) async throws -> CountedRun {
            CountedRun(
                taskCount: 1, seed: 1, pageSize: 1, lmdb: "", toolchain: "", storeBytes: 1, snapshotBytes: 1, zstd: "",
                counts: try await count(extra))
        }
        let plain = try await counted(nil)
        let baseline = Baseline(plain)
        let changes = plain.counts.filter { ($0.values[.puts] ?? 0) > 0 }.map(\.operation)
        var rows: [SelfTestReport.ExtraWorkRow] = []
        for extra in ExtraWork.allCases {
            let findings = baseline.findings(for: try await counted(extra))
            let found = Set(findings.filter { $0.verdict == .worse }.map(\.subject))
            rows += changes.map { .init(extra: extra, operation: $0, isFound: found.contains($0)) }
        }
        return rows
    }

    /// From what the first run has taken. What is found has to be found twice; what is smaller takes some eight times as
    /// many pairs, and the first that is missed as many as there may be.
    private func expected(after first: Double) -> Double {
        first * Double(plan.runs + 4 * plan.trials + 8 * plan.trialsOfSmaller + 20)
    }

    private static func spoken(seconds: Double) -> String {
        seconds < 90 ? "\(Int(seconds.rounded(.up))) seconds" : "\(Int((seconds / 60).rounded(.up))) minutes"
    }
}
