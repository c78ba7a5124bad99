import CivilTime
import Foundation
import Testing

@testable import Tasks

@Suite struct SnoozeTests {
    @Test("A snooze counts from now, or from a reminder that is still to come, and is delivered again [F-8]")
    func minutes() async throws {
        let opened = try TestTasks()
        let now = opened.clock.wall
        let due = try await opened.tasks.create(NewTask("due", reminder: .at(now.advanced(bySeconds: -60))))
        let later = try await opened.tasks.create(NewTask("later", reminder: .at(now.advanced(bySeconds: 60))))
        let scheduler = ReminderScheduler(opened.tasks)
        try await scheduler.deliverDue { #expect($0.task.id == due.id) }
        #expect(try await opened.tasks.snooze(due.id, minutes: 10).reminderAt == now.advanced(bySeconds: 600))
        #expect(try await opened.tasks.snooze(later.id, minutes: 10).reminderAt == now.advanced(bySeconds: 660))
        #expect(try opened.tasks.dueReminders() == [])
        opened.clock.advance(byMicroseconds: 600_000_000)
        let delivered = Delivered()
        try await scheduler.deliverDue { await delivered.add($0.identifier) }
        #expect(await delivered.identifiers.map(ScheduledReminder.taskID(ofNotification:)) == [due.id])
        // Numbers that make no sense count as the nearest that does.
        #expect(
            try await opened.tasks.snooze(due.id, minutes: .min).reminderAt
                == opened.clock.wall.advanced(bySeconds: 60))
        _ = try await opened.tasks.snooze(due.id, minutes: .max)
    }

    private actor Delivered {
        var identifiers: [String] = []
        func add(_ identifier: String) { identifiers.append(identifier) }
    }

    @Test("The next occurrence of a snoozed task is reminded of at the time of day that was given [F-8, F-1]")
    func recurring() async throws {
        let opened = try TestTasks()
        let new = NewTask(
            "a", on: opened.today, reminder: .time(opened.today, secondsIntoDay: 9 * 3600),
            recurrence: try RecurrenceRule(.daily))
        let task = try await opened.tasks.create(new)
        try await opened.tasks.snooze(task.id, until: opened.clock.wall.advanced(bySeconds: 7200))
        try await opened.tasks.complete(task.id)
        let next = try #require(try opened.tasks.tasks(on: opened.tomorrow).first)
        #expect(next.reminder == .time(opened.tomorrow, secondsIntoDay: 9 * 3600))
        #expect(next.reminderAt == opened.zone.zone.instant(day: opened.tomorrow, secondsIntoDay: 9 * 3600))
    }

    @Test("The identifier of a notification names its task, and nothing else does [L-FR17, L-FR19]")
    func identifiers() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create(NewTask("a", reminder: .at(opened.clock.wall)))
        let reminder = try #require(ScheduledReminder(task))
        #expect(ScheduledReminder.taskID(ofNotification: reminder.identifier) == task.id)
        for other in ["", "task-", "task-1", "TASK-\(task.id)", "\(task.id)", "task-\(task.id) "] {
            #expect(ScheduledReminder.taskID(ofNotification: other) == nil)
        }
    }

    @Test("A URL creates its task in the list that it names, or returns the task that it shows [L-FR20, L-FR27]")
    func urls() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home")
        let day = opened.tomorrow
        let task = try await opened.tasks.open(
            TaskURL(parsing: "todoapp://create-task?title=Milk&list=home&due=\(day)&reminder=2026-02-12T09:00:00Z"))
        #expect((task.text, task.listID, task.dueDay) == ("Milk", list.id, day))
        #expect(task.reminderAt == (try Instant("2026-02-12T09:00:00Z")))
        #expect(try await opened.tasks.open(.openTask(task.id)) == task)
        let before = try opened.dump()
        #expect(await taskError { try await opened.tasks.open(.createTask(title: "x", list: "Work")) } == .noSuchList)
        let missing = UUID()
        #expect(
            await taskError { try await opened.tasks.open(.openTask(missing)) }
                == .noSuchTask(id: missing.uuidString.lowercased()))
        #expect(try opened.dump() == before)
        try opened.expectSound()
    }
}
