import Foundation
import Testing

@testable import Records

@Suite struct StoreIDTests {
    private func id(of opened: TestStore) throws -> UUID? {
        try opened.store.readImage { $0.storeID }
    }

    @Test("A store has a unique id from its creation, which never changes")
    func stays() async throws {
        var opened = try TestStore()
        let first = try #require(try id(of: opened))
        let other = try TestStore(seed: 2)
        #expect(first != (try id(of: other)))
        try await opened.put(Reading(1))
        opened = try opened.reopened()
        #expect(try id(of: opened) == first)
        _ = try await opened.store.rebuild()
        #expect(try id(of: opened) == first)
        opened = try opened.reopened(options: StoreOptions(isReadOnly: true))
        #expect(try id(of: opened) == first)
    }

    @Test("A store of an earlier version has no id until it is opened for writing")
    func earlierVersion() async throws {
        var opened = try TestStore()
        try await opened.put(Reading(1))
        try await opened.store.rawDelete("meta", Meta.storeKey.array)
        opened.store.close()
        let before = opened.folder.contents
        opened = try opened.reopened(options: StoreOptions(isReadOnly: true))
        #expect(try id(of: opened) == nil)
        opened.store.close()
        #expect(opened.folder.contents == before)
        opened = try opened.reopened()
        #expect(try id(of: opened) != nil)
        #expect(try opened.store.verify().problems == [])
    }

    @Test(
        "An id that is damaged is replaced by a new one: nothing can then pass for a snapshot of this store that is not"
    )
    func damaged() async throws {
        var opened = try TestStore()
        let first = try id(of: opened)
        let row = try #require(try opened.store.rawEntries("meta").first { $0.key == Meta.storeKey.array })
        try await opened.store.rawPut("meta", row.key, [row.value[0] ^ 1] + row.value.dropFirst())
        #expect(await recordsError { _ = try self.id(of: opened) }?.isDamage == true)
        opened.store.close()
        opened = try TestStore(folder: opened.folder, seed: 2)
        let second = try id(of: opened)
        #expect(second != nil && second != first)
        #expect(try opened.store.verify().problems == [])
    }
}
