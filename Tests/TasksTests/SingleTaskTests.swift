import CivilTime
import Foundation
import Testing

@testable import Tasks

@Suite struct SingleTaskTests {
    @Test("A task is created with everything that a person can give of it [C-FR1, P-DM1]")
    func everything() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home")
        let whole = try await opened.tasks.create(NewTask("whole"))
        let later = opened.clock.wall.advanced(bySeconds: 3600)
        let new = NewTask(
            "Rent", on: opened.today, notes: "by transfer", category: "money", tags: ["bills"], priority: .high,
            list: list.id, due: .day(opened.tomorrow), reminder: .at(later), region: .morning, bucket: .must,
            autoCarry: true, isSticky: true, expiresAt: later, waitUntil: opened.today, parent: whole.id,
            id: UUID(uuidString: "0195A1F0-0000-7000-8000-000000000001"))
        let task = try await opened.tasks.create(new)
        #expect(task.id == new.id)
        #expect((task.text, task.notes, task.category) == ("Rent", "by transfer", "money"))
        #expect((task.tags, task.priority, task.listID) == (["bills"], .high, list.id))
        #expect((task.dueDay, task.reminderAt, task.expiresAt) == (opened.tomorrow, later, later))
        #expect((task.region, task.bucket, task.autoCarry, task.isSticky) == (.morning, .must, true, true))
        #expect((task.waitUntil, task.parentTaskID) == (opened.today, whole.id))
        try opened.expectSound()
    }

    @Test("Each operation takes one task or several, to the same effect [X-21]")
    func oneOrSeveral() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home")
        let tasks = opened.tasks
        let (today, tomorrow, now) = (opened.today, opened.tomorrow, opened.clock.wall)
        let made = try await tasks.create([NewTask("a", on: today), NewTask("b", on: today), NewTask("whole")])
        let (a, b, whole) = (made[0].id, made[1].id, made[2].id)
        func same<Value: Equatable>(_ one: TaskItem, _ several: [TaskItem], _ value: (TaskItem) -> Value) {
            #expect([value(one)] == several.map(value))
        }
        same(try await tasks.start(a), try await tasks.start([b]), \.state)
        same(try await tasks.complete(a), try await tasks.complete([b]), \.state)
        same(try await tasks.reopen(a), try await tasks.reopen([b]), \.state)
        same(try await tasks.remind(a, .at(now)), try await tasks.remind([b], .at(now)), \.reminderAt)
        same(try await tasks.due(a, .day(today)), try await tasks.due([b], .day(today)), \.dueDay)
        same(try await tasks.move(a, toList: list.id), try await tasks.move([b], toList: list.id), \.listID)
        same(try await tasks.move(a, under: whole), try await tasks.move([b], under: whole), \.parentTaskID)
        same(try await tasks.tag(a, ["x", "y"]), try await tasks.tag([b], ["x", "y"]), \.tags)
        same(try await tasks.untag(a, ["x"]), try await tasks.untag([b], ["x"]), \.tags)
        same(try await tasks.setPriority(a, to: .low), try await tasks.setPriority([b], to: .low), \.priority)
        same(try await tasks.wait(a, until: tomorrow), try await tasks.wait([b], until: tomorrow), \.waitUntil)
        same(try await tasks.setSticky(a, to: true), try await tasks.setSticky([b], to: true), \.isSticky)
        same(try await tasks.setAutoCarry(a, to: true), try await tasks.setAutoCarry([b], to: true), \.autoCarry)
        same(try await tasks.edit(a) { $0.notes = "n" }, try await tasks.edit([b]) { $0.notes = "n" }, \.notes)
        same(try await tasks.snooze(a, minutes: 5), try await tasks.snooze([b], minutes: 5), \.reminderAt)
        same(try await tasks.snooze(a, until: now), try await tasks.snooze([b], until: now), \.reminderAt)
        let daily = try RecurrenceRule(.daily)
        same(try await tasks.repeat(a, by: daily), try await tasks.repeat([b], by: daily), \.recurringPattern)
        same(try await tasks.skip(a), try await tasks.skip([b]), \.scheduledDate)
        same(try await tasks.setExpiry(a, to: now), try await tasks.setExpiry([b], to: now), \.expiresAt)
        opened.clock.advance(byMicroseconds: 1)
        #expect(try await tasks.archiveExpired().count == 2)
        #expect(try tasks.archived().map(\.text) == ["a", "b"])
        same(try await tasks.unarchive(a), try await tasks.unarchive([b]), \.archivedAt)
        #expect(try tasks.archived() == [])
        try opened.expectSound()
    }

    @Test("A task that is placed in a bucket can be given its position there [P-OP3]")
    func placeAt() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create(["a", "b", "c"].map { NewTask($0, on: opened.today) })
        for task in made.prefix(2) { try await opened.tasks.place(task.id, region: .morning, bucket: .misc) }
        try await opened.tasks.place(made[2].id, region: .morning, bucket: .misc, at: .first)
        #expect(try opened.tasks.plan(on: opened.today)[.morning, .misc].map(\.text) == ["c", "a", "b"])
        try await opened.tasks.place(made[0].id, at: .last)
        #expect(try opened.tasks.plan(on: opened.today)[.morning, .misc].map(\.text) == ["c", "b", "a"])
        // All or nothing: the place is not one of the bucket.
        let before = try opened.dump()
        #expect(
            await taskError { try await opened.tasks.place(made[0].id, region: .evening, at: .after(made[1].id)) }
                == .notInSameBucket)
        #expect(try opened.dump() == before)
    }

    @Test("Carrying a task that is given twice carries it once, and returns it once [C-S3.9]")
    func carryOnce() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("a", on: opened.today)
        opened.clock.advance(byMicroseconds: 86_400_000_000)
        let carried = try await opened.tasks.carry([task.id, task.id], to: .today)
        #expect(carried.map(\.carryCount) == [1])
        #expect(try await opened.tasks.carry(task.id, to: .today)?.carryCount == 1)
    }

    @Test("What readings return is returned by the task list itself [X-21]")
    func readings() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home")
        try await opened.tasks.create((1...3).map { NewTask("\($0)", on: opened.today, list: list.id) })
        let due = try await opened.tasks.create(NewTask("due", due: .at(opened.clock.wall)))
        #expect(try opened.tasks.tasks(on: opened.today).map(\.text) == ["1", "2", "3"])
        #expect(try opened.tasks.tasks(in: .today).map(\.text) == ["1", "2", "3"])
        let first = try opened.tasks.page(ofList: list.id, limit: 2)
        #expect(first.records.map(\.text) == ["1", "2"])
        #expect(try opened.tasks.page(ofList: list.id, after: first.next).records.map(\.text) == ["3"])
        #expect(try opened.tasks.overduePage().records == [due])
        #expect(try opened.tasks.dueAfterToday().isEmpty)
        #expect(try opened.tasks.count() == 4)
    }

    @Test("A task is of today on the calendar day of the present zone, and scheduled on any day [C-DM5]")
    func flags() async throws {
        let opened = try TestTasks(at: "2026-02-11T22:30:00Z", zone: "Europe/Berlin")
        let task = try await opened.tasks.create("a", on: opened.today)
        let inbox = try await opened.tasks.create("b")
        #expect(task.isScheduled && task.isToday(in: opened.context) && !task.isToday(on: opened.tomorrow))
        #expect(!inbox.isScheduled && !inbox.isToday(in: opened.context))
        opened.clock.setWall(try Instant("2026-02-11T23:00:00Z"))
        #expect(task.isScheduled && !task.isToday(in: opened.context))
        opened.zone.set(try Zone("America/New_York"))
        #expect(task.isToday(in: opened.context))
    }

    @Test("Archived tasks are listed, and paged, in the order of their creation [P-OP9]")
    func archived() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create((1...5).map { NewTask("\($0)") })
        try await opened.tasks.setExpiry([0, 2, 4].map { made[$0].id }, to: opened.clock.wall)
        opened.clock.advance(byMicroseconds: 1)
        try await opened.tasks.archiveExpired()
        #expect(try opened.tasks.archived().map(\.text) == ["1", "3", "5"])
        #expect(try opened.tasks.archived(limit: 2).map(\.text) == ["1", "3"])
        let first = try opened.tasks.archivedPage(limit: 2)
        #expect(first.records.map(\.text) == ["1", "3"])
        #expect(try opened.tasks.archivedPage(after: first.next, limit: 2).records.map(\.text) == ["5"])
    }
}
