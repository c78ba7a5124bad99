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
/// It keeps the functions of ``Journal`` closed, for the screen of an application. It does not encrypt the store: the
/// transactions of the store are not affected.
///
///     scene.didEnterBackground { store.journals.lock.suspend() }
///     if store.journals.lock.isLocked { store.journals.lock.unlock(try await recognizeOwner()) }
public final class JournalLock: Sendable {
    private let store: RecordStore
    /// Whether it is locked; nil before the settings were read, at the first use after a launch.
    private let state = ForkSafeMutex<Bool?>(nil)

    init(store: RecordStore) {
        self.store = store
    }

    /// Whether the journal is locked: after a launch and after `suspend`, if the lock is on. If the settings cannot be read,
    /// it counts as locked.
    public var isLocked: Bool { (try? current()) ?? true }

    /// Locks the journal at once if the lock is on: call it when the application becomes inactive.
    public func suspend() {
        state.withLock { $0 = (try? isEnabled()) ?? true }
    }

    /// Opens the journal if its owner was recognized; otherwise it stays as it is, and the owner can try again.
    ///
    /// - Returns: Whether the journal is open now.
    @discardableResult
    public func unlock(_ result: AuthenticationResult) -> Bool {
        if result == .recognized { state.withLock { $0 = false } }
        return !isLocked
    }

    /// Throws when the journal is locked.
    func check() throws(JournalError) {
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
