import Daybook
import Foundation
import Testing

@Suite struct ListImportTests {
    /// A store with two lists, one of them empty, and what its export in a format is.
    private func exported(as format: TaskFormat) async throws -> (store: TestDaybook, home: CustomList, bytes: [UInt8])
    {
        let store = try TestDaybook()
        try await store.tasks.createList("Later", color: "34C759")
        let home = try await store.tasks.createList("Home", color: "FF6B6B")
        var rent = NewTask("Pay rent")
        (rent.list, rent.due) = (home.id, .day(try Day("2026-03-01")))
        try await store.tasks.create([rent, NewTask("Unlisted")])
        return (store, home, try store.export(as: format))
    }

    @Test(
        "JSON and NDJSON bring every list back, with color and order [L-DM4]", arguments: [TaskFormat.json, .ndjson],
        [true, false])
    func whole(format: TaskFormat, isIntoEmptyStore: Bool) async throws {
        let (first, home, bytes) = try await exported(as: format)
        let second = try TestDaybook(at: first.clock.wall.description, seed: 99)
        if !isIntoEmptyStore { try await second.tasks.create("other") }
        #expect(try await second.import(bytes, as: format).imported == 2)
        let lists = try second.tasks.lists().lists
        #expect(lists.map(\.list.name) == ["Later", "Home"])
        #expect(lists.map(\.list.color) == ["34C759", "FF6B6B"])
        #expect(lists.map(\.open) == [0, 1])
        #expect(lists.last?.list.id == home.id)
        #expect(try second.daybook.verify().problems == [])
        if isIntoEmptyStore { #expect(try second.export(as: format) == bytes) }
        let sequence = try second.daybook.information().lastSequence
        #expect(try await second.import(bytes, as: format).unchanged == 2)
        #expect(try second.daybook.information().lastSequence == sequence)
    }

    @Test(
        "Formats without lists bring back a task's list by name", arguments: [TaskFormat.ics, .taskwarrior, .csv],
        [true, false])
    func named(format: TaskFormat, isIntoEmptyStore: Bool) async throws {
        let (first, home, bytes) = try await exported(as: format)
        let second = try TestDaybook(at: first.clock.wall.description, seed: 99)
        if !isIntoEmptyStore { try await second.tasks.create("other") }
        #expect(try await second.import(bytes, as: format).imported == 2)
        let lists = try second.tasks.lists().lists
        #expect(lists.map(\.list.name) == ["Home"])
        #expect(lists.map(\.list.id) == [home.id])
        #expect(lists.map(\.open) == [1])
        #expect(try second.daybook.verify().problems == [])
    }

    @Test(
        "Tasks of a list come into the list of the same name, since no two lists share one",
        arguments: [TaskFormat.json, .ics])
    func sameName(format: TaskFormat) async throws {
        let (first, _, bytes) = try await exported(as: format)
        let second = try TestDaybook(at: first.clock.wall.description, seed: 99)
        let own = try await second.tasks.createList("Home")
        #expect(try await second.import(bytes, as: format).imported == 2)
        #expect(try second.tasks.tasks(inList: own.id).map(\.text) == ["Pay rent"])
        #expect(try second.tasks.lists().lists.count { $0.list.name == "Home" } == 1)
    }

    @Test(
        "A file can name a list and nothing else of it, and every import means the same list", arguments: [true, false])
    func nameOnly(isIntoEmptyStore: Bool) async throws {
        let store = try TestDaybook()
        if !isIntoEmptyStore { try await store.tasks.create("other") }
        let file = Array("text,listName\r\nPay rent,Home\r\nCook,Home\r\n".utf8)
        #expect(try await store.import(file, as: .csv).imported == 2)
        #expect(try await store.import(file, as: .csv).imported == 0)
        let lists = try store.tasks.lists().lists
        #expect(lists.map(\.list.name) == ["Home"])
        #expect(lists.map(\.open) == [2])
    }

    @Test(
        "Lines of text name the list of a task, and a line that names none leaves it where it is",
        arguments: [TaskFormat.todotxt, .markdown], [true, false])
    func lines(format: TaskFormat, isIntoEmptyStore: Bool) async throws {
        let (first, home, bytes) = try await exported(as: format)
        let second = try TestDaybook(at: first.clock.wall.description, seed: 99)
        if !isIntoEmptyStore { try await second.tasks.create("other") }
        #expect(try await second.import(bytes, as: format).imported == 2)
        #expect(try second.tasks.lists().lists.map(\.list.name) == ["Home"])
        #expect(try second.tasks.lists().lists.map(\.open) == [1])
        #expect(try await second.import(bytes, as: format).imported == 0)
        // As an earlier version or another program writes it.
        let file = String(decoding: bytes, as: UTF8.self)
        let bare = file.replacing(" list:Home", with: "").replacing(" [list:: Home]", with: "")
        #expect(bare != file)
        #expect(try await first.import(Array(bare.utf8), as: format).imported == 0)
        #expect(try first.tasks.tasks(inList: home.id).count == 1)
        // A person writes another name.
        let other = file.replacing("list:Home", with: "list:Work").replacing("[list:: Home]", with: "[list:: Work]")
        #expect(try await first.import(Array(other.utf8), as: format).imported == 1)
        #expect(try first.tasks.lists().lists.map(\.list.name) == ["Later", "Home", "Work"])
        #expect(try first.tasks.lists().lists.map(\.open) == [0, 0, 1])
        #expect(try first.daybook.verify().problems == [])
    }

    @Test("What is under 'lists' in another program's JSON and is no list is left out")
    func strangers() async throws {
        let store = try TestDaybook()
        let file = #"{"lists":[1,{"name":"No id"},"x"],"tasks":[{"text":"milk"}]}"#
        #expect(try await store.import(Array(file.utf8), as: .json).imported == 1)
        #expect(try store.tasks.lists().lists.isEmpty)
    }
}
