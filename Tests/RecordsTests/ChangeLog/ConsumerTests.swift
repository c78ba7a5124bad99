import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct ConsumerTests {
    /// Trims whatever nobody needs.
    private let smallest = StoreOptions(retention: ChangeLogRetention(maximumBytes: 0))

    private func change(_ opened: TestStore, times: Int) async throws {
        for number in 0..<times { try await opened.put(Reading(1, level: Int32(truncatingIfNeeded: number) + 1)) }
    }

    private func sequences(_ consumer: ChangeConsumer, _ count: Int) async throws -> [UInt64] {
        let changes = consumer.changes().makeAsyncIterator()
        var sequences: [UInt64] = []
        for _ in 0..<count { sequences.append(try #require(try await changes.next()).sequence) }
        return sequences
    }

    private func first(_ opened: TestStore) throws -> UInt64 { try opened.store.information().firstSequence }

    @Test("A consumer continues at its position after the store was closed and opened again [S-13]")
    func continues() async throws {
        var opened = try TestStore()
        try await change(opened, times: 10)
        var consumer = try await opened.store.consumer("index")
        #expect(try consumer.position == 0)
        #expect(try await sequences(consumer, 4) == [1, 2, 3, 4])
        #expect(try await consumer.advance(to: 4))
        opened = try opened.reopened()
        consumer = try await opened.store.consumer("index", after: 9)
        #expect(try consumer.position == 4)
        #expect(try await sequences(consumer, 6) == [5, 6, 7, 8, 9, 10])
    }

    @Test("Advancing writes no change, and never goes backward or beyond the last change")
    func advancing() async throws {
        let opened = try TestStore()
        try await change(opened, times: 3)
        let consumer = try await opened.store.consumer("index", after: 1)
        #expect(try opened.store.read { try $0.lastSequence() } == 3)
        #expect(try await consumer.advance(to: 3))
        #expect(try await !consumer.advance(to: 3))
        #expect(try await !consumer.advance(to: 1))
        #expect(try consumer.position == 3)
        await #expect(throws: RecordsError.changeNotReached(last: 3)) { try await consumer.advance(to: 4) }
        await #expect(throws: RecordsError.changeNotReached(last: 3)) {
            _ = try await opened.store.consumer("other", after: 4)
        }
        #expect(try opened.store.read { try $0.lastSequence() } == 3)
        #expect(try opened.store.verify().problems == [])
        // The last change is undone as if there were no consumer.
        try await opened.store.write { try $0.undo() }
        #expect(try opened.readings()[uuid(1)]?.level == 2)
    }

    @Test("A consumer's position and what it derived are committed together, or neither")
    func together() async throws {
        struct Refusal: Error {}
        let opened = try TestStore()
        try await change(opened, times: 2)
        let consumer = try await opened.store.consumer("index")
        await #expect(throws: Refusal.self) {
            try await opened.store.write { transaction in
                try transaction.put(Reading(100))
                try transaction.advance(consumer, to: 2)
                #expect(try transaction.position(of: consumer) == 2)
                throw Refusal()
            }
        }
        #expect(try consumer.position == 0)
        #expect(try opened.readings()[uuid(100)] == nil)
        try await opened.store.write { transaction in
            try transaction.put(Reading(100))
            try transaction.advance(consumer, to: 2)
        }
        #expect(try consumer.position == 2)
        #expect(try opened.readings()[uuid(100)] != nil)
    }

    @Test("The list has name, position, distance and last move of every consumer")
    func list() async throws {
        let opened = try TestStore()
        try await change(opened, times: 7)
        #expect(try opened.store.consumers == [])
        _ = try await opened.store.consumer("sync", after: 7)
        let index = try await opened.store.consumer("index")
        opened.clock.advance(byMicroseconds: 5)
        try await index.advance(to: 2)
        let expected = [
            ChangeConsumer.Status(
                name: "index", position: 2, changesBehind: 5, movedAt: TestStore.start.advanced(byMicroseconds: 5),
                hasMissedChanges: false),
            ChangeConsumer.Status(
                name: "sync", position: 7, changesBehind: 0, movedAt: TestStore.start, hasMissedChanges: false),
        ]
        #expect(try opened.store.consumers == expected)
        #expect(try opened.store.information().consumers == expected)
        let reader = try RecordStore(
            at: opened.folder.store, schema: Reading.schema, options: StoreOptions(isReadOnly: true))
        #expect(try reader.consumers == expected)
        #expect(try await reader.consumer("index").position == 2)
        await #expect(throws: RecordsError.engine(.readOnly)) { _ = try await reader.consumer("new") }
    }

    @Test("A consumer that was unregistered is unknown until it is registered again")
    func unregistering() async throws {
        let opened = try TestStore()
        try await change(opened, times: 3)
        let consumer = try await opened.store.consumer("index", after: 2)
        #expect(try await consumer.unregister())
        #expect(try await !consumer.unregister())
        let unknown = RecordsError.unknownConsumer(name: "index")
        #expect(throws: unknown) { try consumer.position }
        await #expect(throws: unknown) { try await consumer.advance(to: 3) }
        await #expect(throws: unknown) { try await consumer.changes().makeAsyncIterator().next() }
        #expect(try opened.store.consumers == [])
        _ = try await opened.store.consumer("index")
        #expect(try consumer.position == 0)
    }

    @Test("Names of 1 to 48 bytes of any text are accepted, others refused")
    func names() async throws {
        let opened = try TestStore()
        for name in ["a", "suche/日本", String(repeating: "x", count: 48)] {
            #expect(try await opened.store.consumer(name).name == name)
        }
        #expect(Set(try opened.store.consumers.map(\.name)).count == 3)
        for name in ["", String(repeating: "x", count: 49), String(repeating: "日", count: 17)] {
            let error = await recordsError { _ = try await opened.store.consumer(name) }
            #expect(error?.code == "bad-declaration")
        }
    }

    @Test("A consumer can be used without concurrency")
    func synchronous() throws {
        let opened = try TestStore()
        try opened.store.write { try $0.put(Reading(1)) }
        let consumer = try opened.store.consumer("index")
        #expect(try consumer.advance(to: 1))
        #expect(try opened.store.consumer("index").position == 1)
        #expect(try consumer.unregister())
    }

    // MARK: Trimming

    @Test("A registered consumer that is not running keeps the changes after its position [D7]")
    func holds() async throws {
        var opened = try TestStore(options: smallest)
        try await change(opened, times: 10)
        let consumer = try await opened.store.consumer("index", after: 5)
        opened = try opened.reopened(options: smallest)
        try await change(opened, times: 290)
        #expect(try first(opened) == 6)
        let again = try await opened.store.consumer("index")
        #expect(try await sequences(again, 295) == Array(6...300))
        _ = consumer
        // Once it has read them, the log shrinks.
        try await again.advance(to: 300)
        try await change(opened, times: 200)
        #expect(try first(opened) == 301)
        try await again.unregister()
        try await change(opened, times: 200)
        #expect(try first(opened) > 500)
    }

    @Test("An idle consumer that has read everything is not abandoned, however old it is")
    func idle() async throws {
        let options = StoreOptions(
            retention: ChangeLogRetention(maximumBytes: 0, maximumAgeOfConsumersInDays: 10))
        let opened = try TestStore(options: options)
        try await change(opened, times: 10)
        _ = try await opened.store.consumer("index", after: 10)
        opened.clock.advance(byMicroseconds: 100 * 86_400_000_000)
        try await change(opened, times: 246)
        #expect(try first(opened) == 11)
        // Now a change waits for it as long.
        opened.clock.advance(byMicroseconds: 11 * 86_400_000_000)
        try await change(opened, times: 64)
        #expect(try first(opened) > 11)
        #expect(try opened.store.consumers.map(\.hasMissedChanges) == [true])
    }

    @Test("A consumer that is behind but moves is not abandoned")
    func slow() async throws {
        let options = StoreOptions(
            retention: ChangeLogRetention(maximumBytes: 0, maximumAgeOfConsumersInDays: 10))
        let opened = try TestStore(options: options)
        try await change(opened, times: 64)
        let consumer = try await opened.store.consumer("index")
        for day in 1...20 as ClosedRange<UInt64> {
            opened.clock.advance(byMicroseconds: 86_400_000_000)
            try await consumer.advance(to: day)
            try await change(opened, times: 64)
            #expect(try first(opened) == day + 1)
        }
    }

    @Test("A log that is larger than the limit for consumers is trimmed, and the consumer gets changesTrimmed [D7]")
    func expiresBySize() async throws {
        let options = StoreOptions(
            retention: ChangeLogRetention(maximumBytes: 0, maximumBytesForConsumers: 200_000))
        let opened = try TestStore(options: options)
        let consumer = try await opened.store.consumer("index")
        for number in 0..<256 {
            try await opened.put(Reading(1, level: Int32(number), note: String(repeating: "x", count: 3000)))
        }
        let oldest = try first(opened)
        #expect(oldest > 1)
        let table = try #require(try opened.store.information().tables.first { $0.name == "changes" })
        #expect(table.bytes < 600_000)
        await #expect(throws: RecordsError.changesTrimmed(oldest: oldest)) { _ = try await sequences(consumer, 1) }
        // It is still registered, holds nothing, and resumes once it has read the present state.
        #expect(try consumer.position == 0)
        #expect(try opened.store.consumers.map(\.hasMissedChanges) == [true])
        try await change(opened, times: 64)
        #expect(try first(opened) == 256)
        try await consumer.advance(to: 320)
        try await change(opened, times: 200)
        #expect(try await sequences(consumer, 200) == Array(321...520))
    }

    @Test("Limits of any size never trap")
    func extremeLimits() async throws {
        for limit in [Int.max, 0, -1, .min] {
            let options = StoreOptions(
                retention: ChangeLogRetention(
                    maximumBytes: 0, maximumBytesForConsumers: limit, maximumAgeOfConsumersInDays: limit))
            let opened = try TestStore(options: options)
            _ = try await opened.store.consumer("index")
            try await change(opened, times: 140)
            #expect(try first(opened) == (limit == .max ? 1 : 64))
        }
    }

    @Test("A write costs the same with consumers as without")
    func cost() async throws {
        let (plain, registered) = (try TestStore(), try TestStore())
        for name in ["a", "b", "c"] { _ = try await registered.store.consumer(name) }
        for number in 0..<130 {
            for opened in [plain, registered] { try await opened.put(Reading(UInt64(number))) }
            #expect(plain.store.lastWriteCounters == registered.store.lastWriteCounters)
        }
        let consumer = try await registered.store.consumer("a")
        try await consumer.advance(to: 130)
        #expect(registered.store.lastWriteCounters.puts == 1)
    }

    // MARK: Integrity

    @Test("Verify finds a damaged consumer, and a rebuild keeps the others [S-11]")
    func damaged() async throws {
        let opened = try TestStore()
        try await change(opened, times: 3)
        for name in ["a", "b", "c"] { _ = try await opened.store.consumer(name, after: 2) }
        try await opened.store.rebuild()
        #expect(try opened.store.consumers.map(\.name) == ["a", "b", "c"])
        let entry = try #require(
            try opened.store.rawEntries("meta").firstIndex { $0.key == Array("consumer/b".utf8) })
        try await opened.store.flip("meta", entry: entry)
        #expect(try opened.store.verify().problems.count == 1)
        let consumer = try? await opened.store.consumer("b")
        #expect(consumer == nil)
        #expect(try opened.store.consumers.map(\.name) == ["a", "c"])
        try await change(opened, times: 200)
        try await opened.store.rebuild()
        #expect(try opened.store.verify().problems == [])
        #expect(try opened.store.consumers.map(\.name) == ["a", "c"])
        #expect(try opened.store.consumers.map(\.position) == [2, 2])
        // What it had read is not known any more: it begins with the first change.
        #expect(try await opened.store.consumer("b").position == 0)
    }

    @Test("A log that lost its end is found, and after a rebuild no consumer skips a change [S-11]")
    func lostEnd() async throws {
        let opened = try TestStore()
        try await change(opened, times: 20)
        let consumer = try await opened.store.consumer("index", after: 20)
        for sequence in 11...20 as ClosedRange<UInt64> {
            try await opened.store.rawDelete("changes", sequence.keyBytes.array)
        }
        #expect(try opened.store.verify().problems == ["consumer index: its position 20 is after the last change, 10"])
        await #expect(throws: RecordsError.changeNotReached(last: 10)) { _ = try await sequences(consumer, 1) }
        try await opened.store.rebuild()
        #expect(try opened.store.verify().problems == [])
        try await change(opened, times: 2)
        #expect(try await sequences(consumer, 3) == [21, 22, 23])
    }
}
