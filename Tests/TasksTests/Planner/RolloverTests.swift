import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

/// Rollover and expiry: explicit calls that only move what asks for it.
@Suite struct RolloverTests {
    @Test(
        "Tasks that are carried automatically come to today after any number of missed days [P-OP8]",
        arguments: [0, 1, 3, 400])
    func missedDays(days: Int) async throws {
        let opened = try TestTasks()
        let start = opened.today
        let created = try #require(
            try await opened.tasks.create([.planned("carried", .evening, .complementary, autoCarry: true)]).first)
        try await opened.tasks.create([.planned("stays", .evening, .complementary)])
        opened.advance(to: start.advanced(by: days), secondsIntoDay: 3600)
        let rollover = try await opened.tasks.rollOver()
        #expect(rollover.carried.map(\.id) == (days == 0 ? [] : [created.id]))
        #expect(rollover.unassigned.isEmpty)
        let task = try #require(try opened.tasks.get(created.id))
        #expect(task.scheduledDate == opened.today)
        #expect(task.carriedFromDay == (days == 0 ? nil : start))
        #expect(task.carryCount == (days == 0 ? 0 : 1))
        #expect((task.region, task.bucket) == (.evening, .complementary))
        #expect(task.createdAt == created.createdAt)
        // The others stay: FR18, no rollover for tasks that do not ask for it.
        #expect(try opened.tasks.past().map(\.text) == (days == 0 ? [] : ["stays"]))
        let before = try opened.dump()
        #expect(try await opened.tasks.rollOver() == Rollover(carried: [], unassigned: []))
        #expect(try opened.dump() == before)
        try opened.expectSound()
        try opened.expectPlanned()
    }

    @Test("A task of yesterday that is carried automatically moves to today, the others of yesterday stay [P-TS2]")
    func yesterday() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([
            .planned("a", .morning, TaskBucket.none, autoCarry: true), .planned("b", .morning, TaskBucket.none),
            .planned("done", .morning, TaskBucket.none, autoCarry: true),
        ])
        try await opened.tasks.complete(try #require(try opened.tasks.today().last).id)
        opened.advance(to: opened.tomorrow, secondsIntoDay: 60)
        #expect(try await opened.tasks.rollOver().carried.map(\.text) == ["a"])
        #expect(try opened.texts(.today) == ["a"])
        #expect(try opened.texts(.past) == ["b", "done"])
    }

    @Test("Carried tasks keep their order, on the day and in each bucket, after those of today [P-OP8]")
    func order() async throws {
        let opened = try TestTasks()
        for day in 0..<3 {
            for number in 0..<4 {
                try await opened.tasks.create([
                    .planned("\(day)\(number)", number % 2 == 0 ? .morning : .evening, TaskBucket.none, autoCarry: true)
                ])
            }
            let first = try #require(try opened.tasks.tasks(on: opened.today, in: .morning).first)
            try await opened.tasks.reorderInPlan(first.id, to: .last)
            opened.advance(to: opened.tomorrow, secondsIntoDay: 60)
        }
        try await opened.tasks.create([.planned("today", .morning, TaskBucket.none)])
        let carried = try await opened.tasks.rollOver().carried.map(\.text)
        let all = (0..<3).flatMap { day in (0..<4).map { "\(day)\($0)" } }
        #expect(carried == all)
        #expect(try opened.texts(.today) == ["today"] + all)
        let plan = try opened.tasks.plan(on: opened.today)
        #expect(plan[.morning, .none].map(\.text) == ["today", "02", "00", "12", "10", "22", "20"])
        #expect(plan[.evening, .none].map(\.text) == ["01", "03", "11", "13", "21", "23"])
        try opened.expectSound()
        try opened.expectPlanned()
    }

    @Test("Where a bucket is full, the rest is carried without a bucket and reported [P-OP8, X-31]")
    func fullBucket() async throws {
        let opened = try TestTasks()
        var ids: [UUID] = []
        for _ in 0..<3 {
            ids.append(
                try #require(
                    try await opened.tasks.create([.planned("x", .morning, .must, autoCarry: true)]).first
                ).id)
            opened.advance(to: opened.tomorrow, secondsIntoDay: 60)
        }
        let rollover = try await opened.tasks.rollOver()
        #expect(rollover.carried.map(\.id) == ids)
        #expect(rollover.unassigned == Array(ids.dropFirst()))
        let plan = try opened.tasks.plan(on: opened.today)
        #expect(plan[.morning, .must].map(\.id) == [ids[0]])
        #expect(plan[.morning, .none].map(\.id) == Array(ids.dropFirst()))
        try opened.expectSound()
        try opened.expectPlanned()
    }

    @Test("A person's undo does not take a rollover or an expiry back [P-OP8]")
    func undo() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([.planned("a", .morning, .must, autoCarry: true)])
        let expiring = try await opened.tasks.create("b")
        let now = opened.clock.wall
        try await opened.tasks.setExpiry([expiring.id], to: now)
        opened.advance(to: opened.tomorrow, secondsIntoDay: 60)
        let other = try await opened.tasks.create("c")
        try await opened.tasks.rollOver()
        #expect(try await opened.tasks.archiveExpired().map(\.id) == [expiring.id])
        #expect(try await opened.tasks.undo() == .create)
        #expect(try opened.tasks.get(other.id) == nil)
        // The archiving did not write the time of expiry.
        #expect(try await opened.tasks.undo() == .setExpiry)
        #expect(try opened.tasks.get(expiring.id)?.expiresAt == nil)
        // What would take the carried task or the archived one back with it is refused.
        await #expect(throws: TaskError.changedSince) { try await opened.tasks.undo() }
        #expect(try opened.texts(.today) == ["a"])
        #expect(try opened.tasks.get(expiring.id)?.archivedAt == opened.clock.wall)
        try opened.expectSound()
    }

    @Test(
        "Undo goes on to older operations past one that a rollover has overwritten, and keeps what the rollover did [P-OP8]"
    )
    func undoPastRollover() async throws {
        let opened = try TestTasks()
        let older = try await opened.tasks.create("older")
        let list = try await opened.tasks.createList("Home").id
        var new = NewTask.planned("a", .morning, .must, autoCarry: true)
        new.list = list
        let id = try #require(try await opened.tasks.create([new]).first).id
        try await opened.tasks.edit(id) { $0.notes = "2 liters" }
        try await opened.tasks.place([id], region: .evening)
        opened.advance(to: opened.tomorrow, secondsIntoDay: 60)
        try await opened.tasks.rollOver()
        #expect(try await opened.tasks.undo() == .place)
        #expect(try opened.tasks.get(id)?.region == .morning)
        #expect(try await opened.tasks.undo() == .edit)
        #expect(try opened.tasks.get(id)?.notes == nil)
        // The creation is passed over; the list that was created before it goes, and its task stays.
        #expect(try await opened.tasks.undo() == .createList)
        let task = try #require(try opened.tasks.get(id))
        #expect(task.listID == nil && task.scheduledDate == opened.today && task.carryCount == 1)
        #expect(try await opened.tasks.undo() == .create)
        #expect(try opened.tasks.get(older.id) == nil)
        try opened.expectSound()
        try opened.expectPlanned()
        #expect(try await opened.tasks.redo() == .create)
        #expect(try await opened.tasks.redo() == .createList)
        #expect(try opened.tasks.get(id)?.listID == list)
        try opened.expectSound()
    }

    @Test("A clock that steps back moves nothing back, and the next day carries once more [P-OP8, S-22]")
    func clockBack() async throws {
        let opened = try TestTasks()
        let id = try #require(try await opened.tasks.create([.planned("a", .morning, .must, autoCarry: true)]).first).id
        let start = opened.today
        opened.advance(to: start.advanced(by: 2), secondsIntoDay: 60)
        try await opened.tasks.rollOver()
        opened.clock.setWall(opened.clock.wall.advanced(bySeconds: -3 * 86_400))
        #expect(try await opened.tasks.rollOver().carried.isEmpty)
        #expect(try opened.tasks.get(id)?.scheduledDate == start.advanced(by: 2))
        opened.clock.setWall(opened.clock.wall.advanced(bySeconds: 4 * 86_400))
        #expect(try await opened.tasks.rollOver().carried.map(\.carryCount) == [2])
        try opened.expectSound()
    }

    @Test(
        "The day begins at local midnight, also where it is skipped or a date is missing [P-OP8, S-21]",
        arguments: [
            ("Europe/Berlin", "2026-03-29"), ("Europe/Berlin", "2026-10-25"), ("Africa/Cairo", "2026-04-24"),
            ("America/Sao_Paulo", "2018-11-04"), ("Pacific/Apia", "2011-12-31"), ("Asia/Kathmandu", "2026-02-12"),
        ])
    func midnight(zone: String, day: String) async throws {
        let day = try Day(day)
        let zoned = try Zone(zone)
        let midnight = zoned.start(of: day)
        let opened = try TestTasks(at: midnight.advanced(bySeconds: -3600).description, zone: zone)
        try await opened.tasks.create([.planned("a", .morning, .must, autoCarry: true)])
        opened.clock.advance(byMicroseconds: 3_600_000_000 - 1)
        #expect(try await opened.tasks.rollOver().carried.isEmpty)
        opened.clock.advance(byMicroseconds: 1)
        #expect(opened.today == day)
        #expect(try await opened.tasks.rollOver().carried.map(\.scheduledDate) == [day])
        try opened.expectSound()
    }

    @Test("A task is archived after its instant, not at it, once, and also when it is completed [P-OP9, P-DM5]")
    func expiry() async throws {
        let opened = try TestTasks()
        let due = opened.clock.wall.advanced(bySeconds: 10)
        let ids = try await opened.tasks.create([
            .planned("open", .morning, .must, autoCarry: true), NewTask("done", on: opened.today), NewTask("never"),
        ]).map(\.id)
        try await opened.tasks.complete(ids[1])
        try await opened.tasks.setExpiry(Array(ids.prefix(2)), to: due)
        try await opened.tasks.remind([ids[0]], at: due)
        opened.clock.advance(byMicroseconds: 9_000_000)
        #expect(try await opened.tasks.archiveExpired().isEmpty)
        opened.clock.advance(byMicroseconds: 1_000_000)
        #expect(try opened.tasks.get(ids[0])?.isExpired(at: opened.clock.wall) == false)
        #expect(try await opened.tasks.archiveExpired().isEmpty)
        #expect(try opened.tasks.dueReminders().map(\.id) == [ids[0]])
        opened.clock.advance(byMicroseconds: 1_000_000)
        #expect(try opened.tasks.get(ids[0])?.isExpired(at: opened.clock.wall) == true)
        #expect(try await opened.tasks.archiveExpired().map(\.id) == Array(ids.prefix(2)))
        #expect(try await opened.tasks.archiveExpired().isEmpty)
        #expect(try opened.texts(.today).isEmpty)
        #expect(try opened.tasks.dueReminders().isEmpty)
        #expect(try opened.tasks.get(ids[0])?.archivedAt == opened.clock.wall)
        #expect(try opened.tasks.statistics().today == 1)
        #expect(try opened.tasks.planCounts(on: opened.today).open(in: .morning) == 0)
        opened.advance(to: opened.tomorrow, secondsIntoDay: 60)
        #expect(try await opened.tasks.rollOver().carried.isEmpty)
        try opened.expectSound()
    }

    @Test(
        "An unarchived task is back in its view, list and bucket, keeps no expiry that is over, and undo archives it again [P-OP9]"
    )
    func unarchive() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home").id
        var new = NewTask.planned("a", .morning, .must)
        new.list = list
        let id = try #require(try await opened.tasks.create([new]).first).id
        let reminder = opened.clock.wall.advanced(bySeconds: 3600)
        try await opened.tasks.remind([id], at: reminder)
        try await opened.tasks.setExpiry([id], to: opened.clock.wall.advanced(bySeconds: 1))
        opened.clock.advance(byMicroseconds: 2_000_000)
        #expect(try await opened.tasks.archiveExpired().map(\.id) == [id])
        let archivedAt = try #require(try opened.tasks.get(id)?.archivedAt)

        let task = try #require(try await opened.tasks.unarchive([id]).first)
        #expect(task.archivedAt == nil && task.expiresAt == nil)
        #expect(try opened.texts(.today) == ["a"])
        #expect(try opened.tasks.tasks(inList: list).map(\.id) == [id])
        #expect(try opened.tasks.plan(on: opened.today)[.morning, .must].map(\.id) == [id])
        #expect(try opened.tasks.reminders(in: reminder..<reminder.advanced(bySeconds: 1)).map(\.id) == [id])
        #expect(try await opened.tasks.archiveExpired().isEmpty)
        // What is not archived stays as it is, and no operation is added.
        #expect(try await opened.tasks.unarchive([id]) == [task])
        #expect(try await opened.tasks.undo() == .unarchive)
        #expect(try opened.tasks.get(id)?.archivedAt == archivedAt)
        #expect(try await opened.tasks.redo() == .unarchive)
        try opened.expectSound()
        try opened.expectPlanned()
    }

    @Test("A task is not unarchived into a bucket that is full since, and of several then none is [P-OP2, P-OP9]")
    func unarchiveIntoFullBucket() async throws {
        let opened = try TestTasks()
        let ids = try await opened.tasks.create([.planned("a", .morning, .must), .planned("b", .evening, .must)])
            .map(\.id)
        try await opened.tasks.setExpiry(ids, to: opened.clock.wall.advanced(bySeconds: 1))
        opened.clock.advance(byMicroseconds: 2_000_000)
        _ = try await opened.tasks.archiveExpired()
        try await opened.tasks.create([.planned("c", .evening, .must)])
        #expect(await taskError { try await opened.tasks.unarchive(ids) } == .bucketFull(.must))
        #expect(try opened.texts(.today) == ["c"])
        #expect(await taskError { try await opened.tasks.unarchive([uuid(99)]) }?.code == "no-such-task")
        #expect(try await opened.tasks.unarchive([ids[0]]).count == 1)
        try opened.expectPlanned()
    }

    @Test("An expired task is not carried, even before it is archived [P-OP9]")
    func expiredStays() async throws {
        let opened = try TestTasks()
        let id = try #require(try await opened.tasks.create([.planned("a", .morning, .must, autoCarry: true)]).first).id
        let now = opened.clock.wall
        try await opened.tasks.setExpiry([id], to: now.advanced(bySeconds: 1))
        opened.advance(to: opened.tomorrow, secondsIntoDay: 60)
        #expect(try await opened.tasks.rollOver().carried.isEmpty)
        #expect(try await opened.tasks.archiveExpired().map(\.scheduledDate) == [opened.today.advanced(by: -1)])
    }

    @Test("A large rollover is one change, and one commit [P-PF1]")
    func large() async throws {
        let opened = try TestTasks()
        let new = (0..<1000).map { number in
            NewTask.planned(
                "\(number)", TaskRegion.ordered[number % 4], number < 16 ? .misc : TaskBucket.none, autoCarry: true)
        }
        let created = try await opened.tasks.create(new)
        opened.advance(to: opened.tomorrow, secondsIntoDay: 60)
        let sequence = try opened.lastSequence()
        #expect(try await opened.tasks.rollOver().carried.map(\.id) == created.map(\.id))
        #expect(try opened.lastSequence() == sequence + 1)
        for try await change in opened.tasks.changes(after: sequence) {
            #expect(change.label == ChangeLabel(operation: "tasks.rollover", origin: .rollover))
            break
        }
        try opened.expectSound()
        try opened.expectPlanned()
    }
}

#if os(Linux) || os(macOS)
    extension RolloverTests {
        @Test("Two processes that roll over at once carry each task once [P-OP8, S-7]")
        func twoProcesses() async throws {
            let opened = try TestTasks()
            let start = opened.today
            let created = try await opened.tasks.create(
                (0..<300).map { .planned("\($0)", .morning, TaskBucket.none, autoCarry: true) })
            opened.advance(to: start.advanced(by: 3), secondsIntoDay: 3600)
            let path = opened.store.path
            let moment = opened.clock.wall.description
            let here = Task { try await opened.tasks.rollOver() }
            await #expect(processExitsWith: .success) { [path = path as String, moment = moment as String] in
                let context = Context(
                    clock: SettableClock(try Instant(moment)), random: SeededRandomSource(seed: 9),
                    zones: SettableZone(try Zone("Europe/Berlin")), weekStart: .monday)
                let store = try RecordStore(at: path, schema: TaskList.schema, context: context)
                try await TaskList(store: store).rollOver()
            }
            _ = try await here.value
            let tasks = try opened.tasks.today().tasks
            #expect(tasks.map(\.id) == created.map(\.id))
            #expect(tasks.allSatisfy { $0.carryCount == 1 && $0.carriedFromDay == start })
            try opened.expectSound()
            try opened.expectPlanned()
        }
    }
#endif
