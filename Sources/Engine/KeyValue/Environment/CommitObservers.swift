import FileSystem
import Synchronization
import Threading

/// The observers of commits: notified directly of commits of this process, and through a file watch of those of others.
final class CommitObservers: Sendable {
    private struct State {
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextIdentifier = 0
        var watch: FileWatch?
        var isStopped = false
    }

    private let handle: EnvironmentHandle
    private let state = ForkSafeMutex(State())
    /// The last transaction that was reported to the observers and that readers saw then, so that the watch does not
    /// repeat commits of this process.
    private let lastReported = Atomic<UInt64>(0)

    init(handle: EnvironmentHandle) {
        self.handle = handle
    }

    func add(_ notify: @escaping @Sendable () -> Void) throws(KeyValueError) -> CommitObservation {
        let handle = handle
        let visible = try visibleTransaction()
        let identifier = try state.withLock { (state) throws(KeyValueError) -> Int in
            guard !state.isStopped else { throw .closed }
            if state.watch == nil {
                lastReported.store(visible, ordering: .relaxed)
                // Watching costs a thread, so it starts with the first observer; the thread sleeps in the kernel.
                let changed = { @Sendable [weak self] in self?.fileChanged() ?? true }
                state.watch = try systemCall("watch the store", FileWatch(path: handle.dataFile, changed))
            }
            state.nextIdentifier += 1
            state.observers[state.nextIdentifier] = notify
            return state.nextIdentifier
        }
        return CommitObservation { [weak self] in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: identifier) }
        }
    }

    func committed() {
        guard state.withLock({ !$0.observers.isEmpty }) else { return }
        if let visible = try? visibleTransaction() { lastReported.store(visible, ordering: .relaxed) }
        notifyAll()
    }

    /// The transaction whose state a reader that begins now sees.
    private func visibleTransaction() throws(KeyValueError) -> UInt64 {
        try RawReadTransaction(owning: handle.beginRead()).number
    }

    /// Reports what others have committed, as far as readers see it.
    ///
    /// A commit is in the file before it is in the table of readers, and the file watch wakes in between: who reads
    /// then sees the state before, and no event would follow.
    ///
    /// - Returns: whether readers see all that is in the file; otherwise this is to be called again.
    private func fileChanged() -> Bool {
        // The commits of others are in the new file.
        handle.followCompaction()
        let newest = handle.statistics.lastTransaction
        // Without a free slot nobody can read now.
        guard let visible = try? visibleTransaction() else { return false }
        if lastReported.exchange(visible, ordering: .relaxed) != visible { notifyAll() }
        return visible >= newest
    }

    /// In the order in which they came, so that the same run has the same order.
    private func notifyAll() {
        let observers = state.withLock { $0.observers }
        for (_, notify) in observers.sorted(by: { $0.key < $1.key }) { notify() }
    }

    func stop() {
        let watch = state.withLock { state in
            state.isStopped = true
            state.observers.removeAll()
            defer { state.watch = nil }
            return state.watch
        }
        watch?.stop()
    }
}

/// Keeps an observation of commits alive; it ends when this value goes.
public final class CommitObservation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}
