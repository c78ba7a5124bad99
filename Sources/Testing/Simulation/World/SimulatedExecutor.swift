import Dispatch
import Threading

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs the Swift tasks of a world on one thread, one piece of work after the other, in an order that nothing outside
/// decides.
///
/// Work that this thread brings up runs before work that comes from other threads (a store's writer), so that each of
/// those finds everything settled that came before it.
final class SimulatedExecutor: TaskExecutor {
    private struct State {
        var own = JobQueue()
        var foreign = JobQueue()
        var waiters: [Waiter] = []
        var thread: pthread_t?
    }

    /// A task that goes on when nothing else can.
    private struct Waiter {
        var isSatisfied: @Sendable () -> Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private let state = ForkSafeMutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    /// Another thread may be slow, but not as slow as this: a guard against waiting for ever, no part of any result.
    private let patience: DispatchTimeInterval

    init(patience: DispatchTimeInterval = .seconds(20)) {
        self.patience = patience
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isForeign = state.withLock { state in
            if let thread = state.thread, pthread_equal(thread, pthread_self()) != 0 {
                state.own.append(job)
                return false
            }
            state.foreign.append(job)
            return true
        }
        if isForeign { arrivals.signal() }
    }

    /// Runs everything until the condition holds and nothing is left to run.
    ///
    /// - Parameter whenStuck: called when nothing can run; returns whether it has changed that.
    /// - Returns: false when nothing happened for so long that nothing will.
    func run(until isFinished: () -> Bool, whenStuck: () -> Bool) -> Bool {
        state.withLock { $0.thread = pthread_self() }
        defer { state.withLock { $0.thread = nil } }
        let executor = asUnownedTaskExecutor()
        while true {
            while let job = state.withLock({ $0.own.popFirst() ?? $0.foreign.popFirst() }) {
                job.runSynchronously(on: executor)
            }
            if isFinished() { return true }
            if resumeWaiter(late: false) || whenStuck() { continue }
            if arrivals.wait(timeout: .now() + patience) == .timedOut, !resumeWaiter(late: true) { return false }
        }
    }

    /// Returns when nothing else can run and the condition holds; false when it does not come to hold.
    func settle(until isSatisfied: @escaping @Sendable () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.waiters.append(Waiter(isSatisfied: isSatisfied, continuation: continuation))
            }
        }
    }

    private func resumeWaiter(late: Bool) -> Bool {
        guard let waiter = state.withLock({ $0.waiters.first }), late || waiter.isSatisfied() else { return false }
        _ = state.withLock { $0.waiters.removeFirst() }
        waiter.continuation.resume(returning: !late)
        return true
    }
}
