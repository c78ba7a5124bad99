import Daybook
import Foundation
import Simulation
import Testing

/// A story for every row of the hard cases: the day that the independent truth gives begins and ends when it says so, for a
/// store that is open, with one wake-up for each.
@Suite(.enabled(if: HardCase.isExpected, "needs ../shared/data/time/hard-cases.csv: set DAYBOOK_SHARED"))
struct HardCaseStoriesTests {
    @Test("A task is in Today from the first instant of its day until the last", arguments: HardCase.all)
    func day(hardCase: HardCase) throws {
        let scenario = try hardCase.scenario()
        let story = try Simulator().play(scenario)
        #expect(story.failure == nil, "\(hardCase)")
    }

    @Test("All rows of the truth that hold in this machine's zone data are told")
    func all() {
        #expect(HardCase.all.count > 100)
    }
}

/// A row of the truth: a zone, a day in it, its start and its end.
struct HardCase: Sendable, CustomTestStringConvertible {
    let zone: String
    let day: String
    let start: Instant
    let end: Instant
    /// The row's own instant, somewhere about that day.
    let instant: Instant

    var testDescription: String { "\(zone) \(day) at \(instant)" }

    private static let path: String = {
        let shared = ProcessInfo.processInfo.environment["DAYBOOK_SHARED"]
        let beside = URL(filePath: #filePath).appending(path: "../../../../../shared").standardized.path
        return (shared ?? beside) + "/data/time/hard-cases.csv"
    }()

    static var isExpected: Bool {
        ProcessInfo.processInfo.environment["CI"] != nil || FileManager.default.fileExists(atPath: path)
    }

    /// Without the rows that need newer zone data than 2025b.
    static var all: [HardCase] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(whereSeparator: \.isNewline).dropFirst().compactMap { HardCase(line: $0) }
    }

    private init?(line: Substring) {
        // The description may hold commas: the other columns are counted from the end.
        let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 10, fields.last == "1" else { return nil }
        let columns = Array(fields.suffix(8))
        guard let instant = try? Instant(columns[0]), let start = try? Instant(columns[2]),
            let end = try? Instant(columns[3])
        else { return nil }
        (zone, day, self.start, self.end, self.instant) = (fields[0], columns[1], start, end, instant)
    }

    func scenario() throws -> Scenario {
        let task = "Be there"
        func expect(_ isToday: Bool) -> Step {
            Step(.expect([Expectation("today", .texts(isToday ? [task] : []))]))
        }
        var scenario = Scenario(
            name: testDescription, start: .instant(start.advanced(bySeconds: -1)), zone: zone)
        scenario.lookers = []
        scenario.follows = [.today]
        scenario.steps = [Step(.create(task, on: .day(day), in: nil)), expect(false)]
        scenario.steps += [Step(.advance(.microseconds(999_999))), expect(false)]
        scenario.steps += [Step(.advance(.microseconds(1))), expect(true)]
        scenario.steps.append(Step(.expect([Expectation("date", .text(day))])))
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
