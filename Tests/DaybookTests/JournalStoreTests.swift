import Daybook
import Foundation
import TestSupport
import Testing

/// Journals and tasks in one store.
@Suite struct JournalStoreTests {
    @Test(
        "A store of the first version opens for reading only without journals, and for writing with them [J-MG5, D13]")
    func firstVersion() async throws {
        let folder = TemporaryFolder()
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/Format1/tasks")
        let path = folder.file("store")
        try FileManager.default.copyItem(atPath: source.path, toPath: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb"))
        let reader = try DaybookStore.open(at: path, options: StoreOptions(isReadOnly: true))
        #expect(try reader.journals.threads().isEmpty && !reader.journals.lock.isLocked)
        #expect(try reader.journals.thread(UUID()) == nil)
        #expect(throws: JournalError.noSuchThread) { try reader.journals.entries(of: UUID()) }
        #expect(try reader.verify().problems == [])
        reader.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")) == before)
        let store = try DaybookStore.open(at: path)
        defer { store.close() }
        let thread = try await store.journals.createThread("Garden", firstEntry: "first")
        #expect(try store.journals.entries(of: thread.id).map(\.content) == ["first"])
        #expect(try store.verify().problems == [])
    }

    @Test("One transaction changes tasks and journals, and one undo takes both back")
    func together() async throws {
        let folder = TemporaryFolder()
        let store = try DaybookStore.open(at: folder.file("store"))
        defer { store.close() }
        let thread = try await store.write { transaction in
            try transaction.tasks.create("Buy tulips")
            return try transaction.journals.createThread("Garden", firstEntry: "Tulips!")
        }
        #expect(try store.tasks.inbox().count == 1 && store.journals.threads().count == 1)
        try await store.tasks.undo()
        #expect(try store.tasks.inbox().isEmpty && store.journals.threads().isEmpty)
        try await store.tasks.redo()
        #expect(try store.journals.entries(of: thread.id).map(\.content) == ["Tulips!"])
    }

    @Test(
        "The export of a thread stops at the moment of locking, and leaves no file; nothing is imported [J-OP12]",
        arguments: JournalFormat.allCases)
    func lockedFiles(_ format: JournalFormat) async throws {
        let folder = TemporaryFolder()
        let store = try DaybookStore.open(at: folder.file("store"))
        defer { store.close() }
        let thread = try await store.journals.createThread("Garden")
        try await store.journals.write { journals in
            for number in 0..<600 {
                try journals.addEntry(NewEntry("\(number) " + String(repeating: "x", count: 500)), to: thread.id)
            }
        }
        try await store.journals.setLock(true, isAvailable: true)
        let file = URL(filePath: folder.file("export"))
        store.journals.lock.suspend()
        #expect(throws: JournalError.locked) { try store.files.exportThread(thread.id, as: format, to: file) }
        #expect(throws: JournalError.locked) { try store.files.exportThread(thread.id, as: format) { _, _ in } }
        let text = Array("[2026-02-11 09:30] One".utf8)
        #expect(throws: JournalError.locked) { try store.files.importJournal(text, name: "Garden") }
        store.journals.lock.unlock(.recognized)
        var calls = 0
        #expect(throws: JournalError.locked) {
            try store.files.exportThread(thread.id, as: format) { _, _ in
                calls += 1
                store.journals.lock.suspend()
            }
        }
        #expect(calls == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
        store.journals.lock.unlock(.recognized)
        #expect(try store.files.exportThread(thread.id, as: format, to: file) == 600)
        // The store's own transactions are not closed.
        store.journals.lock.suspend()
        #expect(try store.read { try $0.journals.entries(of: thread.id).count } == 600)
    }

    @Test("Values of deleted fields are exported after those of live ones, under names of their own [J-OP8, J-EX2]")
    func deletedFields() async throws {
        let folder = TemporaryFolder()
        let store = try DaybookStore.open(at: folder.file("store"))
        defer { store.close() }
        let thread = try await store.journals.createThread("Garden").id
        try await store.journals.write { journals in
            let group = try journals.createField("Weather", in: thread, isGroup: true)
            let rain = try journals.createField("Rain", in: thread, group: group.id)
            let mood = try journals.createField("Mood", in: thread)
            let unused = try journals.createField("Unused", in: thread)
            let blank = try journals.createField("Blank", in: thread)
            let gone = try journals.createField("Gone", in: thread)
            let entry = try journals.addEntry(
                NewEntry("one", values: [rain.id: "5", mood.id: "good", blank.id: " "]), to: thread)
            let deleted = try journals.addEntry(NewEntry("gone", values: [gone.id: "secret"]), to: thread)
            try journals.deleteEntry(deleted.id)
            for field in [rain, mood, unused, blank, gone] { try journals.deleteField(field.id) }
            let again = try journals.createField("Mood", in: thread)
            try journals.editEntry(entry.id, "one", values: [again.id: "bad"])
        }
        func export(_ format: JournalFormat) throws -> String {
            var bytes: [UInt8] = []
            try store.files.exportThread(thread, as: format) { bytes += $1 }
            return String(decoding: bytes, as: UTF8.self)
        }
        let rows = try export(.csv).split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(rows[0].prefix(5) == ["Timestamp", "Content", "Edited At", "Location", "Mood"])
        #expect(Set(rows[0].dropFirst(5)) == ["Weather › Rain", "Mood (deleted)"])
        let values = Dictionary(uniqueKeysWithValues: zip(rows[0], rows[1]))
        #expect(values["Mood"] == "bad" && values["Mood (deleted)"] == "good" && values["Weather › Rain"] == "5")
        #expect(rows.count == 2)
        // The JSON has them, too, and an import keeps them.
        let json = try export(.json)
        let other = try store.files.importJournal(Array(json.utf8.filter { $0 != 0 }), name: "x").thread
        #expect(other == thread)
        let copy = try DaybookStore.open(at: folder.file("copy"))
        defer { copy.close() }
        let imported = try copy.files.importJournal(Array(json.utf8), name: "x").thread
        let filled = try copy.journals.filled(copy.journals.entries(of: imported))
        let found = Dictionary(uniqueKeysWithValues: filled[0].values.map { ($0.field.name, $0.value) })
        #expect(found == ["Rain": "5", "Mood": "bad", "Mood (deleted)": "good", "Blank": nil])
        #expect(try export(.markdown).contains("- Mood: good\n"))
    }

    @Test("A session shows an entry at once, and live queries report threads and entries")
    func sessions() async throws {
        let folder = TemporaryFolder()
        let store = try DaybookStore.open(at: folder.file("store"))
        defer { store.close() }
        let session = store.session()
        let thread = try await session.journals.createThread("Garden")
        var threads = store.journals.observeThreads().makeAsyncIterator()
        var entries = try store.journals.observeEntries(of: thread.id, limit: 2).makeAsyncIterator()
        #expect(try await threads.next()?.value.map(\.entries) == [0])
        #expect(try await entries.next()?.records.isEmpty == true)
        for text in ["1", "2", "3"] { try await session.journals.addEntry(text, to: thread.id) }
        #expect(try session.journals.threads().map(\.entries) == [3])
        var counts: [Int] = []
        while counts.last != 3 { counts = try await threads.next()?.value.map(\.entries) ?? [3] }
        var shown: [String] = []
        while shown != ["3", "2"] { shown = try await entries.next()?.records.map(\.content) ?? ["3", "2"] }
        // The lock is one for all that show the journal.
        try await store.journals.setLock(true, isAvailable: true)
        store.journals.lock.suspend()
        #expect(throws: JournalError.locked) { try session.journals.threads() }
    }
}
