import CivilTime
import Foundation
import Records
import Testing

@testable import Tasks

/// Series of tasks that are only due, the time of the clock, and days that a rule leaves out.
@Suite struct DueSeriesTests {
    private func open(_ opened: TestTasks) throws -> TaskItem? {
        try opened.tasks.read { reading in
            var found: TaskItem?
            try reading.forEach { task, _ in if !task.isCompleted { found = task } }
            return found
        }
    }

    @Test("A task that is only due recurs from its due day, and gets no planned day [F-1, S-65]")
    func onlyDue() async throws {
        let opened = try TestTasks(at: "2026-02-10T09:15:00Z")
        var new = NewTask("Bins")
        new.due = .day(try Day("2026-01-05"))
        let task = try #require(try await opened.tasks.create([new]).first)
        let rule = try RecurrenceRule(phrase: "weekly", today: opened.today)
        #expect(try await opened.tasks.repeat(task.id, by: rule).scheduledDate == nil)
        try await opened.tasks.complete(task.id)
        let child = try #require(try open(opened))
        #expect(try child.scheduledDate == nil && child.dueDay == (try Day("2026-02-16")))
        #expect(try await opened.tasks.skip(child.id).dueDay == (try Day("2026-02-23")))
        // One occurrence that is due on another day does not move the next one.
        try await opened.tasks.due([child.id], .day(try Day("2026-02-26")))
        try await opened.tasks.complete(child.id)
        #expect(try open(opened)?.dueDay == (try Day("2026-03-02")))
        try opened.expectSound()
    }

    @Test("A time of day that a change of the clocks skips is there again in the next occurrence [X-14]")
    func timeOfTheClock() async throws {
        let opened = try TestTasks(at: "2026-03-22T10:00:00Z")
        var new = NewTask("Backup")
        new.due = .time(try Day("2026-03-22"), secondsIntoDay: 9_000)
        (new.reminder, new.expiresAt) = (.at(try Instant("2026-03-22T01:15:00Z")), try Instant("2026-03-22T01:45:00Z"))
        new.recurrence = try RecurrenceRule(phrase: "weekly", today: opened.today)
        let task = try #require(try await opened.tasks.create([new]).first)
        #expect(task.dueAt == (try Instant("2026-03-22T01:30:00Z")))
        try await opened.tasks.complete(task.id)
        let inGap = try #require(try open(opened))
        let gap = try Instant("2026-03-29T01:00:00Z")
        #expect(inGap.dueAt == gap && inGap.reminderAt == gap && inGap.expiresAt == gap)
        opened.advance(to: try Day("2026-03-29"))
        try await opened.tasks.complete(inGap.id)
        let after = try #require(try open(opened))
        #expect(after.dueAt == (try Instant("2026-04-05T00:30:00Z")) && after.dueSecondsIntoDay == nil)
        #expect(after.reminderAt == (try Instant("2026-04-05T00:15:00Z")))
        #expect(after.expiresAt == (try Instant("2026-04-05T00:45:00Z")))
    }

    @Test("A due time that is given on the day of the gap is there again in the next occurrence")
    func givenInGap() async throws {
        let opened = try TestTasks(at: "2026-03-28T10:00:00Z")
        var new = NewTask("Backup")
        new.due = .time(try Day("2026-03-29"), secondsIntoDay: 9_000)
        new.recurrence = try RecurrenceRule(phrase: "daily", today: opened.today)
        let task = try #require(try await opened.tasks.create([new]).first)
        #expect(task.dueAt == (try Instant("2026-03-29T01:00:00Z")))
        try await opened.tasks.complete(task.id)
        #expect(try open(opened)?.dueAt == (try Instant("2026-03-30T00:30:00Z")))
    }

    @Test("The days that are shown of a rule after completions are those that completions give")
    func shownDays() async throws {
        let opened = try TestTasks(at: "2026-01-31T10:00:00Z")
        let rule = try RecurrenceRule(phrase: "monthly after completion", today: opened.today)
        let task = try await opened.tasks.create("Rent", on: opened.today)
        let shown = try await opened.tasks.repeat(task.id, by: rule)
            .daysOfRule(limit: 4, today: opened.today, in: opened.zone.zone)
        var days = [opened.today]
        for _ in 1..<4 {
            let current = try #require(try open(opened))
            try await opened.tasks.complete(current.id)
            days.append(try #require(try open(opened)?.scheduledDate))
            opened.advance(to: days[days.count - 1])
        }
        #expect(try shown == days && days[1] == (try Day("2026-02-28")))
    }

    @Test("An occurrence has the attributes of files that the one before had, and how far their dates have moved")
    func extraAttributes() async throws {
        let opened = try TestTasks(at: "2026-02-10T09:15:00Z")
        let rule = try RecurrenceRule(phrase: "every 3 days", today: opened.today)
        let task = try await opened.tasks.create("x", on: opened.today)
        try await opened.tasks.edit(task.id) { $0.extra = #"{"a":1}"# }
        try await opened.tasks.repeat(task.id, by: rule)
        try await opened.tasks.complete(task.id)
        let child = try #require(try open(opened))
        #expect(child.extra == #"{"a":1}"# && child.extraShiftDays == 3)
        try await opened.tasks.complete(child.id)
        #expect(try open(opened)?.extraShiftDays == 6)
    }

    @Test(
        "A rule that is said in times means days where it can",
        arguments: [
            ("FREQ=SECONDLY;INTERVAL=86400", "FREQ=DAILY"), ("FREQ=SECONDLY;INTERVAL=604800", "FREQ=DAILY;INTERVAL=7"),
            ("FREQ=MINUTELY;INTERVAL=2880;COUNT=3", "FREQ=DAILY;INTERVAL=2;COUNT=3"),
            ("FREQ=HOURLY;INTERVAL=24", "FREQ=DAILY"), ("FREQ=HOURLY;BYHOUR=9", "FREQ=DAILY"),
            ("FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "FREQ=WEEKLY;BYDAY=MO"),
            // At 09:00 in Berlin the first one is over, the second one is not.
            ("FREQ=WEEKLY;UNTIL=20261231T075959Z", "FREQ=WEEKLY;UNTIL=20261230"),
            ("FREQ=WEEKLY;UNTIL=20261231T080000Z", "FREQ=WEEKLY;UNTIL=20261231"),
            ("FREQ=WEEKLY;UNTIL=20261231T235959", "FREQ=WEEKLY;UNTIL=20261231"),
        ])
    func rulesInTimes(rule: String, days: String) throws {
        let zone = try Zone("Europe/Berlin")
        #expect(try RecurrenceRule(rrule: rule, at: 32_400, in: zone).rrule == days)
    }

    @Test(
        "A rule of parts of a day is refused by the name of the part",
        arguments: [
            ("FREQ=HOURLY", "FREQ"), ("FREQ=SECONDLY;INTERVAL=3600", "FREQ"), ("FREQ=DAILY;BYHOUR=9,18", "BYHOUR"),
            ("FREQ=DAILY;BYHOUR=10", "BYHOUR"), ("FREQ=YEARLY;BYYEARDAY=100", "BYYEARDAY"),
            ("FREQ=YEARLY;BYWEEKNO=20", "BYWEEKNO"),
        ])
    func partsOfDays(rule: String, part: String) {
        #expect(throws: RecurrenceError.unsupported(part: part)) { try RecurrenceRule(rrule: rule, at: 32_400) }
    }

    @Test("Days that are left out or added come from a plain model, also when the rule goes on from each of them")
    func exceptions() throws {
        var dice = Dice(seed: 7)
        for _ in 0..<300 {
            let start = Day(clampingDaysSince1970: 20_400 + dice.below(60))
            let count = 3 + dice.below(12)
            let plain = try RecurrenceRule(
                dice.below(2) == 0 ? .daily : .weekly, every: 1 + dice.below(3), end: .count(count))
            let days = Array(plain.days(from: start))
            let left = days.filter { _ in dice.below(4) == 0 }
            let added = dice.below(2) == 0 ? [] : [start.advanced(by: 1 + dice.below(40)), start.advanced(by: 50)]
            let rule = plain.excepting(left, adding: added, from: start)
            let expected = Set(days).union(added).subtracting(left).sorted()
            #expect(Array(rule.days(from: start)) == expected)
            #expect(try RecurrenceRule(rrule: rule.rrule) == rule)
            // As completions go on.
            var task = TaskItem(id: UUID(), text: "x", createdAt: Instant(secondsSince1970: 0))
            (task.scheduledDate, task.occurrenceDay) = (start, start)
            var (found, next) = ([Day](), Optional(rule))
            while let current = next, let occurrence = Occurrence.next(after: task, of: current, today: start, in: .utc)
            {
                found.append(occurrence.day)
                (task.scheduledDate, task.occurrenceDay) = (occurrence.day, occurrence.day)
                next = occurrence.rule
            }
            #expect(found == expected.filter { $0 > start })
        }
    }
}
