import CivilTime
import Foundation
import Records
import TestSupport
import Testing
import Threading

@testable import Tasks

@Suite struct ReminderSchedulerTests {
    /// What was delivered, in order.
    private final class Delivered: Sendable {
        private let texts = ForkSafeMutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ reminder: ScheduledReminder) { texts.withLock { $0.append(reminder.title) } }
    }

    @Test(
        "A schedule names its reminders, and has none while notifications are denied [L-FR17, L-PR4, P-OP10, X-14, F-8, L-FR36]"
    )
    func schedule() async throws {
        let opened = try TestTasks()
        let now = opened.clock.wall
        var new = NewTask("a", notes: "bring milk")
        new.reminder = .at(now.advanced(bySeconds: 60))
        let task = try await opened.tasks.create([new])[0]
        let range = now..<now.advanced(bySeconds: 3600)
        let reminder = try #require(try opened.tasks.schedule(in: range).first)
        #expect(reminder.identifier == "task-\(task.id.uuidString.uppercased())")
        #expect((reminder.title, reminder.body, reminder.at) == ("a", "bring milk", now.advanced(bySeconds: 60)))
        try await opened.tasks.changeSettings { $0.notificationPermission = .denied }
        #expect(try opened.tasks.schedule(in: range) == [])
        try await opened.tasks.remind([task.id], .at(now.advanced(bySeconds: 120)))
        try await opened.tasks.changeSettings { $0.notificationPermission = .granted }
        #expect(try opened.tasks.schedule(in: range).map(\.at) == [now.advanced(bySeconds: 120)])
    }

    @Test("Each reminder is delivered once: after downtime, though the clock steps back, by several processes [L-NFR9]")
    func once() async throws {
        var opened = try TestTasks()
        let start = opened.clock.wall
        for number in 1...3 {
            var new = NewTask("\(number)")
            new.reminder = .at(start.advanced(bySeconds: Int64(number) * 60))
            try await opened.tasks.create([new])
        }
        let delivered = Delivered()
        var next = try await ReminderScheduler(opened.tasks).deliverDue { delivered.add($0) }
        #expect(delivered.all == [])
        #expect(next == start.advanced(bySeconds: 60))
        // Down for two of them.
        opened.clock.setWall(start.advanced(bySeconds: 150))
        opened = try opened.reopened()
        next = try await ReminderScheduler(opened.tasks).deliverDue { delivered.add($0) }
        #expect(delivered.all == ["1", "2"])
        #expect(next == start.advanced(bySeconds: 180))
        opened.clock.setWall(start.advanced(bySeconds: 10))
        try await ReminderScheduler(opened.tasks).deliverDue { delivered.add($0) }
        opened.clock.setWall(start.advanced(bySeconds: 200))
        let (one, other) = (ReminderScheduler(opened.tasks), ReminderScheduler(opened.tasks))
        let first = Task { try await one.deliverDue { delivered.add($0) } }
        let second = Task { try await other.deliverDue { delivered.add($0) } }
        _ = try await (first.value, second.value)
        #expect(delivered.all == ["1", "2", "3"])
    }

    @Test("A reminder that is set to another time is delivered again; one of a completed task is not [L-FR18, L-FR19]")
    func changes() async throws {
        let opened = try TestTasks()
        let start = opened.clock.wall
        let delivered = Delivered()
        let scheduler = ReminderScheduler(opened.tasks)
        let task = try await opened.tasks.create("a")
        try await opened.tasks.remind(task.id, at: start)
        try await scheduler.deliverDue { delivered.add($0) }
        try await opened.tasks.edit(task.id) { $0.text = "b" }
        try await scheduler.deliverDue { delivered.add($0) }
        #expect(delivered.all == ["a"])
        try await opened.tasks.remind(task.id, at: start.advanced(bySeconds: 5))
        opened.clock.setWall(start.advanced(bySeconds: 6))
        try await opened.tasks.complete(task.id)
        try await scheduler.deliverDue { delivered.add($0) }
        #expect(delivered.all == ["a"])
        _ = try await opened.tasks.undo()
        try await scheduler.deliverDue { delivered.add($0) }
        #expect(delivered.all == ["a", "b"])
        try opened.expectSound()
    }

    @Test("A reminder is noted as delivered before it is handed over, so that a crash in between cannot repeat it")
    func crash() async throws {
        struct Crash: Error {}
        let opened = try TestTasks()
        let task = try await opened.tasks.create("a")
        try await opened.tasks.remind(task.id, at: opened.clock.wall)
        let scheduler = ReminderScheduler(opened.tasks)
        await #expect(throws: Crash.self) { try await scheduler.deliverDue { _ in throw Crash() } }
        let delivered = Delivered()
        try await scheduler.deliverDue { delivered.add($0) }
        #expect(delivered.all == [])
    }

    @Test("A running scheduler waits for the clock and for changes, and ends when it is cancelled")
    func running() async throws {
        let opened = try TestTasks()
        let start = opened.clock.wall
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let scheduler = ReminderScheduler(opened.tasks)
        let running = Task { try await scheduler.run { continuation.yield($0.title) } }
        var titles = stream.makeAsyncIterator()
        var new = NewTask("soon")
        new.reminder = .at(start.advanced(bySeconds: 30))
        try await opened.tasks.create([new])
        opened.clock.setWall(start.advanced(bySeconds: 31))
        #expect(await titles.next() == "soon")
        var past = NewTask("at once")
        past.reminder = .at(start)
        try await opened.tasks.create([past])
        #expect(await titles.next() == "at once")
        running.cancel()
        _ = await running.result
    }
}
