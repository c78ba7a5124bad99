import Daybook
import Sync
import Synchronization

/// The status of a service, and those who follow it.
final class StatusBoard: Sendable {
    private struct State {
        var status: SyncStatus
        var blocked: SyncFailure?
        var readers: [Int: AsyncStream<SyncStatus>.Continuation] = [:]
        var nextReader = 0
    }

    private let state: Mutex<State>

    init(_ status: SyncStatus) { state = Mutex(State(status: status)) }

    deinit {
        for reader in state.withLock({ $0.readers.values }) { reader.finish() }
    }

    /// The latest status.
    var status: SyncStatus { state.withLock { $0.status } }

    /// Why nothing is exchanged before a person does something; nil while the service continues by itself.
    var blocked: SyncFailure? { state.withLock { $0.blocked } }

    /// The latest status and those that follow.
    var statuses: AsyncStream<SyncStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncStatus.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            // Within the lock, so that no later status comes before it.
            continuation.yield(state.status)
            return state.nextReader
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in _ = state.readers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Shows another phase, and the counts of the replica if it is at hand.
    func show(
        _ phase: SyncStatus.Phase, code: String? = nil, blocked: SyncFailure? = nil, counts: ReplicaStatus? = nil
    ) {
        state.withLock { state in
            let former = state.status
            state.blocked = blocked
            state.status.phase = phase
            state.status.failureCode = code
            state.status.count(counts)
            guard state.status != former else { return }
            for reader in state.readers.values { reader.yield(state.status) }
        }
    }

    /// Shows the counts of the replica in the same phase.
    func refresh(_ counts: ReplicaStatus) {
        state.withLock { state in
            let former = state.status
            state.status.count(counts)
            guard state.status != former else { return }
            for reader in state.readers.values { reader.yield(state.status) }
        }
    }
}

extension SyncStatus {
    fileprivate mutating func count(_ counts: ReplicaStatus?) {
        guard let counts else { return }
        pendingCount = counts.pending
        lastSuccess = counts.lastSuccess
    }
}
