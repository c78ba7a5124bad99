import FoundationEssentials
import Testing

@testable import Measuring

@Suite struct SelfTestTests {
    @Test("A gate without false alarms that detects slowdowns is reliable")
    func reliableGate() async throws {
        let report = try await report { $1 > 5 ? .worse : .holds }
        #expect(report.isGood && report.falseAlarmRate == 0)
        #expect(report.rows.map(\.runs) == [20, 20])
        #expect(report.rows.map(\.smallestFound) == [7, 7])
        #expect(report.lines(of: []).last == "Its comparisons and counts did what they promise here.")
        #expect(report.lines(of: []).contains("A slowdown of 7 % was found in every trial of every operation."))
    }

    @Test("A gate with false alarms is unreliable")
    func falseAlarms() async throws {
        let report = try await report { operation, percent in
            operation == "today" || percent > 5 ? .worse : .holds
        }
        #expect(!report.isGood && report.falseAlarmRate == 1)
        #expect(report.rows.map(\.falseAlarms) == [20, 0])
    }

    @Test("A run with several false alarms counts once")
    func severalFalseAlarms() async throws {
        let report = try await report { _, _ in .worse }
        #expect(report.runsWithFalseAlarm == 20)
    }

    @Test("A gate that misses a slowdown of ten percent once is unreliable")
    func missedSlowdown() async throws {
        var trials = 0
        let report = try await report { operation, percent in
            if operation == "create", percent == 10 {
                trials += 1
                return trials == 2 ? .inconclusive : .worse
            }
            return percent > 5 ? .worse : .holds
        }
        #expect(!report.isGood && report.missed == ["create"])
        #expect(report.rows.map(\.smallestFound) == [7, 15])
        // The miss was the last trial, and nothing smaller was tried, but something larger.
        #expect(report.rows[1].slowdowns.map(\.percent) == [10, 15] && trials == 2)
        #expect(report.lines(of: []).contains { $0.contains("missed in: create") })
    }

    @Test("Inconclusive comparisons are counted but do not make a gate unreliable")
    func inconclusive() async throws {
        let report = try await report { $1 > 5 ? .worse : .inconclusive }
        #expect(report.isGood)
        #expect(report.lines(of: []).contains { $0.contains("Inconclusive: 40 of 40 comparisons.") })
    }

    @Test("Injected work must be revealed by the counts of every change")
    func injectedWork() async throws {
        let found = try await report({ $1 > 5 ? .worse : .holds }) { extra in
            Self.counts(flushes: extra == .flush ? 300 : 200, puts: extra == .put ? 600 : 500)
        }
        #expect(found.isGood)
        #expect(found.extraWork?.map(\.operation) == ["create", "create"])
        let missed = try await report({ $1 > 5 ? .worse : .holds }) { extra in
            Self.counts(flushes: 200, puts: extra == .put ? 600 : 500)
        }
        #expect(!missed.isGood)
        #expect(missed.lines(of: []).contains("One flush too many: found in 0 of 1 operations."))
    }

    @Test("Pieces of a self-test add up, and name what no piece has compared")
    func pieces() async throws {
        var sum = try await report { $1 > 5 ? .worse : .holds }
        let other = try await report { operation, percent in
            operation == "today" ? percent > 8 ? .worse : .holds : .worse
        }
        sum.add(other)
        #expect(sum.runs == 40 && sum.runsWithFalseAlarm == 20)
        #expect(sum.rows.map(\.operation) == ["today", "create"])
        #expect(sum.rows.map(\.falseAlarms) == [0, 20])
        // A slowdown counts as found only where every piece has found it.
        #expect(sum.rows[0].smallestFound == 10)
        #expect(!sum.isGood)
        #expect(sum.untested(of: ["today", "statistics"]) == ["statistics"])
        #expect(
            sum.lines(of: ["today", "statistics"]).contains {
                $0.hasPrefix("Not compared: ") && $0.contains("statistics")
            })
    }

    @Test("The self-test estimates its duration after the first run")
    func estimate() async throws {
        var said: [String] = []
        var seconds = 0.0
        let plan = SelfTest.Plan(operations: ["today"], runs: 200)
        _ = try await SelfTest(plan, seconds: { seconds }).run(
            trial: { operation, percent in
                seconds += 1
                return Self.comparison(operation, .worse)
            }, countsWithInjection: nil, say: { said.append($0) }, progress: { _ in })
        // 200 runs, and what finding slowdowns takes.
        #expect(said == ["This takes about 6 minutes."])
    }

    @Test("A report survives JSON")
    func isAValueOfJSON() async throws {
        let report = try await report { $1 > 5 ? .worse : .holds }
        #expect(try JSONDecoder().decode(SelfTestReport.self, from: JSONEncoder().encode(report)) == report)
    }

    private func report(
        _ outcome: (_ operation: String, _ percent: Int) -> Comparison.Outcome, counting: SelfTest.Counting? = nil
    ) async throws -> SelfTestReport {
        let plan = SelfTest.Plan(operations: ["today", "create"], runs: 20)
        return try await SelfTest(plan, seconds: { 0 }).run(
            trial: { operation, percent in Self.comparison(operation, outcome(operation, percent)) },
            countsWithInjection: counting, say: { _ in }, progress: { _ in })
    }

    private static func comparison(_ operation: String, _ outcome: Comparison.Outcome) -> Comparison {
        Comparison(operation: operation, ratio: PairedRatio([1]), limit: 1.05, outcome: outcome)
    }

    private static func counts(flushes: Int, puts: Int) -> [ExactCounts] {
        [
            ExactCounts(operation: "create", runs: 100, values: [.flushes: flushes, .puts: puts]),
            ExactCounts(operation: "today", runs: 100, values: [.flushes: 0, .puts: 0]),
            // Shows a change that was made before: no work can be injected into it.
            ExactCounts(operation: "live-past", runs: 100, values: [.flushes: 0, .puts: 500]),
        ]
    }
}
