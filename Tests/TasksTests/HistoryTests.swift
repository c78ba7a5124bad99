import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Tasks

@Suite struct HistoryTests {
    /// A store in which tasks were created, completed, reopened and deleted on 40 days.
    private func opened(seed: UInt64) async throws -> TestTasks {
        let opened = try TestTasks(at: "2026-03-01T08:00:00Z", zone: "Europe/Berlin")
        var dice = Dice(seed)
        var ids: [UUID] = []
        for _ in 0..<40 {
            for _ in 0..<dice.below(5) { ids.append(try await opened.tasks.create("x").id) }
            for _ in 0..<dice.below(4) where !ids.isEmpty {
                let id = ids[dice.below(ids.count)]
                switch dice.below(5) {
                case 0: try await opened.tasks.setState(id, to: .active)
                case 1:
                    try await opened.tasks.delete(id)
                    ids.removeAll { $0 == id }
                default: try await opened.tasks.complete(id)
                }
            }
            opened.clock.advance(byMicroseconds: Int64(dice.below(30)) * 3_600_000_000)
        }
        return opened
    }

    @Test(
        "The number of open tasks at the end of each day agrees with a count of all tasks [C-FR30]",
        arguments: 1...8 as ClosedRange<UInt64>)
    func open(seed: UInt64) async throws {
        let opened = try await opened(seed: seed)
        var tasks: [TaskItem] = []
        try opened.tasks.read { try $0.forEach { task, _ in tasks.append(task) } }
        for count in [1, 7, 60] {
            let history = try opened.tasks.read { try $0.openHistory(days: count) }
            #expect(history.days.count == count && history.days.last?.day == opened.today)
            for day in history.days {
                let end = opened.zone.zone.end(of: day.day)
                let open = tasks.filter { $0.createdAt < end && $0.completedAt.map { $0 >= end } ?? true }
                #expect(day.open == open.count, "\(day.day)")
            }
        }
    }

    @Test("A history that would read too much begins later, with the same numbers [C-FR30]", arguments: [0, 1, 5, 20])
    func limit(limit: Int) async throws {
        let opened = try await opened(seed: 3)
        let all = try opened.tasks.read { try $0.openHistory(days: 60) }
        let short = try opened.tasks.read { try $0.openHistory(days: 60, limit: limit) }
        #expect(short.days.count < all.days.count && short.days.last == all.days.last)
        #expect(short.days == all.days.suffix(short.days.count))
    }

    @Test("Completions between instants are those of the days and of the hours [C-FR28, C-FR30]")
    func completions() async throws {
        let opened = try await opened(seed: 5)
        let month = try opened.tasks.statistics(of: Month("2026-03"))
        let zone = opened.zone.zone
        let days = Array(month.month.days)
        let boundaries = days.map(zone.start) + [zone.range(of: month.month.days).upperBound]
        let counts = try opened.tasks.read { try $0.completions(between: boundaries) }
        #expect(counts == month.days.map(\.completed))
        let seconds = boundaries[31].microseconds(since: boundaries[0]) / 1_000_000
        let hours = (0...seconds / 3600).map { boundaries[0].advanced(bySeconds: $0 * 3600) }
        #expect(try opened.tasks.read { try $0.completions(between: hours) }.reduce(0, +) == month.completed)
    }
}
