import Glibc

/// A mutex with a condition, which Swift's standard library does not have. A thread waits on it without a time-out, so
/// that one that has nothing to do causes no wake-ups.
@safe package final class Monitor: @unchecked Sendable {
    // Both pointers are set once and only used through pthread calls.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let condition: UnsafeMutablePointer<pthread_cond_t>

    /// Creates a monitor.
    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        // Time limits must not depend on somebody who sets the clock.
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs a closure that no other thread runs at the same time.
    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// For what cannot be a closure: the handlers around a fork.
    func lock() {
        unsafe pthread_mutex_lock(mutex)
    }

    /// Ends `lock`.
    func unlock() {
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits until another thread calls `wakeAll`. Only inside `withLock`; the condition must be checked again after it.
    package func wait() {
        unsafe pthread_cond_wait(condition, mutex)
    }

    /// Waits like `wait()`, at most so many milliseconds; returns whether another thread has called `wakeAll`.
    package func wait(milliseconds: Int) -> Bool {
        var end = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = end.tv_nsec + milliseconds % 1_000 * 1_000_000
        end.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        return unsafe pthread_cond_timedwait(condition, mutex, &end) == 0
    }

    /// Wakes all threads that wait.
    package func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// The stack of a thread that runs no code of callers. The system's default of 8 MiB counts in full against a limit on
/// memory (`ulimit -d`), however little of it is used.
let smallStackSize = 1 << 20

/// Starts a detached thread. Returns the system's error code, 0 for none.
///
/// - Parameter stackSize: nil for the system's default.
package func startDetachedThread(stackSize: Int? = nil, _ run: @escaping @Sendable () -> Void) -> Int32 {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    // A size that the system does not take leaves the default.
    if let stackSize { unsafe pthread_attr_setstacksize(&attributes, stackSize) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { unsafe pthread_attr_destroy(&attributes) }
    let body = unsafe Unmanaged.passRetained(ThreadBody(run))
    var thread = pthread_t()
    let code = unsafe pthread_create(
        &thread, &attributes,
        { argument in
            if let argument = unsafe argument {
                unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
            }
            return nil
        }, unsafe body.toOpaque())
    if code != 0 { unsafe body.release() }
    return code
}
