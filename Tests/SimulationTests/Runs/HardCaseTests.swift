import Daybook
import TestSupport
import Testing

@testable import Simulation

/// Runs a scenario for each hard case: in an open store the day begins and ends when the independent results say so, with
/// one wake-up for each.
@Suite(
    .enabled(
        if: SharedZones.isExpected("hard-cases.csv"), "needs ../shared/data/time/hard-cases.csv: set DAYBOOK_SHARED"))
struct HardCaseTests {
    @Test("A task is in Today from the first instant of its day to the last", arguments: HardCase.sample)
    func day(hardCase: HardCase) throws {
        let scenario = try hardCase.scenario()
        let story = try Simulator().play(scenario)
        #expect(story.failure == nil, "\(hardCase)")
    }

    @Test("The table of hard cases has more than a hundred usable rows")
    func all() {
        #expect(HardCase.usable.count > 100)
    }
}

extension HardCase: CustomTestStringConvertible {
    /// Identifies the row in test output.
    public var testDescription: String { "\(zone) \(wallDay) at \(instant)" }

    static let path = SharedZones.folder + "/hard-cases.csv"

    /// The rows that also hold in zone data of version 2025b.
    static let usable: [HardCase] = {
        let rows = (try? CSVTable(at: path))?.rows ?? []
        return rows.compactMap { row in try? HardCase(row) }.filter(\.isOfEveryVersion)
    }()

    /// The rows that are run: all of them at length, otherwise a sample of all kinds.
    static var sample: [HardCase] {
        TestBudget.isLong ? usable : usable.enumerated().filter { $0.offset.isMultiple(of: 7) }.map(\.element)
    }

    func scenario() throws -> Scenario {
        let task = "Be there"
        func expect(_ isToday: Bool) -> Step {
            Step(.expect([Expectation("today", .texts(isToday ? [task] : []))]))
        }
        var scenario = Scenario(
            name: testDescription, start: .instant(start.advanced(bySeconds: -1)), zone: zone)
        scenario.observers = []
        scenario.followedViews = [.today]
        scenario.steps = [Step(.create(task, on: .day("\(wallDay)"), in: nil)), expect(false)]
        scenario.steps += [Step(.advance(.microseconds(999_999))), expect(false)]
        scenario.steps += [Step(.advance(.microseconds(1))), expect(true)]
        scenario.steps.append(Step(.expect([Expectation("date", .text("\(wallDay)"))])))
        for moment in moments { scenario.steps += [Step(.advanceTo(.instant(moment))), expect(true)] }
        scenario.steps += [Step(.advance(.microseconds(1))), expect(false)]
        scenario.steps.append(Step(.expect([Expectation("wake-ups", .number(2))])))
        return scenario
    }

    /// Every half hour of the day, the row's own instant, and the last one.
    private var moments: [Instant] {
        let length = end.microseconds(since: start)
        let halfHours = stride(from: 1_800_000_000, to: length, by: 1_800_000_000)
        var moments = Set(halfHours.map { start.advanced(byMicroseconds: $0) })
        moments.insert(end.advanced(byMicroseconds: -1))
        if instant > start, instant < end { moments.insert(instant) }
        return moments.sorted()
    }
}
