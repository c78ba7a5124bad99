import Foundation
import KeyValue
import Testing

/// Smuggles a transaction out of its closure, which the compiler cannot forbid.
private final class Smuggler: @unchecked Sendable {
    var write: RawWriteTransaction?
    var read: RawReadTransaction?
}

struct LifetimeTests {
    @Test("Use after the end is an error")
    func useAfterTheEndIsAnError() async throws {
        let store = try TestStore()
        let table = store.table
        let smuggler = Smuggler()
        try await store.environment.write { transaction in
            smuggler.read = transaction.reads
            smuggler.write = consume transaction
        }
        let ended = KeyValueError.transactionEnded
        #expect(throws: ended) { try smuggler.write!.put([1], [1], in: table) }
        #expect(throws: ended) { try smuggler.write!.delete([1], in: table) }
        #expect(throws: ended) { try smuggler.write!.removeAll(in: table) }
        #expect(throws: ended) { try smuggler.read!.value(of: [1], in: table) }
        #expect(throws: ended) { try smuggler.read!.entryCount(of: table) }
        #expect(throws: ended) { try smuggler.read!.keys(of: table) }
    }

    @Test("The transaction of another closure cannot be used")
    func aNeighboursTransactionCannotBeUsed() async throws {
        let store = try TestStore()
        let table = store.table
        let smuggler = Smuggler()
        let blocked = await BlockedWriter(store)
        let first = Task { try await store.environment.write { smuggler.write = consume $0 } }
        await blocked.waitForQueue(of: 1)
        let second = Task {
            try await store.environment.write { transaction in
                #expect(throws: KeyValueError.transactionEnded) { try smuggler.write!.put([1], [1], in: table) }
                try transaction.put([2], [2], in: table)
            }
        }
        await blocked.waitForQueue(of: 2)
        blocked.release()
        try await first.value
        try await second.value
        try #expect(store.contents() == [[2]: [2]])
    }

    @Test("Writing is refused while a closure holds bytes of the map")
    func nothingChangesWhileBytesAreLent() async throws {
        let store = try TestStore()
        let table = store.table
        try await store.put([1], [1])
        try await store.environment.write { transaction in
            let reads = transaction.reads
            let ended = KeyValueError.transactionEnded
            let key: [UInt8] = [1]
            _ = try reads.get(key.span.bytes, in: table) { value in
                #expect(throws: ended) { try transaction.put([1], [2], in: table) }
                #expect(throws: ended) { try transaction.delete([1], in: table) }
                #expect(throws: ended) { try transaction.removeAll(in: table) }
                #expect(value.copied == [1])
            }
            try reads.withCursor(over: table) { cursor in
                try #expect(cursor.moveToFirst())
                try cursor.withEntry { _, _ -> Void in
                    #expect(throws: ended) { try transaction.put([1], [2], in: table) }
                }
            }
            try transaction.put([1], [3], in: table)
        }
        try #expect(store.value(of: [1]) == [3])
    }

    @Test("A read sees one moment and a write sees itself")
    func aReadSeesOneMomentAndAWriteSeesItself() async throws {
        let store = try TestStore()
        let table = store.table
        try await store.put([1], [1])
        let isWritten = DispatchSemaphore(value: 0)
        let (values, value) = AsyncStream<[UInt8]?>.makeStream()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        Thread.detachNewThread {
            try? store.environment.read { transaction in
                begin.finish()
                isWritten.wait()
                value.yield(try transaction.value(of: [1], in: table))
            }
            value.finish()
        }
        for await _ in begun {}
        try await store.environment.write { transaction in
            try transaction.put([1], [2], in: table)
            try #expect(transaction.reads.value(of: [1], in: table) == [2])
            try #expect(store.value(of: [1]) == [1])
        }
        try #expect(store.value(of: [1]) == [2])
        isWritten.signal()
        for await seen in values { #expect(seen == [1]) }
    }

    @Test("Using a closed store is an error")
    func aClosedStoreSaysSo() async throws {
        let store = try TestStore()
        store.environment.close()
        store.environment.close()
        await #expect(error { try await store.put([1], [1]) } == .closed)
        #expect(throws: KeyValueError.closed) { try store.contents() }
        #expect(throws: KeyValueError.closed) { try store.environment.openTables(["main"]) }
        #expect(throws: KeyValueError.closed) { try store.environment.observeCommits {} }
        #expect(store.environment.clearDeadReaders() == 0)
        _ = store.environment.statistics
    }

    @Test("Closing finishes queued writes")
    func closingFinishesWhatIsQueued() async throws {
        let store = try TestStore()
        let blocked = await BlockedWriter(store)
        let tasks = (0..<20 as Range<UInt8>).map { number in Task { try await store.put([number], [number]) } }
        await blocked.waitForQueue(of: 20)
        let closing = Task.detached { store.environment.close() }
        blocked.release()
        await closing.value
        for task in tasks { try await task.value }
        let reopened = try Environment.open(at: store.path)
        let table = try reopened.openTables(["main"])[0]
        try #expect(reopened.read { try $0.entryCount(of: table) } == 20)
    }
}
