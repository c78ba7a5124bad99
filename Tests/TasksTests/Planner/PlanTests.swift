import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

/// The plan of a day, its texts and its defaults.
@Suite struct PlanTests {
    @Test("A new task has no region, no bucket and no planner attribute [P-DM1, X-3]")
    func defaults() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        #expect((task.region, task.bucket) == (.backlog, .none))
        #expect(task.scheduledDate == nil)
        #expect(!task.autoCarry && !task.isSticky && task.expiresAt == nil)
    }

    @Test("A task that is created with a region or a bucket gets today, unless it has a day [X-42, P-OP14]")
    func dayOfCreation() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create([
            .planned("a", .backlog, nil), .planned("b", nil, .misc), .planned("c", .morning, nil, on: opened.tomorrow),
        ])
        #expect(made.map(\.scheduledDate) == [opened.today, opened.today, opened.tomorrow])
        #expect(try opened.texts(.inbox).isEmpty)
    }

    @Test("The plan of a day has that day's tasks only [P-TS2, P-OP13]")
    func dayFilter() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([
            .planned("today", .morning, .must), .planned("tomorrow", .morning, .must, on: opened.tomorrow),
        ])
        #expect(try opened.tasks.plan(on: opened.today)[.morning, .must].map(\.text) == ["today"])
        #expect(try opened.tasks.plan(on: opened.tomorrow)[.morning, .must].map(\.text) == ["tomorrow"])
    }

    @Test("Two tasks of a day load with their plan [P-TS2]")
    func twoTasks() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([.planned("a", .morning, .misc), .planned("b", .evening, .misc)])
        let plan = try opened.tasks.plan(on: opened.today)
        #expect(plan.regions.map(\.open) == [1, 0, 1, 0])
        #expect(plan.regions.flatMap(\.buckets).flatMap(\.tasks).map(\.text) == ["a", "b"])
    }

    @Test("An error of the store surfaces from the planner [P-TS2]")
    func errorSurfaces() async throws {
        let opened = try TestTasks()
        opened.store.close()
        #expect(throws: TaskError.store(.engine(.closed))) { try opened.tasks.plan(on: opened.today) }
        await #expect(throws: TaskError.store(.engine(.closed))) { try await opened.tasks.rollOver() }
    }

    @Test("A region has sticky tasks first, then buckets by rank and not by name, then positions [P-OP5, X-5]")
    func order() async throws {
        let opened = try TestTasks()
        for bucket in [TaskBucket.none, .misc, .complementary, .must] {
            try await opened.tasks.create([.planned("\(bucket.name) 1", .morning, bucket)])
        }
        let last = try #require(try await opened.tasks.create([.planned("misc 2", .morning, .misc)]).first)
        let none = try #require(try await opened.tasks.create([.planned("none 2", .morning, TaskBucket.none)]).first)
        #expect(
            try opened.tasks.tasks(on: opened.today, in: .morning).map(\.text) == [
                "must 1", "complementary 1", "misc 1", "misc 2", "none 1", "none 2",
            ])
        try await opened.tasks.setSticky([last.id, none.id], to: true)
        #expect(
            try opened.tasks.tasks(on: opened.today, in: .morning).map(\.text) == [
                "misc 2", "none 2", "must 1", "complementary 1", "misc 1", "none 1",
            ])
        let plan = try opened.tasks.plan(on: opened.today)
        #expect(plan[.morning, .misc].map(\.text) == ["misc 2", "misc 1"])
        // It returns to its place.
        try await opened.tasks.setSticky([last.id], to: false)
        #expect(try opened.tasks.plan(on: opened.today)[.morning, .misc].map(\.text) == ["misc 1", "misc 2"])
    }

    @Test("A day's tasks without a place are in the backlog, in the order of the day, sticky ones first")
    func unplaced() async throws {
        let opened = try TestTasks()
        let ids = try await opened.tasks.create(["a", "b", "c"].map { NewTask($0, on: opened.today) }).map(\.id)
        try await opened.tasks.create([.planned("placed", .backlog, .misc)])
        try await opened.tasks.create("inbox")
        #expect(try opened.tasks.plan(on: opened.today)[.backlog, .none].map(\.text) == ["a", "b", "c"])
        try await opened.tasks.start(ids[1])
        try await opened.tasks.setSticky([ids[2]], to: true)
        #expect(try opened.tasks.plan(on: opened.today)[.backlog, .none].map(\.text) == ["c", "b", "a"])
        #expect(try opened.tasks.planCounts(on: opened.today).open(in: .backlog) == 4)
        let backlog = try opened.tasks.tasks(on: opened.today, in: .backlog)
        #expect(backlog.map(\.text) == ["c", "placed", "b", "a"])
        try await opened.tasks.complete(ids[0])
        #expect(try opened.tasks.planCounts(on: opened.today).used(in: .backlog, .none) == 2)
        try opened.expectPlanned()
    }

    @Test("Tasks move within their bucket, and those without a place within their day [P-OP7]")
    func reorder() async throws {
        let opened = try TestTasks()
        let ids = try await opened.tasks.create((0..<4).map { .planned("\($0)", .morning, .misc) }).map(\.id)
        let rest = try await opened.tasks.create((4..<7).map { NewTask("\($0)", on: opened.today) }).map(\.id)
        func texts(_ region: TaskRegion, _ bucket: TaskBucket) throws -> String {
            try opened.tasks.plan(on: opened.today)[region, bucket].map(\.text).joined()
        }
        try await opened.tasks.reorderInPlan(ids[3], to: .first)
        #expect(try texts(.morning, .misc) == "3012")
        try await opened.tasks.reorderInPlan(ids[3], to: .after(ids[1]))
        #expect(try texts(.morning, .misc) == "0132")
        try await opened.tasks.reorderInPlan(ids[0], to: .index(2))
        #expect(try texts(.morning, .misc) == "1302")
        // The order of the day is another one.
        #expect(try opened.texts(.today).joined() == "0123456")
        try await opened.tasks.reorderInPlan(rest[2], to: .index(0))
        #expect(try texts(.backlog, .none) == "645")
        #expect(try opened.texts(.today).joined() == "0123645")
        let error = await taskError { _ = try await opened.tasks.reorderInPlan(ids[0], to: .before(rest[0])) }
        #expect(error == .notInSameBucket)
        let missing = await taskError { _ = try await opened.tasks.reorderInPlan(ids[0], to: .before(uuid(99))) }
        #expect(missing == .noSuchTask(id: uuid(99).lowercased))
        try await opened.tasks.undo()
        #expect(try texts(.backlog, .none) == "456")
    }

    @Test("Tasks with equal positions, as files have them, can be moved to any place")
    func equalPositions() async throws {
        let opened = try TestTasks()
        for number in 1...4 {
            var task = TaskItem(id: uuid(number), text: "\(number)", createdAt: opened.clock.wall)
            (task.region, task.bucket, task.scheduledDate) = (.evening, .misc, opened.today)
            _ = try await opened.tasks.merge([ImportedTask(task)], [], continuing: nil)
        }
        try await opened.tasks.reorderInPlan(uuid(1), to: .after(uuid(3)))
        #expect(try opened.tasks.plan(on: opened.today)[.evening, .misc].map(\.text) == ["2", "3", "1", "4"])
        try opened.expectSound()
        try opened.expectPlanned()
    }

    @Test("Regions, buckets and states have their texts and their order [P-DM2, P-DM3, P-DM4]")
    func texts() {
        let texts = EnglishTaskTexts()
        #expect(TaskRegion.ordered.map { texts.heading(of: $0) } == ["Morning", "Afternoon", "Evening", "Backlog"])
        #expect(
            TaskBucket.ordered.map { texts.heading(of: $0) } == [
                "Must (1)", "Complementary (3)", "Misc (5)", "Unassigned",
            ])
        #expect(TaskBucket.ordered.map(\.cap) == [1, 3, 5, nil])
        #expect([.notStarted, .active, .completed].map { texts.name(of: $0) } == ["To Do", "Doing", "Done"])
        for rank in 0..<4 as Range<UInt8> {
            #expect(TaskRegion(rank: rank).rank == rank && TaskBucket(rank: rank).rank == rank)
        }
        #expect(TaskRegion(name: "Morning") == nil && TaskBucket(name: "most") == nil)
    }

    @Test("A task is overdue from the day after its own, by the zone, until it is completed [P-DM5]")
    func overdue() async throws {
        let opened = try TestTasks(at: "2026-02-11T22:59:59Z")
        let task = try await opened.tasks.create("x", on: opened.today)
        #expect(!task.isOverdue(on: opened.today))
        opened.clock.advance(byMicroseconds: 1_000_000)
        #expect(task.isOverdue(on: opened.today))
        opened.zone.set(try Zone("America/New_York"))
        #expect(!task.isOverdue(on: opened.today))
        opened.zone.set(try Zone("Asia/Tokyo"))
        #expect(try await !opened.tasks.complete(task.id).isOverdue(on: opened.today))
        #expect(try await !opened.tasks.create("inbox").isOverdue(on: opened.today))
    }

    @Test("A live plan follows every change, and today's plan the day [S-13, S-24]")
    func live() async throws {
        let opened = try TestTasks()
        var plans = opened.tasks.plans().makeAsyncIterator()
        #expect(try await plans.next()?.value.regions.map(\.open) == [0, 0, 0, 0])
        try await opened.tasks.create([.planned("a", .morning, .must)])
        #expect(try await plans.next()?.value[.morning, .must].map(\.text) == ["a"])
        opened.advance(to: opened.tomorrow)
        let plan = try #require(try await plans.next()?.value)
        #expect(plan.day == opened.today && plan[.morning, .must].isEmpty)
    }

    @Test("A notice undoes a placement for 3 seconds [X-20]")
    func notice() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        try await opened.tasks.place(task.id, region: .evening, bucket: .misc)
        let notice = try #require(opened.tasks.undoNotice)
        #expect(notice.text == "Moved to Evening")
        try await opened.tasks.undo(notice)
        #expect(try opened.texts(.inbox) == ["x"])
        #expect(try opened.tasks.get(task.id)?.region == .backlog)
        try opened.expectSound()
    }

    @Test("The planner's attributes are set for several tasks at once and undone as one")
    func attributes() async throws {
        let opened = try TestTasks()
        let ids = try await opened.tasks.create(["a", "b"].map { NewTask($0) }).map(\.id)
        let now = opened.clock.wall
        #expect(try await opened.tasks.setSticky(ids, to: true).allSatisfy(\.isSticky))
        #expect(try await opened.tasks.setAutoCarry(ids, to: true).allSatisfy(\.autoCarry))
        #expect(try await opened.tasks.setExpiry(ids, to: now).allSatisfy { $0.expiresAt == now })
        #expect(try await opened.tasks.place(ids, region: .evening).map(\.region) == [.evening, .evening])
        let sequence = try opened.lastSequence()
        try await opened.tasks.setSticky(ids, to: true)
        #expect(try opened.lastSequence() == sequence)
        var undone: [TaskOperation] = []
        for _ in 0..<4 { undone.append(try await opened.tasks.undo()) }
        #expect(undone == [.place, .setExpiry, .setAutoCarry, .setSticky])
        #expect(try opened.all().allSatisfy { !$0.isSticky && !$0.autoCarry && $0.expiresAt == nil })
    }
}
