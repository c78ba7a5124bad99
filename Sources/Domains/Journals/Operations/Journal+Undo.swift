import CivilTime
import FoundationEssentials
import Records

/// An offer to undo the deletion of a thread.
public struct ThreadUndoNotice: UndoOffer {
    /// The thread that was deleted.
    public let thread: UUID
    /// The sequence number of the change.
    public let sequence: UInt64
    /// The end of the offer.
    public let deadline: MonotonicTime
}

extension Journal {
    /// The offer to undo the last deletion of a thread, for 5 seconds, or as ``JournalSettings/undoSeconds`` says, of the monotonic
    /// clock, which steps of the wall clock do not change. It is kept in memory: a restart ends it.
    public var undoNotice: ThreadUndoNotice? { offer.current }

    /// Follows the offer: each new one, and nil when it ends.
    public func observeUndoNotice() -> LiveOffer<ThreadUndoNotice> { LiveOffer(of: offer) }

    /// Undoes the deletion of a notice: the thread and its entries are again as they were. Throws `undoExpired` after its
    /// deadline, and if it is undone already. The offer stays if the undo failed for a reason that may pass.
    public func undo(_ notice: ThreadUndoNotice) async throws(JournalError) {
        try await offer.use(notice, orThrow: .undoExpired, retryingAfter: \.mayPass) { () async throws(JournalError) in
            try await write(.restoreThread) { try $0.transaction.undo(notice.sequence) }
        }
    }

    /// The end of the offer to undo a deletion that was just made; nil if none is offered.
    func undoDeadline() throws -> MonotonicTime? {
        guard let chosen = try store.read({ try $0.journals.settings().undoSeconds }) else {
            return store.undoDeadline(of: JournalOperation.deleteThread.rawValue)
        }
        return chosen == 0 ? nil : store.context.clock.monotonic.advanced(byMicroseconds: Int64(chosen) * 1_000_000)
    }
}

extension JournalError {
    /// Whether the store failed, or the journal is locked, as opposed to a rule that forbids the undo.
    fileprivate var mayPass: Bool { isOfStore || self == .locked }
}
