import Dispatch
import Testing
import Threading

@testable import KeyValue

@Suite(.timeLimit(.minutes(15))) struct MapGateTests {
    @Test("The map grows after earlier reads have ended, and later reads wait for it [S-8]")
    func readWhileGrowthWaits() async throws {
        let store = try TestStore()
        let gate = store.environment.handle.gate
        let before = (changes: gate.current.changeCount, size: store.environment.statistics.mapSize)
        let earlier = ReadOnThread(store)
        await until { earlier.moment != nil }
        // More than half of the map, which the writer thread doubles after the caller has resumed.
        try await store.put([1], [UInt8](repeating: 1, count: before.size * 5 / 8))
        await until { gate.current.isChanging || gate.current.changeCount > before.changes }
        #expect(gate.current.changeCount == before.changes, "the map has changed its size under a reader")

        let later = ReadOnThread(store)
        later.release()
        await until { gate.current.waiting == 1 || later.moment != nil }
        #expect(later.moment == nil, "a reader was let in while the change waited")
        #expect(gate.current.inside == 1)

        earlier.release()
        await until { earlier.isOver && later.isOver }
        #expect(earlier.moment?.mapSize == before.size)
        #expect(later.moment?.gate.isChanging == false)
        #expect(later.moment?.gate.changeCount == before.changes + 1)
        #expect(later.moment?.mapSize == before.size * 2)
        #expect(later.moment?.entryCount == 1)
        #expect(gate.current.waiting == 0)
    }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}

/// A read on a dedicated thread, which continues until it is released.
private final class ReadOnThread: Sendable {
    /// The value that the read has found.
    struct Moment {
        let gate: MapGate.State
        let mapSize: Int
        let entryCount: Int
    }

    private let released = DispatchSemaphore(value: 0)
    private let state = ForkSafeMutex<(moment: Moment?, isOver: Bool)>((nil, false))

    init(_ store: TestStore) {
        let code = startDetachedThread {
            try? store.environment.read { transaction in
                let moment = Moment(
                    gate: store.environment.handle.gate.current, mapSize: store.environment.statistics.mapSize,
                    entryCount: try transaction.entryCount(of: store.table))
                self.state.withLock { $0.moment = moment }
                self.released.wait()
            }
            self.state.withLock { $0.isOver = true }
        }
        if code != 0 { Issue.record("no thread") }
    }

    var moment: Moment? { state.withLock { $0.moment } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func release() { released.signal() }
}
