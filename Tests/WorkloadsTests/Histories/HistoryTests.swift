import CivilTime
import Tasks
import TestSupport
import Testing
import Workloads

@Suite struct HistoryTests {
    private static let end = Instant(secondsSince1970: 1_770_739_200)  // 2026-02-10T16:00:00Z
    private static let berlin = (try? Zone("Europe/Berlin")) ?? .utc
    /// Generated once for all tests.
    private static let tasks = History(taskCount: 20_000, seed: 1, endingAt: end, in: berlin).map(\.task)

    private var end: Instant { Self.end }
    private var berlin: Zone { Self.berlin }
    private var tasks: [TaskItem] { Self.tasks }

    @Test("A history has the requested number of tasks")
    func taskCount() {
        for count in [0, 1, 7, TestBudget.count(1000, long: 20_000)] {
            #expect(
                History(taskCount: count, seed: 3, endingAt: end, in: .utc).reduce(0) { sum, _ in sum + 1 } == count)
        }
    }

    @Test("A history depends on its seed only")
    func seed() {
        let first = Array(History(taskCount: 500, seed: 1, endingAt: end, in: berlin))
        #expect(Array(History(taskCount: 500, seed: 1, endingAt: end, in: berlin)) == first)
        #expect(Array(History(taskCount: 500, seed: 2, endingAt: end, in: berlin)) != first)
    }

    @Test("A history spans five years in order up to its end")
    func fiveYears() {
        let created = tasks.map(\.createdAt)
        #expect(zip(created, created.dropFirst()).allSatisfy { $0 <= $1 })
        let first = berlin.day(of: created.first ?? end)
        #expect((2021...2021).contains(first.year))
        #expect(tasks.allSatisfy { $0.createdAt <= end && $0.updatedAt <= end && ($0.completedAt ?? end) <= end })
        #expect(Set(tasks.map { berlin.day(of: $0.createdAt).monthOfYear }).count >= 60)
    }

    @Test("Ids in a history are unique")
    func hasEveryIdOnce() {
        #expect(Set(tasks.map(\.id)).count == tasks.count)
    }

    @Test("Tasks follow working hours and weekends")
    func workingHours() {
        let weekend = tasks.count { [.saturday, .sunday].contains(berlin.day(of: $0.createdAt).weekday) }
        #expect((0.02...0.14).contains(share(weekend)))
        let office = tasks.count { (8..<18).contains(hour(of: $0.createdAt)) }
        let night = tasks.count { (0..<6).contains(hour(of: $0.createdAt)) }
        #expect(share(office) > 0.7)
        #expect(share(night) < 0.03)
    }

    @Test("A history has bursts")
    func hasBursts() {
        var perDay: [Day: Int] = [:]
        for task in tasks { perDay[berlin.day(of: task.createdAt), default: 0] += 1 }
        let counts = perDay.values.sorted()
        let median = counts[counts.count / 2]
        #expect(counts.count(where: { $0 > 2 * median }) > 20)
        #expect((counts.last ?? 0) > 4 * median)
    }

    @Test("Texts are in several languages")
    func languages() {
        let scripts: [ClosedRange<UInt32>] = [0x370...0x3FF, 0x600...0x6FF, 0x3040...0x30FF]
        for script in scripts {
            let count = tasks.count { $0.text.unicodeScalars.contains { script.contains($0.value) } }
            #expect(share(count) > 0.02)
        }
        #expect(tasks.contains { $0.text.contains("ı") } && tasks.contains { $0.text.contains("ß") })
    }

    @Test("Lengths and waits have long tails")
    func hasLongTails() {
        let lengths = tasks.map(\.text.count).sorted()
        #expect((20...80).contains(lengths[lengths.count / 2]))
        #expect((lengths.last ?? 0) > 150)
        let notes = tasks.count { $0.notes != nil }
        #expect((0.03...0.07).contains(share(notes)))
        let waits = tasks.compactMap { task in
            task.completedAt.map { $0.microsecondsSince1970 - task.createdAt.microsecondsSince1970 }
        }.sorted()
        let day: Int64 = 86_400_000_000
        #expect(waits[waits.count / 2] < 7 * day)
        #expect((waits.last ?? 0) > 60 * day)
    }

    @Test("Tasks satisfy the model's invariants")
    func keepsTheModelsRules() {
        #expect(tasks.allSatisfy { $0.brokenInvariants.isEmpty })
        #expect(tasks.allSatisfy { $0.completedAt.map { [created = $0.createdAt] done in done >= created } ?? true })
        let states = Dictionary(grouping: tasks, by: \.state).mapValues(\.count)
        #expect(share(states[.completed] ?? 0) > 0.6)
        #expect((states[.active] ?? 0) > 0 && (states[.notStarted] ?? 0) > 0)
        #expect(tasks.contains { $0.scheduledDate == nil })
    }

    private func share(_ count: Int) -> Double { Double(count) / Double(tasks.count) }

    private func hour(of moment: Instant) -> Int {
        let start = berlin.start(of: berlin.day(of: moment))
        return Int((moment.microsecondsSince1970 - start.microsecondsSince1970) / 3_600_000_000)
    }
}
