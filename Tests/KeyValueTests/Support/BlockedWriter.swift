import Foundation
import KeyValue

/// Holds a store's writer thread inside a closure, so that what is written meanwhile queues up.
final class BlockedWriter: Sendable {
    private let environment: Environment
    private let gate = DispatchSemaphore(value: 0)

    /// Returns when the writer thread is held.
    init(_ store: TestStore) async {
        environment = store.environment
        let environment = store.environment
        let gate = gate
        let (begun, begin) = AsyncStream<Void>.makeStream()
        Task {
            try await environment.write { _ in
                begin.finish()
                gate.wait()
            }
        }
        for await _ in begun {}
    }

    /// Waits until so many closures are in the queue behind the held one.
    func waitForQueue(of count: Int) async {
        while environment.queuedWrites < count { await Task.yield() }
    }

    func release() {
        gate.signal()
    }
}
