import Synchronization
import Testing

@testable import Records

struct LiveQueryTests {
    @Test("A result is read once, and again only after news, also one that equals nothing")
    func reads() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        let reads = Mutex(0)
        let live = store.observe { _ in
            reads.withLock { $0 += 1 }
            return Double.nan
        }
        var iterator = live.makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        let waits = try await Task { [iterator] in
            var iterator = iterator
            withUnsafeCurrentTask { $0?.cancel() }
            do {
                _ = try await iterator.next()
                return false
            } catch is CancellationError {
                return true
            }
        }.value
        #expect(waits && reads.withLock { $0 } == 1)
        try await store.write { try $0.put(Sensor(1, "roof")) }
        #expect(try await iterator.next()?.sequence == 1)
        #expect(reads.withLock { $0 } == 2)
    }
}
