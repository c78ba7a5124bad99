import Synchronization
import Threading

/// Those who want to know of commits: told directly of this process's, and by a file watch of another's.
final class CommitObservers: Sendable {
    private struct State {
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextIdentifier = 0
        var watch: FileWatch?
        var isStopped = false
    }

    private let handle: EnvironmentHandle
    private let state = ForkSafeMutex(State())
    /// The last transaction that the observers were told of, so that the watch does not repeat our own commits.
    private let lastTold = Atomic<UInt64>(0)

    init(handle: EnvironmentHandle) {
        self.handle = handle
    }

    func add(_ notify: @escaping @Sendable () -> Void) throws(KeyValueError) -> CommitObservation {
        let handle = handle
        let last = handle.statistics.lastTransaction
        let identifier = try state.withLock { (state) throws(KeyValueError) -> Int in
            guard !state.isStopped else { throw .closed }
            if state.watch == nil {
                lastTold.store(last, ordering: .relaxed)
                // Watching costs a thread, so it starts with the first observer; the thread sleeps in the kernel.
                state.watch = try FileWatch(path: "\(handle.path)/\(StoreFolder.dataFile)") { [weak self] in
                    self?.fileChanged()
                }
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
        lastTold.store(handle.statistics.lastTransaction, ordering: .relaxed)
        tellAll()
    }

    private func fileChanged() {
        let last = handle.statistics.lastTransaction
        guard lastTold.exchange(last, ordering: .relaxed) != last else { return }
        tellAll()
    }

    /// In the order in which they came, so that the same run has the same order.
    private func tellAll() {
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
