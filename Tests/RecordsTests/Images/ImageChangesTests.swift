import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct ImageChangesTests {
    @Test(
        "Changes since any moment are the difference of the two images",
        arguments: 1...4 as ClosedRange<UInt64>)
    func difference(seed: UInt64) async throws {
        let opened = try TestStore(schema: ImageSchema.all)
        var dice = Dice(seed)
        var moments = [try TakenImage(of: opened.store)]
        for _ in 0..<25 {
            for _ in 0..<1 + dice.below(3) { try await opened.change(&dice) }
            let now = try TakenImage(of: opened.store)
            for then in moments {
                let changes = try opened.store.readImage { try $0.changes(after: then.sequence) }
                #expect(changes == Self.difference(from: then, to: now))
            }
            moments.append(now)
        }
    }

    private static func difference(from then: TakenImage, to now: TakenImage) -> [CollectionChanges] {
        Set(then.records.keys).union(now.records.keys).sorted().map { name in
            let (before, after) = (then.records[name] ?? [:], now.records[name] ?? [:])
            let keys = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            return CollectionChanges(
                name: name,
                base: then.collections.first { $0.name == name } ?? CollectionImage(name: name, count: 0, digest: 0),
                keys: keys.sorted { $0.lexicographicallyPrecedes($1) })
        }
    }

    @Test("A trimmed log reports where it begins")
    func trimmed() async throws {
        let opened = try TestStore(options: StoreOptions(retention: ChangeLogRetention(maximumBytes: 0)))
        for number in 0..<128 as Range<UInt64> { try await opened.put(Reading(number)) }
        let oldest = try opened.store.information().firstSequence
        #expect(oldest > 2)
        try opened.store.readImage { (image) throws in
            #expect(throws: RecordsError.changesTrimmed(oldest: oldest)) { try image.changes(after: oldest - 2) }
            #expect(throws: RecordsError.changesTrimmed(oldest: oldest)) { try image.changes(after: 0) }
            #expect(try image.changes(after: oldest - 1).first?.base.count == Int(oldest) - 1)
        }
    }

    @Test("There are no changes after the last one, and later sequence numbers are an error")
    func beyondTheLast() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        try opened.store.readImage { (image) throws in
            #expect(
                try image.changes(after: 1) == [
                    CollectionChanges(name: "readings", base: image.collections[0], keys: [])
                ])
            for sequence in [2, 1 << 40, .max] as [UInt64] {
                #expect(throws: RecordsError.changeNotReached(last: 1)) { try image.changes(after: sequence) }
            }
        }
    }

    @Test("A purge in between is reported, and changes before and after it are available")
    func purge() async throws {
        let opened = try TestStore()
        for number in 0..<4 as Range<UInt64> { try await opened.put(Reading(number)) }
        try await opened.store.write { transaction in
            try transaction.delete(Reading.self, id: uuid(2))
            try transaction.purgeHistory(of: Reading.self, id: uuid(2))
        }
        try await opened.put(Reading(7))
        try opened.store.readImage { (image) throws in
            for sequence in 0...4 as ClosedRange<UInt64> {
                #expect(throws: RecordsError.changesPurged(after: sequence)) { try image.changes(after: sequence) }
            }
            #expect(try image.changes(after: 5).map(\.keys) == [[uuid(7).keyBytes.array]])
        }
    }

    @Test("Purging a deleted record leaves a base that differs from the image of that moment")
    func quietPurge() async throws {
        let opened = try TestStore()
        for number in 0..<4 as Range<UInt64> { try await opened.put(Reading(number)) }
        let then = try TakenImage(of: opened.store)
        try await opened.store.write { try $0.delete(Reading.self, id: uuid(2)) }
        try await opened.store.write { transaction in
            try transaction.put(Reading(9))
            try transaction.purgeHistory(of: Reading.self, id: uuid(2))
        }
        let changes = try opened.store.readImage { try $0.changes(after: then.sequence) }
        #expect(changes.map(\.base) != then.collections)
    }

    @Test("A rebuild that quarantined a record is reported")
    func rebuild() async throws {
        let opened = try TestStore()
        for number in 0..<4 as Range<UInt64> { try await opened.put(Reading(number)) }
        try await opened.store.flip("readings", entry: 1, byte: 4)
        _ = try await opened.store.rebuild()
        try opened.store.readImage { (image) throws in
            #expect(throws: RecordsError.changesPurged(after: 4)) { try image.changes(after: 4) }
            #expect(try image.changes(after: 5).map(\.keys) == [[]])
        }
    }

    @Test("A missing or damaged row is damage, not fewer changes")
    func damagedLog() async throws {
        for isMissing in [true, false] {
            let opened = try TestStore()
            for number in 0..<5 as Range<UInt64> { try await opened.put(Reading(number)) }
            if isMissing {
                try await opened.store.rawDelete("changes", (3 as UInt64).keyBytes.array)
            } else {
                try await opened.store.flip("changes", entry: 2, byte: 60)
            }
            try opened.store.readImage { (image) throws in
                #expect(throws: RecordsError.damagedEntry(table: "changes", key: (3 as UInt64).keyBytes.hexadecimal)) {
                    try image.changes(after: 1)
                }
                #expect(try image.changes(after: 3).map(\.keys.count) == [2])
            }
        }
    }
}

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
