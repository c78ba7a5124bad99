import CivilTime
import Foundation
import Records
import Testing

@testable import Tasks

@Suite struct ReviewTests {
    @Test(
        "The review of a week equals one counted by hand, in every zone and for every first weekday [F-11]",
        arguments: 1...8 as ClosedRange<UInt64>)
    func property(seed: UInt64) async throws {
        var dice = Dice(seed)
        let opened = try TestTasks(
            at: "2026-03-20T21:30:00Z", zone: dice.pick(["Europe/Berlin", "Asia/Tokyo", "America/New_York"]),
            seed: seed,
            weekStart: dice.pick([.monday, .sunday, .saturday]))
        let tasks = opened.tasks
        let first = opened.today
        // Completions stay counted when a task is deleted.
        var deleted: [Instant] = []
        for _ in 0..<150 {
            var open: [TaskItem] = []
            try tasks.read { reading in try reading.forEach { task, _ in open.append(task) } }
            switch open.isEmpty ? 0 : dice.below(10) {
            case 0...3:
                try await tasks.create("x", on: dice.chance(70) ? opened.today.advanced(by: dice.below(6)) : nil)
            case 4, 5: try await tasks.setState(dice.pick(open).id, to: dice.pick([.active, .completed, .notStarted]))
            case 6: try await tasks.carryAll(to: .today)
            case 7: try await tasks.carry([dice.pick(open).id], to: .tomorrow)
            case 8:
                let task = dice.pick(open)
                if dice.chance(50) {
                    try await tasks.edit(task.id) { $0.archivedAt = $0.createdAt }
                } else {
                    try await tasks.delete(task.id)
                    if let completedAt = task.completedAt { deleted.append(completedAt) }
                }
            default: opened.clock.advance(byMicroseconds: Int64(dice.below(30)) * 3_600_000_000)
            }
        }
        var day = first.advanced(by: -7)
        while day < opened.today.advanced(by: 14) {
            try Self.compare(opened, try tasks.review(ofWeekContaining: day), containing: day, deleted)
            day = day.advanced(by: 3)
        }
        try opened.expectSound()
    }

    private static func compare(
        _ opened: TestTasks, _ review: WeekReview, containing day: Day, _ deleted: [Instant]
    ) throws {
        let zone = opened.zone.zone
        let week = Array(day.week(startingOn: opened.context.weekStart))
        #expect(review.weekStart == week[0] && review.days.map(\.day) == week)
        var all: [TaskItem] = []
        try opened.tasks.read { reading in try reading.forEach { task, _ in all.append(task) } }
        let completions = all.compactMap(\.completedAt) + deleted
        #expect(review.completed == completions.count { week.contains(zone.day(of: $0)) })
        #expect(review.carried == all.count { $0.carriedFromDay.map(week.contains) ?? false })
        let scheduled = all.filter { $0.archivedAt == nil && ($0.scheduledDate.map(week.contains) ?? false) }
        #expect(review.overdue == scheduled.count { !$0.isCompleted && $0.scheduledDate! < opened.today })
        let done = scheduled.count(where: \.isCompleted)
        #expect(review.completionRate == (scheduled.isEmpty ? nil : Double(done) / Double(scheduled.count)))
        for found in review.days {
            #expect(found.completed == completions.count { zone.day(of: $0) == found.day })
            #expect(found.scheduled == scheduled.count { $0.scheduledDate == found.day })
        }
    }

    @Test("A review reads no task [F-11]")
    func cost() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create((0..<50).map { NewTask("\($0)", on: opened.today) })
        try opened.store.read { (transaction) throws in
            #expect(try transaction.tasks.review(ofWeekContaining: opened.today).days[2].scheduled == 50)
            #expect(transaction.counters.gets <= 30)
            #expect(transaction.counters.cursorSteps <= 90)
        }
    }
}
