import Daybook
import Foundation
import Testing

@Suite struct StoreTests {
    @Test("Two stores in one process are independent [C-S1.3, L-PR8]")
    func twoStores() async throws {
        let first = try TestDaybook()
        let second = try TestDaybook()
        try await first.tasks.create("first")
        try await second.tasks.create("second")
        #expect(try first.tasks.inbox().map(\.text) == ["first"])
        #expect(try second.tasks.inbox().map(\.text) == ["second"])
    }

    @Test("A folder that is opened twice in a process is one store [S-14, X-41]")
    func sameFolder() async throws {
        let first = try TestDaybook()
        let second = try TestDaybook(seed: 5, folder: first.folder)
        try await first.tasks.create("first")
        try await second.tasks.create("second")
        #expect(try first.tasks.inbox().map(\.text) == ["first", "second"])
        #expect(try second.tasks.inbox().map(\.text) == ["first", "second"])
    }

    @Test("A read-only store reads everything, writes nothing and refuses changes [D13, C-S6.1]")
    func readOnly() async throws {
        let opened = try TestDaybook()
        let task = try await opened.tasks.create("x", in: .today)
        opened.daybook.close()
        let before = opened.folder.contents
        let reader = try TestDaybook(folder: opened.folder, options: StoreOptions(isReadOnly: true))
        #expect(try reader.tasks.today().map(\.text) == ["x"])
        #expect(try reader.tasks.statistics().today == 0)
        #expect(try reader.daybook.verify().isClean)
        _ = try reader.daybook.information()
        _ = try reader.export(as: .ndjson)
        let error = TaskError.store(.engine(.readOnly))
        await #expect(throws: error) { try await reader.tasks.create("y") }
        await #expect(throws: error) { try await reader.tasks.delete(task.id) }
        await #expect(throws: error) { try await reader.tasks.undo() }
        #expect(opened.folder.contents == before)
    }

    @Test("Each table of a new store is one that Format.md describes [S-1]")
    func tables() throws {
        let opened = try TestDaybook()
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let format = try String(contentsOf: root.appending(path: "Documentation/Format.md"), encoding: .utf8)
        let names = try opened.daybook.information().tables.map(\.name)
        #expect(
            Set(names).isSuperset(of: ["tasks", "tasks.byDay", "completions.counts", "threads", "entries", "drafts"]))
        let rows = format.split(separator: "\n").filter { $0.hasPrefix("| `") }
        for name in names {
            #expect(rows.contains { $0.split(separator: "|")[0].contains("`\(name)`") }, "\(name)")
        }
    }

    @Test(
        "Of two writers at once each keeps what the other changed of the same task; of one field the later wins [X-44]")
    func touchedFields() async throws {
        let opened = try TestDaybook()
        let (tasks, id) = (opened.tasks, try await opened.tasks.create("x").id)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { try await tasks.edit(id) { $0.notes = "\(number)" } }
                group.addTask { try await tasks.edit(id) { $0.category = "\(number)" } }
            }
            try await group.waitForAll()
        }
        let between = try #require(try tasks.get(id))
        #expect(between.notes != nil && between.category != nil)
        try await tasks.edit(id) { $0.notes = "last" }
        let after = try #require(try tasks.get(id))
        #expect((after.notes, after.category, after.text) == ("last", between.category, "x"))
    }

    @Test("64 tasks that are created concurrently exist in the order of their changes [S-14, C-FR35]")
    func concurrentCreates() async throws {
        let opened = try TestDaybook()
        let made = try await withThrowingTaskGroup(of: TaskItem.self) { group in
            for number in 0..<64 { group.addTask { try await opened.tasks.create("\(number)") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(made.map(\.text)).count == 64)
        var inOrder: [Foundation.UUID] = []
        let changes = opened.daybook.changes(after: 0).makeAsyncIterator()
        for _ in 0..<64 {
            let change = try #require(try await changes.next())
            inOrder.append(try #require(try change.entries.first?.id(as: Foundation.UUID.self)))
        }
        // Ids ascend, places are consecutive, and the feed reports the same order.
        #expect(try opened.tasks.inbox().map(\.id) == inOrder)
        #expect(inOrder == inOrder.sorted { $0.uuidString < $1.uuidString })
        #expect(try opened.daybook.verify().problems == [])
    }

    @Test("The store's folder and files are accessible to their owner only [S-45, C-NFR32, J-SE2, J-SE5]")
    func permissions() async throws {
        let opened = try TestDaybook()
        try await opened.tasks.create("x")
        func mode(_ path: String) throws -> Int {
            try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        }
        #expect(try mode(opened.path) == 0o700)
        for name in ["data.mdb", "lock.mdb", "store.json"] { #expect(try mode("\(opened.path)/\(name)") == 0o600) }
    }

    @Test("The same seed and clock give an identical store [S-34]")
    func deterministic() async throws {
        var exports: [[UInt8]] = []
        for _ in 0..<2 {
            let opened = try TestDaybook(seed: 42)
            for number in 0..<20 {
                let task = try await opened.tasks.create("\(number)")
                if number % 3 == 0 { try await opened.tasks.complete(task.id) }
                opened.clock.advance(byMicroseconds: 12_345)
            }
            exports.append(try opened.export(as: .ndjson))
        }
        #expect(exports[0] == exports[1])
    }

    @Test("The store's information has sizes, counts and versions [C-S1.2, L-DM7]")
    func information() async throws {
        let opened = try TestDaybook()
        for number in 0..<5 { try await opened.tasks.create("\(number)") }
        let information = try opened.daybook.information()
        let hasLog = FileManager.default.fileExists(atPath: "\(opened.daybook.path)/commits")
        #expect(information.formatVersion == (hasLog ? 2 : 1))
        #expect(information.schemaVersion == 1)
        #expect(information.lastSequence == 5)
        #expect(information.firstSequence == 1)
        #expect(information.tables.first { $0.name == "tasks" }?.entries == 5)
        #expect(information.createdAt == "2026-02-11T10:00:00Z")
    }

    @Test("A rebuild of an undamaged store changes nothing visible")
    func rebuild() async throws {
        let opened = try TestDaybook()
        for number in 0..<50 {
            let task = try await opened.tasks.create("\(number)", in: [.inbox, .today, .upcoming][number % 3])
            if number % 4 == 0 { try await opened.tasks.complete(task.id) }
            if number % 8 == 0 { try await opened.tasks.delete(task.id) }
        }
        let before = try opened.dump()
        let statistics = try opened.tasks.statistics()
        let report = try await opened.daybook.rebuild()
        #expect(report.isComplete)
        #expect(try opened.dump() == before)
        #expect(try opened.tasks.statistics() == statistics)
        #expect(try opened.daybook.verify().problems == [])
    }
}

@Suite struct StandardFolderTests {
    @Test("The programs' folder is that of the first variable that names one; empty and relative ones do not")
    func variables() {
        var environment = ["DAYBOOK_STORE": "here", "XDG_DATA_HOME": "/data", "HOME": "/home/ada"]
        #expect(DaybookStore.standardFolder(in: environment) == "here")
        environment["DAYBOOK_STORE"] = ""
        #expect(DaybookStore.standardFolder(in: environment) == "/data/daybook")
        environment["XDG_DATA_HOME"] = "data"
        #expect(DaybookStore.standardFolder(in: environment) == "/home/ada/.local/share/daybook")
        #expect(DaybookStore.standardFolder(in: ["HOME": ""]) == nil)
    }
}
