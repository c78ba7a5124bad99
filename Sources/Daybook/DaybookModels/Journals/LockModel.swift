import Daybook
import Observation

/// Whether a journal is locked, for the screen that covers it.
@MainActor @Observable
public final class LockModel: LiveModel {
    /// Whether the journal is locked; true until that is known.
    public private(set) var isLocked = true
    /// Whether the last attempt to recognize the owner has failed, so that they can be asked to try again.
    public private(set) var hasFailed = false

    @ObservationIgnored private let journal: Journal

    /// Follows the lock of a journal.
    public init(_ journal: Journal) {
        self.journal = journal
        super.init()
    }

    /// Locks at once, if the lock is on: when the application becomes inactive.
    public func suspend() {
        journal.lock.suspend()
        isLocked = journal.lock.isLocked
    }

    /// Unlocks if the owner was recognized.
    public func unlock(_ result: AuthenticationResult) {
        isLocked = !journal.lock.unlock(result)
        hasFailed = result == .failed
    }

    /// Turns the lock on or off.
    ///
    /// - Parameter isAvailable: whether the system can recognize anybody.
    public func setLock(_ isEnabled: Bool, isAvailable: Bool) async {
        await perform { [journal] in try await journal.setLock(isEnabled, isAvailable: isAvailable) }
    }

    override func start() {
        follow(journal.lock.states) { [weak self] in self?.isLocked = $0 == .locked }
    }
}
