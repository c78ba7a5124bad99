import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct ChangeFeedTests {
    @Test("A subscriber gets each change exactly once, in order, from its last position [S-13]")
    func resumes() async throws {
        let opened = try TestStore()
        var seen: [UInt64] = []
        for round in 0..<6 {
            for number in 0..<100 { try await opened.put(Reading(UInt64(number), level: Int32(round + 1))) }
            // A new iterator each time, as after a restart; it stops in the middle.
            let changes = opened.store.changes(after: seen.last ?? 0).makeAsyncIterator()
            for _ in 0..<90 { seen.append(try #require(try await changes.next()).sequence) }
        }
        let changes = opened.store.changes(after: seen.last ?? 0).makeAsyncIterator()
        while seen.count < 600 { seen.append(try #require(try await changes.next()).sequence) }
        #expect(seen == Array(1...600))
    }

    @Test("Changes that are committed while a subscriber waits arrive exactly once [S-13]")
    func waits() async throws {
        let opened = try TestStore()
        let feed = opened.store.changes(after: 0)
        let received = Task {
            var sequences: [UInt64] = []
            for try await change in feed {
                sequences.append(change.sequence)
                if sequences.count == 300 { break }
            }
            return sequences
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    for number in 0..<100 {
                        try await opened.put(Reading(UInt64(writer * 1000 + number)))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await received.value == Array(1...300))
    }

    @Test("A change reports the records, fields, time and label")
    func contents() async throws {
        let opened = try TestStore()
        let label = ChangeLabel(operation: "readings.note", origin: .intent)
        try await opened.store.write(label) { try $0.put(Reading(1, level: 2)) }
        opened.clock.advance(byMicroseconds: 5)
        try await opened.put(Reading(1, at: TestStore.start, level: 3))
        try await opened.store.write { try $0.delete(Reading.self, id: uuid(1)) }
        try await opened.store.write { try $0.undo() }
        let changes = opened.store.changes(after: 0).makeAsyncIterator()

        let created = try #require(try await changes.next())
        #expect(created.label == label)
        #expect(created.instant == TestStore.start)
        #expect(!created.isUndoOrRedo)
        #expect(created.entries.map(\.kind) == [.created])
        #expect(created.entries.first?.collection == "readings")
        #expect(try created.entries.first?.id(as: UUID.self) == uuid(1))

        let updated = try #require(try await changes.next())
        #expect(updated.instant == TestStore.start.advanced(byMicroseconds: 5))
        #expect(updated.entries.map(\.kind) == [.updated])
        #expect(updated.entries.first?.changedFields == 1 << 2 | 1 << 3)

        #expect(try await changes.next()?.entries.map(\.kind) == [.deleted])
        let undone = try #require(try await changes.next())
        #expect(undone.isUndoOrRedo)
        #expect(undone.entries.map(\.kind) == [.created])
    }

    @Test("A trimmed sequence number is an error")
    func trimmed() async throws {
        let opened = try TestStore(options: StoreOptions(retention: ChangeLogRetention(maximumBytes: 0)))
        for number in 0..<200 { try await opened.put(Reading(UInt64(number))) }
        let oldest = try opened.store.information().firstSequence
        #expect(oldest > 1)
        await #expect(throws: RecordsError.changesTrimmed(oldest: oldest)) {
            _ = try await opened.store.changes(after: oldest - 2).makeAsyncIterator().next()
        }
        #expect(try await opened.store.changes(after: oldest - 1).makeAsyncIterator().next()?.sequence == oldest)
    }

    @Test("Cancellation ends a wait after any sequence number")
    func cancellation() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        for sequence in [1, 50, .max] as [UInt64] {
            let task = Task { try await opened.store.changes(after: sequence).makeAsyncIterator().next() }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }

    @Test("Closing the store ends waits for changes")
    func closing() async throws {
        let opened = try TestStore()
        let signal = try opened.store.commitSignal()
        let generation = signal.generation
        let task = Task {
            try await opened.store.changes(after: 0).makeAsyncIterator().next()
        }
        opened.store.close()
        await #expect(throws: (any Error).self) { _ = try await task.value }
        try await signal.wait(past: generation)
    }
}
