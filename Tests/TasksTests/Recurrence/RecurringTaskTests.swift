import CivilTime
import Foundation
import Records
import Testing

@testable import Tasks

@Suite struct RecurringTaskTests {
    /// A store on Wednesday, 2026-02-11, with one task of that day that recurs.
    private func opened(
        _ phrase: String, on day: String = "2026-02-11", at now: String = "2026-02-11T10:00:00Z"
    ) async throws -> (opened: TestTasks, task: TaskItem) {
        let opened = try TestTasks(at: now)
        let task = try await opened.tasks.create("Water plants", on: Day(day))
        let rule = try RecurrenceRule(phrase: phrase, today: opened.today)
        return (opened, try await opened.tasks.repeat(task.id, by: rule))
    }

    /// The open tasks, with their days.
    private func open(_ opened: TestTasks) throws -> [TaskItem] {
        try opened.tasks.read { reading in
            var tasks: [TaskItem] = []
            try reading.forEach { task, _ in if !task.isCompleted { tasks.append(task) } }
            return tasks
        }
    }

    private func openDays(_ opened: TestTasks) throws -> [String] {
        try open(opened).map { $0.scheduledDate?.description ?? "none" }
    }

    @Test("Completing a recurring task creates the next occurrence with an id of parent and day [F-1]")
    func completing() async throws {
        let (opened, task) = try await opened("every 2 days")
        #expect(task.recurringPattern == "FREQ=DAILY;INTERVAL=2" && task.isRecurring)
        try await opened.tasks.complete(task.id)
        let child = try #require(try open(opened).first)
        #expect(try openDays(opened) == ["2026-02-13"])
        #expect(child.id == UUID(occurrenceOf: task.id, on: try Day("2026-02-13")))
        #expect(child.parentRecurringID == task.id && child.text == task.text && !child.isRecurring)
        #expect(child.recurrence == task.recurrence)
        opened.advance(to: try Day("2026-02-13"))
        try await opened.tasks.complete(child.id)
        #expect(try openDays(opened) == ["2026-02-15"])
        #expect(try open(opened).first?.parentRecurringID == task.id)
        try opened.expectSound()
    }

    @Test(
        "Completed, reopened and completed again, a task has created one occurrence [F-1]",
        arguments: ["", " after completion"])
    func exactlyOnce(tail: String) async throws {
        let (opened, task) = try await opened("daily" + tail)
        try await opened.tasks.complete(task.id)
        let child = try #require(try open(opened).first)
        try await opened.tasks.reopen(task.id)
        opened.advance(to: try Day("2026-02-12"))
        try await opened.tasks.complete(task.id)
        #expect(try open(opened) == [child])
        // Also if it was completed, and if it was deleted.
        try await opened.tasks.complete(child.id)
        let after = try open(opened)
        try await opened.tasks.cycle(task.id)
        try await opened.tasks.complete(task.id)
        #expect(try open(opened) == after)
        try await opened.tasks.delete(after.map(\.id))
        try await opened.tasks.reopen(child.id)
        try await opened.tasks.complete(child.id)
        #expect(try open(opened) == [])
        try opened.expectSound()
    }

    @Test(
        "Reopened and completed again days later, a task has created one occurrence, also if that one was skipped [F-1]"
    )
    func onceOnAnotherDay() async throws {
        let (opened, task) = try await opened("every 2 days")
        try await opened.tasks.complete(task.id)
        let child = try #require(try open(opened).first)
        try await opened.tasks.reopen(task.id)
        opened.advance(to: try Day("2026-02-20"))
        try await opened.tasks.complete(task.id)
        #expect(try open(opened) == [child])
        try await opened.tasks.skip(child.id)
        try await opened.tasks.cycle(task.id)
        opened.advance(to: try Day("2026-03-20"))
        try await opened.tasks.complete(task.id)
        #expect(try open(opened).map(\.id) == [child.id])
        // A task that has got its rule since the first completion has created none.
        let late = try await opened.tasks.create("Late")
        try await opened.tasks.complete(late.id)
        try await opened.tasks.reopen(late.id)
        try await opened.tasks.repeat(late.id, by: RecurrenceRule(phrase: "daily", today: opened.today))
        opened.advance(to: try Day("2026-03-23"))
        try await opened.tasks.complete(late.id)
        #expect(try openDays(opened).last == "2026-03-23")
        try opened.expectSound()
    }

    @Test("Undo takes back the completion and the occurrence, redo brings back both")
    func undo() async throws {
        let (opened, task) = try await opened("daily")
        let before = try open(opened)
        try await opened.tasks.complete(task.id)
        let after = try open(opened)
        try await opened.tasks.undo()
        #expect(try open(opened).map(\.id) == before.map(\.id))
        try await opened.tasks.redo()
        #expect(try open(opened).map(\.id) == after.map(\.id))
        try await opened.tasks.undo()
        try await opened.tasks.complete(task.id)
        #expect(try open(opened).map(\.id) == after.map(\.id))
        try opened.expectSound()
    }

    @Test("The occurrences of a rule are its days, to the last one [F-1]")
    func chain() async throws {
        for phrase in [
            "monthly on 31 5 times", "weekdays until 2026-02-20", "every 2 weeks on mon,thu 6 times",
            "yearly on feb 29 4 times",
            "every 10 days 8 times",
        ] {
            let rule = try RecurrenceRule(phrase: phrase, today: Day("2026-02-11"))
            let days = Array(rule.days(from: try Day("2026-02-11")))
            let opened = try TestTasks(at: "2026-02-11T10:00:00Z")
            var new = NewTask("x")
            new.recurrence = rule
            var task = try await opened.tasks.create([new]).first
            var found: [Day] = []
            while let current = task, found.count <= days.count {
                found.append(try #require(current.scheduledDate))
                opened.advance(to: try #require(current.scheduledDate), secondsIntoDay: 43_200)
                try await opened.tasks.complete(current.id)
                task = try open(opened).first
            }
            #expect(found == days, "\(phrase)")
        }
    }

    @Test("An occurrence that was moved to another day is followed by the rule's next day")
    func movedOccurrence() async throws {
        let (opened, task) = try await opened("weekly")
        // Later within its week, and completed early.
        try await opened.tasks.schedule(task.id, on: try Day("2026-02-14"))
        try await opened.tasks.complete(task.id)
        #expect(try openDays(opened) == ["2026-02-18"])
        let child = try #require(try open(opened).first)
        // Earlier, too.
        try await opened.tasks.schedule(child.id, on: try Day("2026-02-16"))
        opened.advance(to: try Day("2026-02-16"))
        try await opened.tasks.complete(child.id)
        #expect(try openDays(opened) == ["2026-02-25"])
    }

    @Test("An occurrence that was carried to today is not followed by another of today; one that was missed is")
    func missedOccurrences() async throws {
        let (carried, task) = try await opened("daily")
        carried.advance(to: try Day("2026-02-14"))
        try await carried.tasks.carryAll(to: .today)
        try await carried.tasks.complete(task.id)
        #expect(try openDays(carried) == ["2026-02-15"])

        let (missed, other) = try await opened("daily 10 times")
        missed.advance(to: try Day("2026-02-14"))
        try await missed.tasks.complete(other.id)
        #expect(try openDays(missed) == ["2026-02-14"])
        // The days in between count.
        #expect(try open(missed).first?.recurringPattern == "FREQ=DAILY;COUNT=7")
    }

    @Test("A rule after completion counts from the day of the completion, in the zone of the one who completes")
    func afterCompletion() async throws {
        let (opened, task) = try await opened("every 3 days after completion 3 times")
        // 00:30 of 21 February in Berlin.
        opened.clock.advance(byMicroseconds: try Instant("2026-02-20T23:30:00Z").microseconds(since: opened.clock.wall))
        try await opened.tasks.complete(task.id)
        #expect(try openDays(opened) == ["2026-02-24"])
        let second = try #require(try open(opened).first)
        #expect(second.id == UUID(occurrenceOf: task.id, on: try Day("2026-02-11")))
        try await opened.tasks.complete(second.id)
        #expect(try openDays(opened) == ["2026-02-24"])
        let third = try #require(try open(opened).first)
        #expect(third.recurrence?.end == .count(1))
        try await opened.tasks.complete(third.id)
        #expect(try open(opened) == [])

        let monthly = try await self.opened("monthly after completion", at: "2026-01-31T10:00:00Z")
        try await monthly.opened.tasks.complete(monthly.task.id)
        #expect(try openDays(monthly.opened) == ["2026-02-28"])
    }

    @Test("Skipping drops one occurrence: the task moves to the next day, and after the last one it is deleted")
    func skipping() async throws {
        let (opened, task) = try await opened("weekly 3 times")
        #expect(try await opened.tasks.skip(task.id).scheduledDate == Day("2026-02-18"))
        #expect(try await opened.tasks.skip(task.id).recurrence?.end == .count(1))
        #expect(try openDays(opened) == ["2026-02-25"])
        try await opened.tasks.undo()
        #expect(try openDays(opened) == ["2026-02-18"])
        try await opened.tasks.complete(task.id)
        #expect(try openDays(opened) == ["2026-02-25"])
        let last = try #require(try open(opened).first)
        try await opened.tasks.skip(last.id)
        #expect(try open(opened) == [])
        try await opened.tasks.undo()
        #expect(try openDays(opened) == ["2026-02-25"])
        let plain = try await opened.tasks.create("plain")
        await #expect(throws: TaskError.notRecurring) { try await opened.tasks.skip(plain.id) }
        await #expect(throws: TaskError.notRecurring) { try await opened.tasks.skip(task.id) }
        try opened.expectSound()
    }

    @Test("Due date, reminder and expiry move by as many days, at the same time of the clock [X-14, S-65]")
    func dates() async throws {
        let (opened, task) = try await opened("monthly on 29", on: "2026-02-28", at: "2026-02-28T10:00:00Z")
        try await opened.tasks.due([task.id], .at(try Instant("2026-02-28T08:30:00.5Z")))
        try await opened.tasks.remind([task.id], .time(try Day("2026-02-28"), secondsIntoDay: 9_000))
        try await opened.tasks.complete(task.id)
        let child = try #require(try open(opened).first)
        // 29 March 2026 has no 02:30 in Berlin, and its 09:30 is an hour earlier in UTC.
        #expect(child.scheduledDate == (try Day("2026-03-29")))
        #expect(child.dueAt == (try Instant("2026-03-29T07:30:00.5Z")))
        #expect(child.reminderAt == (try Instant("2026-03-29T01:00:00Z")))
        #expect(child.reminder == .time(try Day("2026-03-29"), secondsIntoDay: 9_000))
        try await opened.tasks.due([child.id], .day(try Day("2026-03-30")))
        opened.advance(to: try Day("2026-03-29"))
        try await opened.tasks.complete(child.id)
        let next = try #require(try open(opened).first)
        #expect(next.due(in: opened.zone.zone) == .day(try Day("2026-04-30")))
        // The time that was meant is there again.
        #expect(next.reminderAt == (try Instant("2026-04-29T00:30:00Z")))
    }

    @Test("An occurrence has what the one before had, and leaves a bucket that is full on its day")
    func attributes() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home")
        var new = NewTask("x", on: opened.today, notes: "n")
        (new.category, new.list, new.region, new.bucket) = ("c", list.id, .morning, .must)
        (new.autoCarry, new.isSticky) = (true, true)
        new.recurrence = try RecurrenceRule(phrase: "daily", today: opened.today)
        let first = try #require(try await opened.tasks.create([new]).first)
        try await opened.tasks.complete(first.id)
        let second = try #require(try open(opened).first)
        #expect((second.notes, second.category, second.listID) == ("n", "c", list.id))
        #expect((second.region, second.bucket) == (.morning, .must) && second.autoCarry && second.isSticky)
        var other = NewTask("y", on: opened.tomorrow.advanced(by: 1))
        (other.region, other.bucket) = (.morning, .must)
        _ = try await opened.tasks.create([other])
        try await opened.tasks.complete(second.id)
        let third = try #require(try open(opened).first { $0.text == "x" })
        #expect((third.region, third.bucket) == (.morning, .none))
        try opened.expectSound()
    }

    @Test(
        "A task without a day gets the first day of its rule; 'none' ends it; an occurrence begins a series of its own")
    func rules() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        let fridays = try RecurrenceRule(phrase: "every friday", today: opened.today)
        #expect(try await opened.tasks.repeat(task.id, by: fridays).scheduledDate == Day("2026-02-13"))
        try await opened.tasks.complete(task.id)
        let child = try #require(try open(opened).first)
        let changed = try await opened.tasks.repeat(child.id, by: try RecurrenceRule(.daily))
        #expect(changed.parentRecurringID == nil && changed.isRecurring)
        let none = try await opened.tasks.repeat(child.id, by: nil)
        #expect(none.recurringPattern == nil && none.occurrenceDay == nil && !none.isRecurring)
        try await opened.tasks.complete(child.id)
        #expect(try open(opened) == [])
        let never = try RecurrenceRule(rrule: "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30")
        await #expect(throws: TaskError.neverOccurs) { try await opened.tasks.repeat(child.id, by: never) }
        try opened.expectSound()
    }

    @Test(
        "A pattern that is no RRULE of dates creates nothing",
        arguments: ["weekly", "FREQ=HOURLY", #"{"days":[1]}"#, ""])
    func foreignPatterns(pattern: String) async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x", on: opened.today)
        try await opened.tasks.edit(task.id) { $0.recurringPattern = pattern }
        try await opened.tasks.complete(task.id)
        #expect(try open(opened) == [])
    }
}
