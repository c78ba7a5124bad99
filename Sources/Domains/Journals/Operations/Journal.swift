import CivilTime
import FoundationEssentials
import Records

/// The journals of a store: threads, their entries, custom fields and drafts. Every operation is durable when it returns.
///
///     let thread = try await store.journals.createThread("Garden")
///     try await store.journals.addEntry("The first tulip.", to: thread.id)
///     for entry in try store.journals.entries(of: thread.id) { print(entry.timestamp, entry.content) }
///
/// While the journal is locked, everything but saving a draft and reading the settings throws `JournalError.locked`; see ``lock``.
public final class Journal: Sendable {
    let access: DomainStore<JournalError>
    /// The gate that keeps a journal closed until its owner was recognized.
    public let lock: JournalLock
    /// The savers of drafts, which must not save again what became an entry.
    let savers: DraftSavers
    let offer: LastOffer<ThreadUndoNotice>

    /// The collections of journals.
    public static let schema = Schema(domain: "journals").adding(JournalThread.collection)
        .adding(JournalEntry.collection).adding(CustomField.collection).adding(CustomFieldGroup.collection)
        .adding(EntryFieldValue.collection).adding(JournalDraft.collection).adding(JournalSettings.collection)
        .declaring(JournalOperation.declarations)

    /// Creates the journals of a store that was opened with `Journal.schema`.
    package init(store: RecordStore) {
        access = DomainStore(store, domain: "journals")
        lock = JournalLock(store: store)
        savers = DraftSavers()
        offer = LastOffer(clock: store.context.clock)
    }

    /// Creates the journals of a session: operations show at once, and return when they are durable. They are locked with those of
    /// the store.
    package init(session: OptimisticSession, of journal: Journal) {
        access = DomainStore(journal.store, session: session, domain: "journals")
        lock = journal.lock
        savers = journal.savers
        offer = LastOffer(clock: journal.store.context.clock)
    }

    var store: RecordStore { access.store }

    // MARK: Read

    /// Reads from one consistent snapshot.
    ///
    /// - Throws: `JournalError`, with errors of the store as `JournalError.store`, and `locked` also if the journal is locked
    ///   meanwhile; other errors of the closure unchanged.
    public func read<Result>(_ body: (JournalReading) throws -> Result) throws -> Result {
        try lock.check()
        return try access.read { transaction in
            let result = try body(JournalReading(transaction: transaction, lock: lock))
            try lock.check()
            return result
        }
    }

    /// Returns a thread with the number of its entries.
    public func summary(of thread: JournalThread) throws(JournalError) -> ThreadSummary {
        try view { try $0.summary(of: thread) }
    }

    /// Returns the question that a person is asked before a thread is deleted.
    public func deletionQuestion(
        of thread: JournalThread, texts: some JournalTexts = EnglishJournalTexts()
    ) throws(JournalError) -> String {
        try view { try $0.deletionQuestion(of: thread, texts: texts) }
    }

    /// Reads, and converts what the reading throws.
    func view<Result>(_ body: (JournalReading) throws -> Result) throws(JournalError) -> Result {
        try JournalError.rethrowing { try read(body) }
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
        let savers = savers
        return try await access.write(JournalOperation.several) {
            try body(JournalTransaction(transaction: $0, savers: savers))
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

    /// Runs an operation whether the journal is locked or not.
    func writeUnlocked<Result: Sendable>(
        _ operation: JournalOperation, continuing first: UInt64? = nil, reclaims: Bool = false,
        _ body: @escaping @Sendable (JournalTransaction) throws -> Result
    ) async throws(JournalError) -> (result: Result, sequence: UInt64) {
        let savers = savers
        return try await access.writeNumbered(operation, continuing: first, reclaims: reclaims) {
            try body(JournalTransaction(transaction: $0, savers: savers))
        }
    }
}
