import Daybook
import Foundation
import Testing

@Suite struct TemporaryStoreTests {
    @Test("A temporary store is as any other, and leaves no file behind [C-AD12]")
    func temporary() async throws {
        var store: DaybookStore? = try DaybookStore.temporary()
        let path = try #require(store?.path)
        try await store?.tasks.create("x")
        #expect(try store?.tasks.inbox().map(\.text) == ["x"])
        #expect(try store?.verify().isClean == true)
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try DaybookStore.temporary().tasks.inbox().isEmpty)
        store = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("The sample data has something for every screen [C-AD12]")
    func preview() throws {
        let store = try DaybookStore.preview()
        #expect(try !store.tasks.inbox().isEmpty && !store.tasks.upcoming().isEmpty)
        let today = try store.tasks.today()
        #expect(Set(today.map(\.state)) == [.active, .notStarted, .completed])
        #expect(try store.tasks.lists().lists.allSatisfy { $0.open > 0 })
        let planned = try store.tasks.plan(on: today.day).regions.filter { $0.open > 0 }
        #expect(planned.count > 1)
        let thread = try #require(store.journals.threads().first)
        #expect(thread.entries == 2)
        let entries = try store.journals.filled(store.journals.entries(of: thread.thread.id))
        #expect(entries.map(\.values.count) == [0, 1])
        #expect(try store.verify().isClean)
    }
}
