import Dispatch
import Threading

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs the Swift tasks of a world on one thread, one job at a time, in a deterministic order.
///
/// Jobs from this thread run before jobs from other threads (a store's writer), so that each of the latter starts from
/// a settled state.
final class SimulatedExecutor: TaskExecutor {
    private struct State {
        var own = JobQueue()
        var foreign = JobQueue()
        var waiters: [Waiter] = []
        var thread: pthread_t?
    }

    /// A task that resumes when no job is left.
    private struct Waiter {
        var isSatisfied: @Sendable () -> Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private let state = ForkSafeMutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    /// A guard against waiting forever for another thread; never part of a result.
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

    /// Runs jobs until the condition holds and none is left.
    ///
    /// - Parameter whenStuck: called when no job can run; returns whether it has made one runnable.
    /// - Returns: false if nothing happened for so long that nothing will.
    func run(until isFinished: () -> Bool, whenStuck: () -> Bool) -> Bool {
        state.withLock { $0.thread = pthread_self() }
        defer { state.withLock { $0.thread = nil } }
        let executor = asUnownedTaskExecutor()
        while true {
            while let job = state.withLock({ $0.own.popFirst() ?? $0.foreign.popFirst() }) {
                job.runSynchronously(on: executor)
            }
            if isFinished() { return true }
            // Another thread is about to add jobs, perhaps here.
            guard !PendingWakes.exist else {
                sched_yield()
                continue
            }
            // What it added since the queues were empty comes first.
            guard state.withLock({ $0.own.isEmpty && $0.foreign.isEmpty }) else { continue }
            if resumeWaiter(late: false) || whenStuck() { continue }
            if arrivals.wait(timeout: .now() + patience) == .timedOut, !resumeWaiter(late: true) { return false }
        }
    }

    /// Waits until no other job can run and the condition holds. Returns false if it never holds.
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

/// A first-in, first-out queue of jobs.
struct JobQueue {
    private var jobs: [UnownedJob] = []
    private var first = 0

    var isEmpty: Bool { jobs.isEmpty }

    mutating func append(_ job: UnownedJob) {
        jobs.append(job)
    }

    mutating func popFirst() -> UnownedJob? {
        guard first < jobs.count else { return nil }
        defer {
            first += 1
            if first == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                first = 0
            }
        }
        return jobs[first]
    }
}
