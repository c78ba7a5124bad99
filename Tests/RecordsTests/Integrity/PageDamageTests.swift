import CivilTime
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import Records

/// Damage to what LMDB itself writes on its pages, beside the keys and values.
@Suite struct PageDamageTests {
    private static let count = 1000

    /// A closed store of so many records that its tables have branches.
    private func closedStore() async throws -> TestStore {
        let opened = try TestStore()
        try await opened.store.write { transaction in
            for number in 0..<Self.count { try transaction.put(Reading(UInt64(number), at: TestStore.start)) }
        }
        opened.store.close()
        return opened
    }

    /// Whether an open store refuses to be rebuilt, since that would write into a damaged page, which the error names.
    private func refusesRebuild(_ opened: TestStore) async -> Bool {
        guard case .engine(.damaged(_, let detail)) = await recordsError(of: { _ = try await opened.store.rebuild() })
        else {
            return false
        }
        return detail.contains("page ")
    }

    /// What a salvage of the closed store saves.
    private func salvaged(_ opened: TestStore) throws -> TestStore {
        opened.store.close()
        let place = TemporaryFolder(on: .memory)
        _ = try RecordStore.salvage(
            opened.folder.store, to: place.store, schema: Reading.schema,
            context: .test(clock: SettableClock(TestStore.start)))
        return try TestStore(folder: place)
    }

    @Test("Entries that a damaged branch page hides from searches are found and salvaged [S-11]")
    func damagedBranch() async throws {
        var opened = try await closedStore()
        var file = try DataFile(of: opened.folder)
        let branches = file.nodes(of: .branch).filter { $0.key.count == 16 && $0.place > 2 }
        for node in branches { file.flip(node.offset + 8 + 15, bit: 5) }
        try #require(!branches.isEmpty)
        try file.write()
        opened = try opened.reopened()
        let problems = try opened.store.verify().problems
        #expect(problems.contains { $0.hasSuffix("a search does not find it") })
        #expect(await refusesRebuild(opened))
        let saved = try salvaged(opened)
        #expect(try saved.store.verify().problems == [])
        for number in 0..<Self.count {
            #expect(try saved.store.read { try $0[Reading.self].get(uuid(number)) } != nil)
        }
    }

    @Test("A store whose notes about indexes are in another page's place is refused, and nothing is written to it")
    func swappedNotes() async throws {
        let opened = try await closedStore()
        var file = try DataFile(of: opened.folder)
        let notes = file.nodes(of: .leaf).filter { $0.key == Meta.schemaKey.array }
        let entries = file.nodes(of: .leaf).filter { $0.key.count == 24 && $0.place == 0 }
        try #require(!notes.isEmpty && notes.count <= entries.count)
        for (note, entry) in zip(notes, entries) { file.swapPages(of: note, entry) }
        try file.write()
        let error = await recordsError { _ = try opened.reopened() }
        guard case .engine(.damaged(_, let detail)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("has the number"))
        #expect(try DataFile(of: opened.folder).bytes == file.bytes)
    }

    @Test("Swapped index pages are damage, not another order of the records [S-10]")
    func swappedIndexPages() async throws {
        var opened = try await closedStore()
        var file = try DataFile(of: opened.folder)
        // The first nodes of the pages of `byTime`, whose keys are an instant and an id.
        let firsts = file.nodes(of: .leaf).filter { $0.key.count == 24 && $0.place == 0 }
        try #require(firsts.count > 4)
        for (first, second) in zip(firsts, firsts.dropFirst()) { file.swapPages(of: first, second) }
        try file.write()
        opened = try opened.reopened()
        #expect(try !opened.store.verify().isClean)
        // The pages' own numbers give them away; where they do not, the order of the entries does.
        func isDamage(_ error: any Error) -> Bool {
            switch error {
            case RecordsError.damagedEntry("readings.byTime", _): true
            case RecordsError.engine(.damaged(_, let detail)): detail.contains("has the number")
            default: false
            }
        }
        #expect {
            try opened.store.read { _ = try $0[Reading.byTime].range() }
        } throws: {
            isDamage($0)
        }
        #expect {
            try opened.store.read { try $0[Reading.byTime].forEachKey(backwards: true) { _, _ in true } }
        } throws: {
            isDamage($0)
        }
    }

    @Test("A key that is damaged on its page is found, even if it misleads other searches [S-11]")
    func damagedKey() async throws {
        var opened = try await closedStore()
        var file = try DataFile(of: opened.folder)
        let key = uuid(700).keyBytes.array
        for node in file.nodes(of: .leaf) where node.key == key { file.flip(node.offset + 8, bit: 7) }
        try file.write()
        opened = try opened.reopened()
        #expect(try !opened.store.verify().isClean)
        #expect(await refusesRebuild(opened))
        let saved = try salvaged(opened)
        #expect(try saved.store.verify().problems == [])
        #expect(try saved.readings().count >= Self.count - 1)
    }

    @Test(
        "A length that leads beyond its page is a damaged record, not the end of the process [S-10]", arguments: 0..<16)
    func damagedLength(bit: UInt8) async throws {
        var opened = try await closedStore()
        var file = try DataFile(of: opened.folder)
        let key = uuid(700).keyBytes.array
        for node in file.nodes(of: .leaf) where node.key == key {
            file.flip(node.offset + Int(bit / 8) + (bit < 8 ? 0 : 1), bit: bit % 8)
        }
        try file.write()
        opened = try opened.reopened()
        #expect(throws: RecordsError.damagedRecord(collection: "readings", key: hexadecimal(key))) {
            try opened.store.read { _ = try $0[Reading.self].get(uuid(700)) }
        }
        #expect(try opened.store.verify().problems.contains("record \(hexadecimal(key)) of readings: damaged"))
        #expect(await refusesRebuild(opened))
        let saved = try salvaged(opened)
        #expect(try saved.store.verify().problems == [])
        #expect(try saved.readings().count >= Self.count - 1)
    }

    @Test(
        "A table whose head counts another number of entries is found and rebuilt [S-11]",
        arguments: ["readings", "readings.byTime", "readings.perDay", "changes", "meta"])
    func damagedEntryCount(table: String) async throws {
        var opened = try await closedStore()
        var file = try DataFile(of: opened.folder)
        for node in file.nodes(of: .leaf) where node.key == Array(table.utf8) { file.flip(node.value + 32, bit: 6) }
        try file.write()
        opened = try opened.reopened()
        let problems = try opened.store.verify().problems
        #expect(problems.contains { $0.hasPrefix("\(table):") && $0.contains("its head counts") })
        #expect(try await opened.store.rebuild().isComplete)
        #expect(try opened.store.verify().problems == [])
        #expect(try opened.readings().count == Self.count)
    }

    /// A regression found by `Scripts/fuzz`: the rebuild left it as it was.
    @Test("A table whose head counts another number of pages is not rebuilt in place, and is salvaged [S-11]")
    func damagedPageCount() async throws {
        var opened = try await closedStore()
        var file = try DataFile(of: opened.folder)
        for node in file.nodes(of: .leaf) where node.key == Array("readings".utf8) {
            file.flip(node.value + 16, bit: 4)
        }
        try file.write()
        opened = try opened.reopened()
        #expect(try !opened.store.verify().isClean)
        let refusal = await recordsError { _ = try await opened.store.rebuild() }
        #expect(refusal?.isDamage == true)
        let saved = try salvaged(opened)
        #expect(try saved.store.verify().problems == [])
        #expect(try saved.readings().count == Self.count)
    }

    @Test("A table with flags of another order is refused [S-10]", arguments: 1..<7)
    func damagedOrder(bit: UInt8) async throws {
        let opened = try await closedStore()
        var file = try DataFile(of: opened.folder)
        for node in file.nodes(of: .leaf) where node.key == Array("readings".utf8) {
            file.flip(node.value + 4, bit: bit)
        }
        try file.write()
        for isReadOnly in [true, false] {
            #expect(throws: RecordsError.self) {
                _ = try opened.reopened(options: StoreOptions(isReadOnly: isReadOnly))
            }
        }
    }
}
