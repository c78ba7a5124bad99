import Synchronization

/// Lets tasks sleep until something was committed. Nothing runs in the meantime.
///
/// Read `generation` before looking at the store, look, then wait past it: a commit in between ends the wait at once, so
/// none is missed.
public final class CommitSignal: Sendable {
    private struct State {
        var generation: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let state = Mutex(State())

    /// How often the signal was raised.
    public var generation: UInt64 { state.withLock { $0.generation } }

    func raise() {
        let waiters = state.withLock { state in
            state.generation += 1
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Returns when the signal was raised since `generation` was read. Throws when the task is cancelled.
    public func wait(past generation: UInt64) async throws(CancellationError) {
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
