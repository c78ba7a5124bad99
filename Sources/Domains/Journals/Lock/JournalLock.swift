import CivilTime
import Records
import Threading

/// What the system found when it tried to recognize a journal's owner.
public enum AuthenticationResult: Sendable, Hashable {
    /// It is the owner.
    case recognized
    /// It is somebody else, or nobody could be recognized. The owner can try again.
    case failed
    /// The person did not want to be recognized now.
    case cancelled
}

/// The gate that keeps a journal closed until its owner was recognized. There is no grace period.
///
/// It keeps the functions of ``Journal`` and the exports and imports of threads closed, for the screen of an application, also those
/// that run at the moment of locking: readings, searches and exports throw `JournalError.locked` instead of going on, and live views
/// end with it without waiting for a change. A change that was begun before is completed. It does not encrypt the store: transactions
/// of the store, snapshots and dumps are not affected.
///
///     scene.didEnterBackground { store.journals.lock.suspend() }
///     if store.journals.lock.isLocked { store.journals.lock.unlock(try await recognizeOwner()) }
public final class JournalLock: Sendable {
    /// What an application shows of a journal.
    public enum State: Sendable, Hashable {
        /// The journal is shown.
        case open
        /// Its owner has to be recognized first.
        case locked
    }

    private let store: RecordStore
    fileprivate let changes = Signal()
    /// Whether it is locked; nil before the settings were read, at the first use after a launch.
    private let state = ForkSafeMutex<Bool?>(nil)

    init(store: RecordStore) {
        self.store = store
    }

    /// Whether the journal is locked: after a launch and after `suspend`, if the lock is on. If the settings cannot be read,
    /// it counts as locked.
    public var isLocked: Bool { (try? current()) ?? true }

    /// The present state, and each other one that follows, for the screen that covers a journal.
    ///
    ///     for try await state in store.journals.lock.states { isCovered = state == .locked }
    public var states: States { States(lock: self) }

    /// Locks the journal at once if the lock is on: call it when the application becomes inactive.
    public func suspend() {
        // Read before: others check the state inside their transactions, so nothing may wait for the store while it is held.
        let isOn = (try? isEnabled()) ?? true
        state.withLock { $0 = isOn }
        changes.raise()
        // Live views that wait for a change find that they are locked.
        if isOn { store.reportNews() }
    }

    /// Opens the journal if its owner was recognized; otherwise it stays as it is, and the owner can try again.
    ///
    /// - Returns: Whether the journal is open now.
    @discardableResult
    public func unlock(_ result: AuthenticationResult) -> Bool {
        if result == .recognized {
            state.withLock { $0 = false }
            changes.raise()
        }
        return !isLocked
    }

    /// Throws `locked` when the journal is locked.
    package func check() throws(JournalError) {
        do {
            guard try current() else { return }
        } catch {
            throw JournalError(error)
        }
        throw .locked
    }

    private func current() throws -> Bool {
        if let known = state.withLock({ $0 }) { return known }
        let isOn = try isEnabled()
        return state.withLock { state in
            if let known = state { return known }
            state = isOn
            return isOn
        }
    }

    private func isEnabled() throws -> Bool {
        try store.read { try $0.journals.settings().isLockEnabled }
    }
}

extension JournalLock {
    /// The states of a lock, as they follow each other. Nothing runs between two of them; a state that another one has replaced
    /// before anybody asked for it is left out.
    public struct States: AsyncSequence, Sendable {
        /// A state.
        public typealias Element = State

        let lock: JournalLock

        /// Begins with the present state.
        public func makeAsyncIterator() -> Iterator { Iterator(lock: lock) }

        /// Compares the state with the one returned last.
        public struct Iterator: AsyncIteratorProtocol, Sendable {
            let lock: JournalLock
            private var last: State?

            init(lock: JournalLock) {
                self.lock = lock
            }

            /// Waits until the state is another one, and returns it; the first at once.
            ///
            /// - Throws: `CancellationError` when the task is cancelled.
            public mutating func next() async throws -> State? {
                while true {
                    let generation = lock.changes.generation
                    let current: State = lock.isLocked ? .locked : .open
                    if last != current {
                        last = current
                        return current
                    }
                    try await lock.changes.wait(past: generation)
                }
            }
        }
    }
}

extension Journal {
    /// Turns the lock on or off. The journal must be open.
    ///
    /// - Parameter isAvailable: whether the system can recognize its owner; without that the lock cannot be turned on.
    /// - Throws: `JournalError`: `locked`, `lockUnavailable`.
    public func setLock(_ isEnabled: Bool, isAvailable: Bool) async throws(JournalError) {
        guard isAvailable || !isEnabled else { throw .lockUnavailable }
        try await write(.keep) { transaction in
            _ = try transaction.changeSettings { $0.isLockEnabled = isEnabled }
        }
    }
}
