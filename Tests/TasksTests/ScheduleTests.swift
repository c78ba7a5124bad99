import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Tasks

@Suite struct ScheduleTests {
    private static let targets: [(TaskView, TaskDay)] = [(.inbox, .inbox), (.today, .today), (.upcoming, .tomorrow)]

    @Test(
        "A task moves from any view to any view in one call [C-FR9, C-FR14, C-FR15, C-FR17, C-S3.2, C-S3.3, C-S3.4, C-S3.7]"
    )
    func everyPair() async throws {
        let opened = try TestTasks()
        for (from, _) in Self.targets {
            for (view, target) in Self.targets {
                let task = try await opened.tasks.create("\(from) to \(view)", in: from)
                let moved = try await opened.tasks.schedule(task.id, on: target)
                #expect(moved.scheduledDate == target.day(today: opened.today))
                for other in TaskView.allCases {
                    #expect(try opened.texts(other).contains(task.text) == (other == view))
                }
                // It comes last there, unless it was there before.
                if from != view { #expect(try opened.texts(view).last == task.text) }
            }
        }
        try opened.expectSound()
    }

    @Test("A task that is scheduled with a place arrives there: first, in the middle, or last [C-S3.2, C-S3.4]")
    func atPlace() async throws {
        let opened = try TestTasks()
        for (view, target) in Self.targets.dropFirst() {
            for text in ["a", "b", "c"] { try await opened.tasks.create(text, in: view) }
            for (index, expected) in [
                (0, ["x", "a", "b", "c"]), (1, ["a", "x", "b", "c"]), (2, ["a", "b", "x", "c"]),
                (3, ["a", "b", "c", "x"]),
            ] {
                let task = try await opened.tasks.create("x")
                try await opened.tasks.schedule(task.id, on: target, at: .index(index))
                #expect(try opened.texts(view) == expected)
                try await opened.tasks.delete(task.id)
            }
        }
    }

    @Test("A task can be scheduled on any day from today to the last day of the calendar [C-FR13, C-FR16, C-S3.6]")
    func anyDay() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        for day in [opened.today, opened.tomorrow, try Day("2028-02-29"), .last] {
            try await opened.tasks.schedule(task.id, on: day)
            #expect(try opened.tasks.get(task.id)?.scheduledDate == day)
            let view = day == opened.today ? TaskView.today : .upcoming
            #expect(try opened.texts(view) == ["x"])
        }
    }

    @Test("A task cannot be scheduled on a past day, but keeps one that it has [X-6, C-AD2]")
    func pastDays() async throws {
        let opened = try TestTasks()
        let yesterday = opened.today.advanced(by: -1)
        let task = try await opened.tasks.create("x", in: .today)
        let before = try opened.dump()
        let error = TaskError.pastDay(yesterday)
        await #expect(throws: error) { try await opened.tasks.create("y", on: yesterday) }
        await #expect(throws: error) { try await opened.tasks.schedule(task.id, on: yesterday) }
        await #expect(throws: error) { try await opened.tasks.carry([task.id], to: .on(yesterday)) }
        #expect(try opened.dump() == before)

        opened.advance(to: opened.tomorrow)
        try await opened.tasks.schedule(task.id, on: yesterday.advanced(by: 1))
        try await opened.tasks.edit(task.id) { $0.text = "z" }
        try await opened.tasks.complete(task.id)
        #expect(try opened.texts(.past) == ["z"])
        // Undo may bring a past day back.
        let open = try await opened.tasks.create("open", in: .today)
        opened.advance(to: opened.tomorrow)
        try await opened.tasks.schedule(open.id, on: .today)
        try await opened.tasks.undo()
        #expect(try opened.texts(.past) == ["z", "open"])
    }

    @Test("Tomorrow is the next date across DST changes, leap days and the turn of the year [C-FR15, S-21]")
    func tomorrow() async throws {
        for (zone, now, expected) in [
            ("Europe/Berlin", "2026-03-28T22:59:59Z", "2026-03-29"),
            ("Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-26"),
            ("Africa/Cairo", "2026-04-23T20:00:00Z", "2026-04-24"), ("UTC", "2028-02-28T23:59:59Z", "2028-02-29"),
            ("UTC", "2026-12-31T23:59:59Z", "2027-01-01"), ("Pacific/Kiritimati", "2026-01-01T12:00:00Z", "2026-01-03"),
        ] {
            let opened = try TestTasks(at: now, zone: zone)
            let task = try await opened.tasks.create("x")
            #expect(try await opened.tasks.schedule(task.id, on: .tomorrow).scheduledDate == Day(expected))
        }
    }

    @Test("Only the given tasks are carried [C-FR19]")
    func carry() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create((1...5).map { NewTask("\($0)", on: opened.today) })
        let day = opened.today
        opened.advance(to: opened.today.advanced(by: 3))
        let carried = try await opened.tasks.carry([made[3].id, made[1].id], to: .today)
        #expect(carried.map(\.text) == ["4", "2"])
        #expect(carried.allSatisfy { $0.carriedFromDay == day && $0.carryCount == 1 })
        #expect(try opened.texts(.today) == ["4", "2"])
        #expect(try opened.texts(.past) == ["1", "3", "5"])
        try await opened.tasks.undo()
        #expect(try opened.texts(.past) == ["1", "2", "3", "4", "5"])
        try await opened.tasks.carry(made.map(\.id), to: .inbox)
        #expect(try opened.texts(.inbox) == ["1", "2", "3", "4", "5"])
    }

    @Test("Completed tasks and tasks that are not of a past day are not carried [C-FR19]")
    func carryOfOthers() async throws {
        let opened = try TestTasks()
        let (late, done, archived) = (
            try await opened.tasks.create("late", on: opened.today),
            try await opened.tasks.create("done", on: opened.today),
            try await opened.tasks.create("archived", on: opened.today)
        )
        try await opened.tasks.complete(done.id)
        try await opened.tasks.edit(archived.id) { $0.archivedAt = $0.createdAt }
        opened.advance(to: opened.today.advanced(by: 3))
        let others = [
            try await opened.tasks.create("inbox"), try await opened.tasks.create("today", on: opened.today),
            try await opened.tasks.create("future", on: opened.today.advanced(by: 5)),
        ]
        let ids = [late.id, done.id, archived.id] + others.map(\.id)
        let before = try ids.map { try opened.tasks.get($0) }
        let carried = try await opened.tasks.carry(ids, to: .tomorrow)
        #expect(carried.map(\.id) == ids)
        #expect(Array(carried.dropFirst()) == Array(before.dropFirst()))
        #expect(carried.first?.scheduledDate == opened.tomorrow && carried.first?.carryCount == 1)
    }

    @Test("One unknown id among many carries none [X-7, C-S3.5]")
    func carryIsAtomic() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        let before = try opened.dump()
        await #expect(throws: TaskError.self) { try await opened.tasks.carry([task.id, uuid(9)], to: .today) }
        #expect(try opened.dump() == before)
    }
}
