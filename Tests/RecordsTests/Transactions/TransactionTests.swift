import CivilTime
import Foundation
import KeyValue
import Testing

@testable import Records

private struct Refused: Error, Equatable {}

@Suite struct TransactionTests {
    @Test("A closure that throws leaves no record, entry, count or change [S-42]")
    func throwLeavesNothing() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1, at: TestStore.start))
        let tables = ["readings", "readings.byTime", "readings.byLevel", "readings.perDay", "changes", "meta"]
        let before = try tables.map { try opened.store.rawEntries($0) }
        await #expect(throws: Refused()) {
            try await opened.store.write { transaction in
                try transaction.put(Reading(2, at: TestStore.start))
                try transaction.delete(Reading.self, id: uuid(1))
                throw Refused()
            }
        }
        #expect(try tables.map { try opened.store.rawEntries($0) } == before)
    }

    @Test("Closures that throw and closures that do not share a commit and do not disturb each other [S-42]")
    func neighbours() async throws {
        let opened = try TestStore()
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<120 {
                group.addTask {
                    do {
                        try await opened.store.write { transaction in
                            try transaction.put(Reading(UInt64(number), at: TestStore.start, level: Int32(number)))
                            if number % 3 == 0 { throw Refused() }
                        }
                        return true
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(results == 80)
        #expect(Set(try opened.readings().keys) == Set((0..<120).filter { $0 % 3 != 0 }.map { uuid($0) }))
        #expect(try opened.store.read { try $0.lastSequence() } == 80)
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A closure's own error is rethrown unchanged")
    func ownErrors() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1, at: TestStore.start))
        #expect(throws: Refused()) { try opened.store.read { _ in throw Refused() } }
        #expect(throws: Refused()) {
            try opened.store.read { try $0[Reading.self].forEach { _ in throw Refused() } }
        }
        #expect(throws: Refused()) {
            try opened.store.read { try $0[Reading.byTime].forEachKey { _, _ in throw Refused() } }
        }
    }

    @Test("Using a transaction after its closure is an error")
    func outlived() async throws {
        let opened = try TestStore()
        var kept: Records.ReadTransaction?
        try opened.store.read { kept = $0 }
        let ended = try #require(kept)
        #expect(throws: RecordsError.transactionEnded) { try ended[Reading.self].get(uuid(1)) }
        #expect(throws: RecordsError.transactionEnded) { try ended.lastSequence() }
    }

    @Test("A transaction reads its own uncommitted writes")
    func readsItsOwnWrites() async throws {
        let opened = try TestStore()
        try await opened.store.write { transaction in
            try transaction.put(Reading(1, at: TestStore.start, level: 4))
            #expect(try transaction[Reading.self].get(uuid(1))?.level == 4)
            #expect(try transaction[Reading.byLevel].prefix(Int32(4)).count == 1)
        }
    }

    @Test("A read sees one moment during concurrent writes")
    func isolation() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        let counts = try opened.store.read { (transaction) throws in
            let before = try transaction[Reading.self].page().count
            let done = DispatchSemaphore(value: 0)
            // On a dedicated thread: this one may be the only one that runs tasks.
            Thread.detachNewThread {
                try? opened.store.write { try $0.put(Reading(2)) }
                done.signal()
            }
            done.wait()
            return [before, try transaction[Reading.self].page().count]
        }
        #expect(counts == [1, 1])
        #expect(try opened.readings().count == 2)
    }

    @Test("A closed store refuses reads and writes")
    func closed() async throws {
        let opened = try TestStore()
        opened.store.close()
        #expect(throws: RecordsError.engine(.closed)) { try opened.store.read { _ in } }
        await #expect(throws: RecordsError.engine(.closed)) { try await opened.put(Reading(1)) }
    }
}

@Suite struct TogetherTests {
    private struct Refusal: Error {}

    @Test("Several changes share one commit, and each has its row in the change log [D4]")
    func oneCommit() throws {
        let opened = try TestStore()
        let before = opened.store.environment.statistics.lastTransaction
        let answers = opened.store.writeTogether(
            (0..<20 as Range<UInt8>).map { number in
                (
                    ChangeLabel(operation: "\(number)"),
                    { @Sendable in try $0.put(Reading(UInt64(number), at: TestStore.start)) }
                )
            })
        for answer in answers { try answer.get() }
        #expect(opened.store.environment.statistics.lastTransaction == before + 1)
        #expect(try opened.readings().count == 20)
        #expect(try opened.store.information().lastSequence == 20)
        #expect(try opened.store.verify().isClean)
    }

    @Test("A closure that throws affects no other and leaves no row")
    func neighbours() throws {
        let opened = try TestStore()
        let answers = opened.store.writeTogether([
            (ChangeLabel(), { @Sendable in try $0.put(Reading(1, at: TestStore.start)) }),
            (
                ChangeLabel(),
                { @Sendable in
                    try $0.put(Reading(2, at: TestStore.start))
                    throw Refusal()
                }
            ),
            (ChangeLabel(), { @Sendable in try $0.put(Reading(3, at: TestStore.start)) }),
        ])
        #expect(throws: Refusal.self) { try answers[1].get() }
        try answers[0].get()
        try answers[2].get()
        #expect(try opened.readings().keys.sorted { $0.uuidString < $1.uuidString } == [uuid(1), uuid(3)])
        #expect(try opened.store.information().lastSequence == 2)
        #expect(try opened.store.verify().isClean)
    }

    @Test("A read-only store and a closed store refuse every closure")
    func refused() throws {
        let opened = try TestStore()
        let reader = try TestStore(folder: opened.folder, options: StoreOptions(isReadOnly: true))
        #expect(throws: RecordsError.engine(.readOnly)) {
            try reader.store.writeTogether([(ChangeLabel(), { @Sendable _ in })])[0].get()
        }
        opened.store.close()
        #expect(throws: RecordsError.engine(.closed)) {
            try opened.store.writeTogether([(ChangeLabel(), { @Sendable _ in })])[0].get()
        }
    }
}
