import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

/// The caps of buckets, on every path that can raise a count.
@Suite struct BucketTests {
    static let regions = TaskRegion.ordered
    static let capped: [(TaskBucket, Int)] = [(.must, 1), (.complementary, 3), (.misc, 5)]

    private func opened(filling bucket: TaskBucket = .must, of region: TaskRegion = .morning) async throws -> (
        opened: TestTasks, full: TaskItem
    ) {
        let opened = try TestTasks()
        var last: TaskItem?
        for number in 0..<(bucket.cap ?? 0) {
            last = try await opened.tasks.create([.planned("full \(number)", region, bucket)]).first
        }
        return (opened, try #require(last))
    }

    /// An operation is refused because of a full bucket, and leaves everything as it was.
    private func expectFull(
        _ opened: TestTasks, _ bucket: TaskBucket = .must, sourceLocation: SourceLocation = #_sourceLocation,
        _ work: () async throws -> Void
    ) async throws {
        let before = try opened.dump()
        let sequence = try opened.lastSequence()
        let error = await taskError { try await work() }
        #expect(error == .bucketFull(bucket), sourceLocation: sourceLocation)
        #expect(try opened.dump() == before, sourceLocation: sourceLocation)
        #expect(try opened.lastSequence() == sequence, sourceLocation: sourceLocation)
        try opened.expectSound(sourceLocation: sourceLocation)
    }

    @Test("Each bucket of each region takes 1, 3 and 5 tasks, and none takes any number [P-OP2]", arguments: regions)
    func caps(region: TaskRegion) async throws {
        let opened = try TestTasks()
        for (bucket, cap) in Self.capped {
            for number in 0..<cap { try await opened.tasks.create([.planned("\(number)", region, bucket)]) }
            try await expectFull(opened, bucket) { try await opened.tasks.create([.planned("x", region, bucket)]) }
            #expect(try opened.tasks.planCounts(on: opened.today).used(in: region, bucket) == cap)
        }
        for number in 0..<12 { try await opened.tasks.create([.planned("\(number)", region, TaskBucket.none)]) }
        #expect(try opened.tasks.planCounts(on: opened.today).open(in: region) == 21)
    }

    @Test("A second `must` in the same region and day is refused with its text [P-OP1, P-TS2]")
    func oneMust() async throws {
        let (opened, _) = try await opened()
        let error = await taskError { try await opened.tasks.create([.planned("second", .morning, .must)]) }
        #expect(error == .bucketFull(.must))
        #expect(error?.code == "bucket-full")
        #expect(error?.description.hasPrefix("Cannot add more tasks to Must (1)") == true)
        // Other regions and other days have room of their own.
        try await opened.tasks.create([.planned("evening", .evening, .must)])
        try await opened.tasks.create([.planned("tomorrow", .morning, .must, on: opened.tomorrow)])
        try opened.expectSound()
    }

    @Test("Creating several tasks of one bucket in one transaction counts each of them")
    func severalAtOnce() async throws {
        let opened = try TestTasks()
        try await expectFull(opened) {
            try await opened.tasks.create([.planned("a", .morning, .must), .planned("b", .morning, .must)])
        }
        let ids = try await opened.tasks.create([NewTask("a"), NewTask("b")]).map(\.id)
        try await expectFull(opened) { try await opened.tasks.place(ids, region: .morning, bucket: .must) }
    }

    @Test("Placing a task into a full bucket, or a full region, is refused [P-OP6, X-9]")
    func place() async throws {
        let (opened, _) = try await opened()
        let other = try #require(try await opened.tasks.create([.planned("x", .evening, .must)]).first)
        let inbox = try await opened.tasks.create("inbox")
        try await expectFull(opened) { _ = try await opened.tasks.place(other.id, region: .morning) }
        try await expectFull(opened) { _ = try await opened.tasks.place(inbox.id, region: .morning, bucket: .must) }
        #expect(try opened.tasks.get(inbox.id)?.scheduledDate == nil)
    }

    @Test("A change of region or bucket through `edit` is refused in a full bucket [X-9]")
    func edit() async throws {
        let (opened, _) = try await opened()
        let other = try #require(try await opened.tasks.create([.planned("x", .evening, .must)]).first)
        let misc = try #require(try await opened.tasks.create([.planned("y", .morning, .misc)]).first)
        try await expectFull(opened) { try await opened.tasks.edit(other.id) { $0.region = .morning } }
        try await expectFull(opened) { try await opened.tasks.edit(misc.id) { $0.bucket = .must } }
    }

    @Test("A task that comes to another day needs room there: by schedule, and by carry [X-9]")
    func otherDay() async throws {
        let (opened, _) = try await opened()
        let other = try #require(
            try await opened.tasks.create([.planned("x", .morning, .must, on: opened.tomorrow)]).first)
        try await expectFull(opened) { try await opened.tasks.schedule(other.id, on: .today) }
        opened.advance(to: opened.tomorrow, secondsIntoDay: 3600)
        // Today has the second one; the first one is of yesterday.
        try await expectFull(opened) { try await opened.tasks.carryAll(to: .today) }
        try await opened.tasks.carryAll(to: .tomorrow)
        try opened.expectSound()
    }

    @Test("Completing a task frees its place, and reopening it needs one [P-OP2]")
    func reopen() async throws {
        let (opened, full) = try await opened()
        try await opened.tasks.complete(full.id)
        try await opened.tasks.create([.planned("next", .morning, .must)])
        try await expectFull(opened) { try await opened.tasks.reopen(full.id) }
        try await expectFull(opened) { try await opened.tasks.start(full.id) }
        try await expectFull(opened) { try await opened.tasks.cycle(full.id) }
    }

    @Test("A task that leaves the archive needs room; an archived one uses none [X-9]")
    func archive() async throws {
        let (opened, full) = try await opened()
        let now = opened.clock.wall
        try await opened.tasks.edit(full.id) { $0.archivedAt = now }
        try await opened.tasks.create([.planned("next", .morning, .must)])
        try await expectFull(opened) { try await opened.tasks.edit(full.id) { $0.archivedAt = nil } }
        // Without its bucket it can leave.
        try await opened.tasks.edit(full.id) { ($0.archivedAt, $0.bucket) = (nil, .none) }
        try opened.expectSound()
    }

    @Test("A deleted task uses no room, and a task in a full bucket can change [X-31]")
    func itself() async throws {
        let (opened, full) = try await opened()
        try await opened.tasks.edit(full.id) { $0.text = "renamed" }
        try await opened.tasks.start(full.id)
        try await opened.tasks.setSticky([full.id], to: true)
        #expect(try await opened.tasks.place(full.id, region: .morning, bucket: .must).planOrder == full.planOrder)
        try await opened.tasks.place(full.id, region: .evening)
        try await opened.tasks.place(full.id, region: .morning)
        try await opened.tasks.delete(full.id)
        try await opened.tasks.create([.planned("next", .morning, .must)])
        try opened.expectSound()
    }

    @Test("In one transaction tasks can exchange their buckets")
    func exchange() async throws {
        let (opened, full) = try await opened()
        let other = try #require(try await opened.tasks.create([.planned("x", .evening, .must)]).first)
        try await opened.tasks.write { transaction in
            try transaction.place(full.id, bucket: TaskBucket.none)
            try transaction.place(other.id, region: .morning)
            try transaction.place(full.id, region: .evening, bucket: .must)
        }
        let plan = try opened.tasks.plan(on: opened.today)
        #expect(plan[.morning, .must].map(\.id) == [other.id])
        #expect(plan[.evening, .must].map(\.id) == [full.id])
        try opened.expectSound()
    }

    @Test(
        "Undo is refused where a rollover has filled the bucket since, says why, and works after there is room [P-OP2]")
    func undo() async throws {
        let opened = try TestTasks()
        let carried = try #require(
            try await opened.tasks.create([.planned("carried", .morning, .must, autoCarry: true)]).first)
        opened.advance(to: opened.tomorrow, secondsIntoDay: 3600)
        let mine = try #require(try await opened.tasks.create([.planned("mine", .morning, .must)]).first)
        try await opened.tasks.place(mine.id, bucket: .misc)
        let notice = try #require(opened.tasks.undoNotice)
        #expect(try await opened.tasks.rollOver().carried.map(\.id) == [carried.id])
        try await expectFull(opened) { try await opened.tasks.undo() }
        try await expectFull(opened) { try await opened.tasks.undo(notice) }
        #expect(try opened.tasks.plan(on: opened.today)[.morning, .must].map(\.id) == [carried.id])
        try await opened.tasks.complete(carried.id)
        // The completion is undone first.
        #expect(try await opened.tasks.undo() == .changeState)
        try await expectFull(opened) { try await opened.tasks.undo() }
        try await opened.tasks.delete(carried.id)
        #expect(try await opened.tasks.undo() == .delete)
    }

    @Test("Redo is refused where a rollover has filled the bucket since [P-OP2]")
    func redo() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([.planned("carried", .morning, .must, autoCarry: true)])
        opened.advance(to: opened.tomorrow, secondsIntoDay: 3600)
        let mine = try #require(try await opened.tasks.create([.planned("mine", .morning, .misc)]).first)
        try await opened.tasks.place(mine.id, bucket: .must)
        try await opened.tasks.undo()
        let rollover = try await opened.tasks.rollOver()
        #expect(rollover.carried.count == 1 && rollover.unassigned.isEmpty)
        try await expectFull(opened) { try await opened.tasks.redo() }
        #expect(try opened.tasks.get(mine.id)?.bucket == .misc)
    }

    @Test("An undone move returns to its place in a bucket, even if a rollover has taken the position since")
    func positionsAfterUndo() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([.planned("carried", .morning, TaskBucket.none, autoCarry: true)])
        opened.advance(to: opened.tomorrow, secondsIntoDay: 3600)
        let ids = try await opened.tasks.create([
            .planned("a", .morning, TaskBucket.none), .planned("b", .morning, TaskBucket.none),
        ]).map(\.id)
        try await opened.tasks.schedule(ids[1], on: .tomorrow)
        try await opened.tasks.rollOver()
        try await opened.tasks.undo()
        #expect(try opened.tasks.plan(on: opened.today)[.morning, .none].map(\.text) == ["a", "b", "carried"])
        #expect(try opened.tasks.tasks(on: opened.today, in: .morning).map(\.text) == ["a", "b", "carried"])
        try opened.expectSound()
        try opened.expectPlanned()
    }

    @Test("A session refuses a task for a full bucket at once, also where the first is not durable yet")
    func session() async throws {
        let opened = try TestTasks()
        let session = TaskList(session: opened.store.session(), of: opened.store)
        let held = Held()
        let blocked = Task {
            try await opened.tasks.write(.create) { transaction in
                held.wait()
                _ = transaction
            }
        }
        // Otherwise the first task could be durable before the writer is held.
        while !held.hasWaited { await Task.yield() }
        let first = Task { try await session.create([.planned("first", .morning, .must)]) }
        while try session.plan(on: opened.today)[.morning, .must].isEmpty { await Task.yield() }
        #expect(try session.planCounts(on: opened.today).used(in: .morning, .must) == 1)
        #expect(try opened.tasks.planCounts(on: opened.today).used(in: .morning, .must) == 0)
        let error = await taskError { try await session.create([.planned("second", .morning, .must)]) }
        #expect(error == .bucketFull(.must))
        held.release()
        _ = try await (blocked.value, first.value)
        #expect(try opened.tasks.plan(on: opened.today)[.morning, .must].map(\.text) == ["first"])
        try opened.expectSound()
    }

    @Test("Imports may overfill a bucket; tasks of it can change, but none can come [P-OP2]")
    func imports() async throws {
        let (opened, full) = try await opened()
        var second = TaskItem(id: uuid(7), text: "imported", createdAt: opened.clock.wall)
        (second.region, second.bucket, second.scheduledDate) = (.morning, .must, opened.today)
        second.planOrder = .max
        let imported = ImportedTask(second)
        _ = try await opened.tasks.merge([imported], [], continuing: nil)
        #expect(try opened.tasks.planCounts(on: opened.today).used(in: .morning, .must) == 2)
        try await opened.tasks.setSticky([second.id], to: true)
        try await opened.tasks.edit(full.id) { $0.text = "changed" }
        try await expectFull(opened) { try await opened.tasks.create([.planned("x", .morning, .must)]) }
        // What is at the end of the numbers leaves room for others.
        try await opened.tasks.edit(second.id) { $0.bucket = .none }
        for number in 0..<3 { try await opened.tasks.create([.planned("\(number)", .morning, TaskBucket.none)]) }
        let texts = try opened.tasks.plan(on: opened.today)[.morning, .none].map(\.text)
        #expect(texts == ["imported", "0", "1", "2"])
        try opened.expectSound()
        try opened.expectPlanned(allowingOverflow: true)
        // Undo is one of the paths on which nothing can come; only that of the import itself overfills once more.
        for _ in 0..<3 { try await opened.tasks.undo() }
        try await expectFull(opened) { try await opened.tasks.undo() }
    }

    @Test("An import that has overfilled a bucket is undone and redone as it was [P-OP2]")
    func importAgain() async throws {
        let (opened, _) = try await opened()
        var second = TaskItem(id: uuid(7), text: "imported", createdAt: opened.clock.wall)
        (second.region, second.bucket, second.scheduledDate) = (.morning, .must, opened.today)
        _ = try await opened.tasks.merge([ImportedTask(second)], [], continuing: nil)
        for count in [1, 2] {
            _ = try await count == 1 ? opened.tasks.undo() : opened.tasks.redo()
            #expect(try opened.tasks.planCounts(on: opened.today).used(in: .morning, .must) == count)
        }
        try opened.expectSound()
    }

    @Test("A region or a bucket that only a newer version defines is kept, shown last, and not changed [S-58]")
    func unknown() async throws {
        let opened = try TestTasks()
        var task = TaskItem(id: uuid(7), text: "newer", createdAt: opened.clock.wall)
        (task.region, task.bucket, task.scheduledDate) = (.unknown(9), .unknown(8), opened.today)
        let stored = task
        try await opened.store.write { try $0.put(stored) }
        #expect(try opened.tasks.plan(on: opened.today)[.backlog, .none].map(\.text) == ["newer"])
        let error = await taskError { _ = try await opened.tasks.place(task.id, region: .morning) }
        #expect(error == .unknownValue(field: "region"))
        let created = await taskError { try await opened.tasks.create([.planned("x", .unknown(9), .must)]) }
        #expect(created == .unknownValue(field: "region"))
        try opened.expectSound()
    }
}
