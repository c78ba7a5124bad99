import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Tasks

@Suite struct DueCountsTests {
    @Test(
        "The numbers of due tasks of each list agree with a count of all tasks", arguments: 1...8 as ClosedRange<UInt64>
    )
    func model(seed: UInt64) async throws {
        let opened = try TestTasks(at: "2026-03-28T22:30:00Z", zone: "Europe/Berlin")
        var dice = Dice(seed)
        let lists = [nil, try await opened.tasks.createList("Home").id, try await opened.tasks.createList("Work").id]
        let today = opened.today
        for _ in 0..<60 {
            let day = today.advanced(by: dice.below(5) - 2)
            let due: TaskDue? =
                switch dice.below(3) {
                case 0: nil
                case 1: .day(day)
                default: .time(day, secondsIntoDay: dice.below(24) * 3600)
                }
            let task = try await opened.tasks.create(
                NewTask(
                    "x", list: lists[dice.below(3)], due: due, waitUntil: dice.chance(6) ? today.advanced(by: 2) : nil))
            if dice.chance(4) { try await opened.tasks.complete(task.id) }
        }
        let (zone, now) = (opened.zone.zone, opened.clock.wall)
        try opened.tasks.read { reading in
            var tasks: [TaskItem] = []
            try reading.forEach { task, _ in tasks.append(task) }
            let counts = try reading.dueCounts()
            #expect(counts.isComplete)
            for list in lists {
                let due = tasks.filter {
                    $0.listID == list && !$0.isCompleted && !$0.isWaiting(on: today)
                        && $0.due(in: zone).map { $0.day(in: zone) <= today } ?? false
                }
                let overdue = due.count { $0.isOverdue(at: now, in: zone) }
                #expect(counts[list].overdue == overdue && counts[list].today == due.count - overdue)
            }
            let some = try reading.dueCounts(limit: 3)
            #expect(!some.isComplete && lists.reduce(0) { $0 + some[$1].overdue + some[$1].today } <= 3)
        }
    }
}
