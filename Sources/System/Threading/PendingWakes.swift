import Glibc

/// Threads that have decided which tasks to wake, and have not yet woken all of them.
///
/// Such a task no longer waits and is not yet enqueued: it will run, and nothing else shows it. A simulation that did not know
/// would let time pass before the task has noticed a commit.
package enum PendingWakes {
    private static let threads = ForkSafeMutex(acrossForks: ThreadCount())

    /// Whether there are any in this process.
    package static var exist: Bool { threads.withLock { $0.change(by: 0) > 0 } }

    /// Runs what wakes tasks.
    package static func during(_ waking: () -> Void) {
        threads.withLock { _ = $0.change(by: 1) }
        defer { threads.withLock { _ = $0.change(by: -1) } }
        waking()
    }

    private struct ThreadCount {
        private var count = 0
        private var process = getpid()

        mutating func change(by difference: Int) -> Int {
            // The other threads of before a fork do not exist in its child.
            if process != getpid() { self = ThreadCount() }
            count += difference
            return count
        }
    }
}
