import Daybook
import Foundation
import KeyValue
import Testing

/// The effects of a damaged task on other operations through the public interface (promise 4).
@Suite struct DamageTests {
    /// Flips a bit in a stored value, below all layers.
    private func flip(_ table: String, key: [UInt8], byte: Int, in opened: TestDaybook) async throws {
        let environment = try Environment.open(at: opened.path)
        let table = try #require(try environment.openPresentTables([table]).first)
        var value = try #require(try environment.read { try $0.get(key.span.bytes, in: table) { $0.copied } })
        value[byte] ^= 0x10
        let damaged = value
        try await environment.write { try $0.put(key.span.bytes, damaged.span.bytes, in: table) }
    }

    private func bytes(_ id: Foundation.UUID) -> [UInt8] { withUnsafeBytes(of: id.uuid) { Array($0) } }

    /// Returns a store of 9 tasks in all views, of which the fourth is damaged, with the id of that task and an earlier
    /// export.
    private func damagedStore() async throws -> (TestDaybook, damaged: TaskItem, backup: [UInt8]) {
        let opened = try TestDaybook()
        for number in 0..<9 {
            let task = try await opened.tasks.create("\(number)", in: [.inbox, .today, .upcoming][number % 3])
            if number % 2 == 1 { try await opened.tasks.complete(task.id) }
        }
        let damaged = try #require(try opened.tasks.inbox().first { $0.text == "3" })
        let backup = try opened.export(as: .ndjson)
        try await flip("tasks", key: bytes(damaged.id), byte: 9, in: opened)
        return (opened, damaged, backup)
    }

    @Test("Before a rebuild a damaged task fails only the operations that need it [S-10]")
    func before() async throws {
        let (opened, damaged, backup) = try await damagedStore()
        let key = damaged.id.uuidString.replacing("-", with: "").lowercased()
        let error = TaskError.store(.damagedRecord(collection: "tasks", key: key))
        #expect("\(error)".contains("Rebuild the store"))
        #expect(throws: error) { try opened.tasks.inbox() }
        #expect(throws: error) { try opened.export(as: .json) }
        await #expect(throws: error) { try await opened.tasks.delete(damaged.id) }
        await #expect(throws: error) { try await opened.tasks.purge(damaged.id) }
        await #expect(throws: (any Error).self) { try await opened.import(backup, as: .ndjson) }
        #expect(try opened.tasks.today().tasks.count == 3)
        #expect(try opened.tasks.statistics().today == 4)
        #expect(try opened.daybook.verify().problems.contains("record \(key) of tasks: damaged"))
    }

    @Test("An error of the store keeps its name in a transaction, and the task list names it `TaskError.store` [S-40]")
    func names() async throws {
        let opened = try TestDaybook()
        let (store, tasks) = (opened.daybook, opened.tasks)
        let id = try await tasks.create("x", in: .today).id
        try await flip("tasks", key: bytes(id), byte: 9, in: opened)
        let key = id.uuidString.replacing("-", with: "").lowercased()
        let error = RecordsError.damagedRecord(collection: "tasks", key: key)

        #expect(throws: error) { try store.read { try $0.tasks.today() } }
        #expect(throws: TaskError.store(error)) { try tasks.today() }
        #expect(throws: TaskError.store(error)) { try tasks.read { try $0.today() } }
        await #expect(throws: error) { try await store.write { try $0.tasks.setState(id, to: .active) } }
        #expect(throws: error) { try store.write { try $0.tasks.setState(id, to: .active) } }
        await #expect(throws: TaskError.store(error)) { try await tasks.start(id) }
        await #expect(throws: TaskError.store(error)) { try await tasks.write { try $0.setState(id, to: .active) } }
        await #expect(throws: error) { try await tasks.changes(in: .today).first { _ in true } }
        // A closure can catch it and continue.
        let count = try store.read { transaction in
            #expect(throws: error) { try transaction.tasks.today() }
            return try transaction.tasks.count()
        }
        #expect(count == 1)
        // What a rule on tasks forbids has the same name everywhere.
        await #expect(throws: TaskError.emptyText) { try await store.write { try $0.tasks.create(" ") } }
        await #expect(throws: TaskError.emptyText) { try await tasks.write { try $0.create(" ") } }
        await #expect(throws: TaskError.emptyText) { try await tasks.create(" ") }

        store.close()
        #expect(throws: RecordsError.engine(.closed)) { try store.read { try $0.tasks.today() } }
        #expect(throws: TaskError.store(.engine(.closed))) { try tasks.today() }
        #expect(throws: TaskError.store(.engine(.closed))) { try tasks.read { try $0.today() } }
    }

    @Test("After a rebuild other tasks are unaffected, and an import restores the damaged one [S-10]")
    func afterwards() async throws {
        let (opened, damaged, backup) = try await damagedStore()
        let report = try await opened.daybook.rebuild()
        let key = damaged.id.uuidString.replacing("-", with: "").lowercased()
        #expect(report.quarantinedRecords == ["tasks \(key)"])
        #expect(try opened.daybook.verify().problems == [])
        #expect(try opened.daybook.information().quarantined == 1)
        #expect(try opened.tasks.get(damaged.id) == nil)
        #expect(try opened.tasks.inbox().map(\.text) == ["0", "6"])
        #expect(try opened.tasks.statistics().today == 3)
        _ = try opened.export(as: .json)

        let imported = try await opened.import(backup, as: .ndjson)
        #expect(imported.imported == 1)
        #expect(imported.unchanged == 8)
        #expect(try opened.tasks.get(damaged.id)?.text == "3")
        #expect(try opened.tasks.statistics().today == 4)
        #expect(try opened.daybook.verify().problems == [])
        #expect(try await opened.daybook.rebuild().isComplete)
        #expect(try opened.daybook.information().quarantined == 0)
    }

    @Test("Undo works after a rebuild, back to the first change")
    func undo() async throws {
        let (opened, _, _) = try await damagedStore()
        _ = try await opened.daybook.rebuild()
        var steps = 0
        while (try? await opened.tasks.undo()) != nil { steps += 1 }
        // 9 creations and 4 completions. Undoing the creation of the lost task either changes nothing, or restores the
        // task as it was before its completion.
        #expect(steps == 13)
        #expect(try opened.export(as: .ndjson).split(separator: UInt8(ascii: "\n")).count == 1)
        #expect(try opened.daybook.verify().problems == [])
    }

    @Test("Purging a quarantined record removes its last trace, and fails without one")
    func purge() async throws {
        let (opened, damaged, _) = try await damagedStore()
        _ = try await opened.daybook.rebuild()
        try await opened.tasks.purge(damaged.id)
        #expect(try opened.daybook.information().quarantined == 0)
        #expect(try opened.daybook.verify().problems == [])
        await #expect(throws: TaskError.noSuchTask(id: damaged.id.uuidString.lowercased())) {
            try await opened.tasks.purge(damaged.id)
        }
    }

    @Test("An export fails if the index lacks a task")
    func incompleteExport() async throws {
        let opened = try TestDaybook()
        for number in 0..<3 { try await opened.tasks.create("\(number)") }
        let environment = try Environment.open(at: opened.path)
        let table = try #require(try environment.openPresentTables(["tasks.byDay"]).first)
        let key = try environment.read { engine in
            try engine.withCursor(over: table) { cursor in
                _ = try cursor.moveToFirst()
                return try cursor.key()
            }
        }
        try await environment.write { _ = try $0.delete(key.span.bytes, in: table) }
        #expect(throws: TaskError.self) { try opened.export(as: .json) }
        #expect(try await opened.daybook.rebuild().isComplete)
        _ = try opened.export(as: .json)
    }

    @Test("Verify reports a damaged index entry and continues")
    func damagedIndexEntry() async throws {
        let opened = try TestDaybook()
        let task = try await opened.tasks.create("x")
        let other = try await opened.tasks.create("y")
        let environment = try Environment.open(at: opened.path)
        let table = try #require(try environment.openPresentTables(["tasks.byDay"]).first)
        let key = try environment.read { engine in
            try engine.withCursor(over: table) { cursor in
                _ = try cursor.moveToFirst()
                return try cursor.key()
            }
        }
        try await flip("tasks.byDay", key: key, byte: 0, in: opened)
        try await flip("tasks", key: bytes(other.id), byte: 9, in: opened)
        let problems = try opened.daybook.verify().problems
        #expect(problems.contains { $0.contains("tasks.byDay: damaged") })
        #expect(problems.contains { $0.hasPrefix("record") })
        _ = task
    }
}
