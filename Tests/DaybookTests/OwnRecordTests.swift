import Daybook
import Foundation
import Testing

private struct Refused: Error, Equatable {}

@Suite struct OwnRecordTests {
    private let schema = Schema().adding(Reading.collection)

    private func reading(_ opened: TestDaybook) -> Reading {
        Reading(id: Foundation.UUID(), sensor: "roof", takenAt: opened.clock.wall, celsius: 1.5)
    }

    @Test("Own records and tasks are changed in one transaction and undone together [S-2]")
    func together() async throws {
        let opened = try TestDaybook(records: schema)
        let reading = reading(opened)
        await #expect(throws: Refused()) {
            try await opened.daybook.write { transaction in
                try transaction.put(reading)
                try transaction.tasks.create("x")
                throw Refused()
            }
        }
        #expect(try opened.daybook.read { try $0[Reading.self].count() } == 0)
        #expect(try opened.tasks.inbox().isEmpty)
        try await opened.daybook.write { transaction in
            try transaction.put(reading)
            try transaction.tasks.create("x")
        }
        #expect(try opened.daybook.read { try $0[Reading.self].get(reading.id) } == reading)
        try await opened.tasks.undo()
        #expect(try opened.daybook.read { try $0[Reading.self].count() } == 0)
        #expect(try opened.tasks.inbox().isEmpty)
        try await opened.tasks.redo()
        #expect(try opened.daybook.read { try $0[Reading.perDay].isEmpty() } == false)
        #expect(try opened.tasks.inbox().count == 1)
        #expect(try opened.daybook.verify().problems == [])
    }

    @Test("A program without a collection leaves its records unchanged")
    func unknownToOthers() async throws {
        let opened = try TestDaybook(records: schema)
        let reading = reading(opened)
        try await opened.daybook.write { try $0.put(reading) }
        opened.daybook.close()
        let plain = try TestDaybook(folder: opened.folder)
        try await plain.tasks.create("x")
        #expect(try plain.daybook.verify().problems == [])
        plain.daybook.close()
        let again = try TestDaybook(records: schema, folder: opened.folder)
        #expect(try again.daybook.read { try $0[Reading.byTime].range() } == [reading])
        #expect(try again.daybook.verify().problems == [])
    }

    @Test(
        "A completion and the deletion of a list are changes of their own names, with the records they concern [L-PR2]")
    func namedChanges() async throws {
        let opened = try TestDaybook()
        let list = try await opened.tasks.createList("Home")
        var new = NewTask("x")
        new.list = list.id
        let task = try await opened.tasks.create([new])[0]
        try await opened.tasks.complete(task.id)
        try await opened.tasks.deleteList(list.id)
        let feed = opened.daybook.changes(after: 2).makeAsyncIterator()
        let completion = try #require(try await feed.next())
        #expect(completion.label.operation == TaskOperation.changeState.rawValue)
        #expect(try completion.entries.map { try $0.id(as: Foundation.UUID.self) } == [task.id])
        let deletion = try #require(try await feed.next())
        #expect(deletion.label.operation == TaskOperation.deleteList.rawValue)
        let deleted = try deletion.entries.filter { $0.kind == .deleted }.map { try $0.id(as: Foundation.UUID.self) }
        #expect(Set(deleted) == [list.id, task.id])
        #expect(try opened.daybook.information().lastSequence == 4)
    }

    @Test("The change feed reports tasks and own records in one order [S-13]")
    func feed() async throws {
        let opened = try TestDaybook(records: schema)
        let reading = reading(opened)
        try await opened.tasks.create("x")
        try await opened.daybook.write { try $0.put(reading) }
        let changes = opened.daybook.changes(after: 0).makeAsyncIterator()
        #expect(try await changes.next()?.entries.map(\.collection) == ["tasks"])
        #expect(try await changes.next()?.entries.map(\.collection) == ["readings"])
    }
}
