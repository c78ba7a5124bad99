import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct ReminderTests {
    private func due(_ opened: TestTasks) throws -> [String] { try opened.tasks.dueReminders().map(\.text) }

    @Test("A reminder is due from its instant on, by the wall clock [S-24]")
    func due() async throws {
        let opened = try TestTasks(at: "2026-02-11T10:00:00Z")
        let made = try await opened.tasks.create(["later", "soon", "none"].map { NewTask($0) })
        let moment = opened.clock.wall.advanced(bySeconds: 60)
        try await opened.tasks.remind(made[0].id, at: moment.advanced(byMicroseconds: 1))
        try await opened.tasks.remind(made[1].id, at: moment)
        #expect(try due(opened) == [])
        opened.clock.advance(byMicroseconds: 59_999_999)
        #expect(try due(opened) == [])
        opened.clock.advance(byMicroseconds: 1)
        #expect(try due(opened) == ["soon"])
        opened.clock.advance(byMicroseconds: 1)
        #expect(try due(opened) == ["soon", "later"])
        // The clock steps backward: the reminders are in the future again.
        opened.clock.setWall(moment)
        #expect(try due(opened) == ["soon"])
        #expect(try opened.tasks.reminders(in: moment..<moment.advanced(byMicroseconds: 2)).count == 2)
        #expect(
            try opened.tasks.reminders(in: moment.advanced(byMicroseconds: 1)..<moment.advanced(bySeconds: 1)).count
                == 1)
        try opened.expectSound()
    }

    @Test(
        "A local time in a gap means the first instant after it, in an overlap the first of two",
        arguments: [
            ("2026-02-12", 9 * 3600, "2026-02-12T08:00:00Z"), ("2026-03-29", 2 * 3600 + 1800, "2026-03-29T01:00:00Z"),
            ("2026-10-25", 2 * 3600 + 1800, "2026-10-25T00:30:00Z"),
        ])
    func timeOfDay(day: String, seconds: Int, moment: String) async throws {
        let opened = try TestTasks(at: "2026-02-11T10:00:00Z", zone: "Europe/Berlin")
        let task = try await opened.tasks.create("x")
        let reminded = try await opened.tasks.remind(task.id, on: try Day(day), secondsIntoDay: seconds)
        #expect(reminded.reminderAt == (try Instant(moment)))
        // Travel does not change the instant.
        opened.zone.set(try Zone("Asia/Tokyo"))
        #expect(try opened.tasks.get(task.id) == reminded)
        let again = try await opened.tasks.remind(task.id, on: try Day("2026-02-12"), secondsIntoDay: 9 * 3600)
        #expect(again.reminderAt == (try Instant("2026-02-12T00:00:00Z")))
    }

    @Test("Only reminders of open tasks are due")
    func openOnly() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x", in: .today)
        try await opened.tasks.remind(task.id, at: opened.clock.wall)
        #expect(try due(opened) == ["x"])
        try await opened.tasks.start(task.id)
        #expect(try due(opened) == ["x"])
        try await opened.tasks.complete(task.id)
        #expect(try due(opened) == [])
        try await opened.tasks.reopen(task.id)
        #expect(try due(opened) == ["x"])
        let now = opened.clock.wall
        try await opened.tasks.edit(task.id) { $0.archivedAt = now }
        #expect(try due(opened) == [])
        try await opened.tasks.edit(task.id) { $0.archivedAt = nil }
        try await opened.tasks.remind(task.id, at: nil)
        #expect(try due(opened) == [])
        try await opened.tasks.remind(task.id, at: now)
        try await opened.tasks.delete(task.id)
        #expect(try due(opened) == [])
        try opened.expectSound()
    }

    @Test("A reminder can be undone and redone, and setting the same reminder changes nothing")
    func undo() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        let now = opened.clock.wall
        let reminded = try await opened.tasks.remind(task.id, at: now)
        #expect(reminded.updatedAt > task.updatedAt)
        let last = try opened.lastSequence()
        #expect(try await opened.tasks.remind(task.id, at: now) == reminded)
        #expect(try opened.lastSequence() == last)
        #expect(try await opened.tasks.undo() == .remind)
        #expect(try due(opened) == [])
        #expect(try await opened.tasks.redo() == .remind)
        #expect(try due(opened) == ["x"])
        await #expect(throws: TaskError.noSuchTask(id: uuid(7).lowercased)) {
            try await opened.tasks.remind(uuid(7), at: now)
        }
        try opened.expectSound()
    }

    @Test(
        "After random changes, due reminders agree with a scan of all tasks [L-FR3]",
        arguments: 1...3 as ClosedRange<UInt64>)
    func model(seed: UInt64) async throws {
        let opened = try TestTasks(seed: seed)
        var dice = Dice(seed)
        var ids: [UUID] = []
        for number in 0..<200 {
            let moment = opened.clock.wall.advanced(bySeconds: Int64(dice.below(2_000)) - 1_000)
            switch ids.isEmpty ? 0 : dice.below(10) {
            case 0, 1: ids.append(try await opened.tasks.create("\(number)").id)
            case 2, 3, 4: try await opened.tasks.remind(dice.pick(ids), at: dice.chance(80) ? moment : nil)
            case 5: try await opened.tasks.cycle(dice.pick(ids))
            case 6: try await opened.tasks.edit(dice.pick(ids)) { $0.archivedAt = $0.archivedAt == nil ? moment : nil }
            case 7: opened.clock.setWall(opened.clock.wall.advanced(bySeconds: Int64(dice.below(600)) - 300))
            case 8: _ = try? await opened.tasks.undo()
            default: _ = try? await opened.tasks.redo()
            }
            var expected: [TaskItem] = []
            ids = []
            try opened.tasks.read { reading in
                try reading.forEach { task, _ in
                    ids.append(task.id)
                    if task.reminderAt != nil, !task.isCompleted, task.archivedAt == nil { expected.append(task) }
                }
            }
            expected.sort { ($0.reminderAt!, $0.id.uuidString) < ($1.reminderAt!, $1.id.uuidString) }
            let now = opened.clock.wall
            #expect(try opened.tasks.dueReminders() == expected.filter { $0.reminderAt! <= now })
            let range = moment..<moment.advanced(bySeconds: 400)
            #expect(try opened.tasks.reminders(in: range) == expected.filter { range.contains($0.reminderAt!) })
        }
        try opened.expectSound()
    }

    @Test(
        "A store of the previous version is readable, and gets its reminders when it is opened for writing")
    func olderStore() async throws {
        let folder = TemporaryFolder(on: .memory)
        let clock = SettableClock(try Instant("2026-02-11T10:00:00Z"))
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 1), zones: SettableZone(.utc), weekStart: .monday)
        func open(_ schema: Schema, isReadOnly: Bool = false) throws -> TaskList {
            TaskList(
                store: try RecordStore(
                    at: "\(folder.path)/store", schema: schema, context: context,
                    options: StoreOptions(isReadOnly: isReadOnly)))
        }
        let older = Schema()
            .adding(
                RecordCollection<TaskItem>("tasks") {
                    TaskItem.byDay
                    TaskItem.byState
                    TaskItem.byCompletion
                    TaskItem.completions
                }
            )
            .adding(Tombstone.collection)
        var list = try open(older)
        let (now, today) = (clock.wall, context.today)
        var task = TaskItem(id: uuid(1), text: "x", createdAt: now)
        (task.scheduledDate, task.reminderAt) = (today, now)
        var done = TaskItem(id: uuid(2), text: "done", createdAt: now)
        (done.scheduledDate, done.state, done.completedAt, done.position) = (today, .completed, now, 1)
        let tasks = [task, done]
        try await list.store.write { transaction in for task in tasks { try transaction.put(task) } }
        list.store.close()

        list = try open(TaskList.schema, isReadOnly: true)
        #expect(try list.today().map(\.text) == ["x", "done"])
        #expect(try list.statistics().today == 1)
        #expect(try list.store.verify().problems == [])
        #expect(throws: TaskError.store(.engine(.tableMissing(name: "tasks.byReminder")))) { try list.dueReminders() }
        #expect(throws: TaskError.store(.engine(.tableMissing(name: "tasks.openPerList")))) { try list.lists() }
        #expect(throws: TaskError.store(.engine(.tableMissing(name: "settings")))) { try list.settings() }
        list.store.close()

        list = try open(TaskList.schema)
        #expect(try list.dueReminders().map(\.text) == ["x"])
        #expect(try list.store.verify().problems == [])
        list.store.close()

        // The older program continues with the store, and the newer one catches up.
        list = try open(older)
        try await list.store.write { transaction in
            var task = try #require(try transaction[TaskItem.self].get(uuid(1)))
            task.reminderAt = nil
            try transaction.put(task)
        }
        list.store.close()
        list = try open(TaskList.schema)
        #expect(try list.dueReminders() == [])
        #expect(try list.store.verify().problems == [])
        list.store.close()
    }
}
