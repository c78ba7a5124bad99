import Daybook
import Foundation
import Testing

/// Journals and tasks in one store.
@Suite struct JournalStoreTests {
    private func folder() throws -> String {
        let path = NSTemporaryDirectory() + "/daybook-journals-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @Test(
        "A store of the first version opens for reading only without journals, and for writing with them [J-MG5, D13]")
    func firstVersion() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/Format1/tasks")
        let path = folder + "/store"
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
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try DaybookStore.open(at: folder + "/store")
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

    @Test("A session shows an entry at once, and live queries report threads and entries")
    func sessions() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try DaybookStore.open(at: folder + "/store")
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
