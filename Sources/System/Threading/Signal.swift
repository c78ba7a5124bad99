/// A signal that tasks wait for before they check a condition again. Nothing runs in the meantime.
///
/// Read `generation`, check the condition, then wait past that generation: a change in between ends the wait at once,
/// so none is missed.
package final class Signal: Sendable {
    private struct State {
        var generation: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let state = ForkSafeMutex(State())

    /// A signal that was never raised.
    package init() {}

    /// How often the signal was raised.
    package var generation: UInt64 { state.withLock { $0.generation } }

    /// How many tasks are waiting.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Wakes all waiting tasks in the order in which they started to wait, so that runs are reproducible.
    package func raise() {
        PendingWakes.during {
            let waiters = state.withLock { state in
                state.generation += 1
                defer { state.waiters.removeAll() }
                return state.waiters
            }
            for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume() }
        }
    }

    /// Returns when the signal was raised since `generation` was read. Throws when the task is cancelled.
    package func wait(past generation: UInt64) async throws(CancellationError) {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.generation == generation, !Task.isCancelled else { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
        if Task.isCancelled { throw CancellationError() }
    }
}
