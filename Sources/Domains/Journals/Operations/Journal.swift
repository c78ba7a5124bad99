import CivilTime
import FoundationEssentials
import Logging
import Records
import Threading

/// The journals of a store: threads, their entries, custom fields and drafts. Every operation is durable when it returns.
///
///     let thread = try await store.journals.createThread("Garden")
///     try await store.journals.addEntry("The first tulip.", to: thread.id)
///     for entry in try store.journals.entries(of: thread.id) { print(entry.timestamp, entry.content) }
///
/// While the journal is locked, everything but saving a draft and reading the settings throws `JournalError.locked`; see ``lock``.
public final class Journal: Sendable {
    let store: RecordStore
    /// The session whose pending changes are shown; nil for what is durable only.
    let session: OptimisticSession?
    /// The gate that keeps a journal closed until its owner was recognized.
    public let lock: JournalLock
    /// The savers of drafts, which must not save again what became an entry.
    let savers: DraftSavers
    let notice = ForkSafeMutex<ThreadUndoNotice?>(nil)
    private let log = Logger(label: "daybook.journals")

    /// The collections of journals.
    public static let schema = Schema(domain: "journals").adding(JournalThread.collection)
        .adding(JournalEntry.collection).adding(CustomField.collection).adding(CustomFieldGroup.collection)
        .adding(EntryFieldValue.collection).adding(JournalDraft.collection).adding(JournalSettings.collection)
        .declaring(JournalOperation.declarations)

    /// Creates the journals of a store that was opened with `Journal.schema`.
    package init(store: RecordStore) {
        self.store = store
        session = nil
        lock = JournalLock(store: store)
        savers = DraftSavers()
    }

    /// Creates the journals of a session: operations show at once, and return when they are durable. They are locked with those of
    /// the store.
    package init(session: OptimisticSession, of journal: Journal) {
        store = journal.store
        self.session = session
        lock = journal.lock
        savers = journal.savers
    }

    // MARK: Read

    /// Reads from one consistent snapshot.
    ///
    /// - Throws: `JournalError`, with errors of the store as `JournalError.store`, and `locked` also if the journal is locked
    ///   meanwhile; other errors of the closure unchanged.
    public func read<Result>(_ body: (JournalReading) throws -> Result) throws -> Result {
        try lock.check()
        func read(_ transaction: ReadTransaction) throws -> Result {
            let result = try body(JournalReading(transaction: transaction, lock: lock))
            try lock.check()
            return result
        }
        do {
            guard let session else { return try store.read(read) }
            return try session.read(read)
        } catch let error as RecordsError {
            throw JournalError(error)
        }
    }

    /// Reads, and converts what the reading throws.
    func view<Result>(_ body: (JournalReading) throws -> Result) throws(JournalError) -> Result {
        try rethrowing { try read(body) }
    }

    // MARK: Write

    /// Runs several operations in one transaction: all or none.
    ///
    /// - Throws: As `read`; `CancellationError` when the task is cancelled.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (JournalTransaction) throws -> Result
    ) async throws -> Result {
        try lock.check()
        do {
            let label = JournalOperation.several.label
            let savers = savers
            let body = { @Sendable in try body(JournalTransaction(transaction: $0, savers: savers)) }
            guard let session else { return try await store.write(label, body) }
            return try await session.write(label, body)
        } catch let error as RecordsError {
            throw JournalError(error)
        }
    }

    func write<Result: Sendable>(
        _ operation: JournalOperation, reclaims: Bool = false,
        _ body: @escaping @Sendable (JournalTransaction) throws -> Result
    ) async throws(JournalError) -> Result {
        try await writeNumbered(operation, reclaims: reclaims, body).result
    }

    func writeNumbered<Result: Sendable>(
        _ operation: JournalOperation, continuing first: UInt64? = nil, reclaims: Bool = false,
        _ body: @escaping @Sendable (JournalTransaction) throws -> Result
    ) async throws(JournalError) -> (result: Result, sequence: UInt64) {
        try lock.check()
        return try await writeUnlocked(operation, continuing: first, reclaims: reclaims, body)
    }

    /// The same whether the journal is locked or not.
    func writeUnlocked<Result: Sendable>(
        _ operation: JournalOperation, continuing first: UInt64? = nil, reclaims: Bool = false,
        _ body: @escaping @Sendable (JournalTransaction) throws -> Result
    ) async throws(JournalError) -> (result: Result, sequence: UInt64) {
        let start = store.context.clock.monotonic
        do {
            let savers = savers
            let body = { @Sendable in try body(JournalTransaction(transaction: $0, savers: savers)) }
            let written =
                if let session {
                    try await session.writeNumbered(operation.label, continuing: first, reclaims: reclaims, body)
                } else {
                    try await store.writeNumbered(operation.label, continuing: first, reclaims: reclaims, body)
                }
            log.debug("\(operation)", metadata: ["microseconds": "\(elapsed(since: start))"])
            return written
        } catch {
            let error = JournalError(error)
            log.debug("\(operation)", metadata: ["microseconds": "\(elapsed(since: start))", "error": "\(error.code)"])
            throw error
        }
    }

    private func elapsed(since start: MonotonicTime) -> Int64 {
        store.context.clock.monotonic.microseconds(since: start)
    }
}

/// An offer to undo the deletion of a thread.
public struct ThreadUndoNotice: Sendable, Hashable {
    /// The thread that was deleted.
    public let thread: UUID
    /// The sequence number of the change.
    public let sequence: UInt64
    /// The end of the offer.
    public let deadline: MonotonicTime
}

extension Journal {
    /// The offer to undo the last deletion of a thread, for 5 seconds of the monotonic clock, which steps of the wall clock
    /// do not change. It is kept in memory: a restart ends it.
    public var undoNotice: ThreadUndoNotice? {
        notice.withLock { $0 }.flatMap { store.context.clock.monotonic <= $0.deadline ? $0 : nil }
    }

    /// Undoes the deletion of a notice: the thread and its entries are again as they were. Throws `undoExpired` after its
    /// deadline, and if it is undone already.
    public func undo(_ notice: ThreadUndoNotice) async throws(JournalError) {
        guard store.context.clock.monotonic <= notice.deadline else { throw .undoExpired }
        let isLast = self.notice.withLock { last in
            guard last == notice else { return false }
            last = nil
            return true
        }
        guard isLast else { throw .undoExpired }
        do {
            try await write(.restoreThread) { try $0.transaction.undo(notice.sequence) }
        } catch {
            // The offer stays valid if the undo failed for a reason that may pass.
            if error.isOfStore { self.notice.withLock { $0 = $0 ?? notice } }
            throw error
        }
    }
}
