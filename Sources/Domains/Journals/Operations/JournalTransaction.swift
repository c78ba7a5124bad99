import CivilTime
import FoundationEssentials
import Records

/// The operations on journals within a write transaction: `transaction.journals`. Several of them are one change, all or
/// nothing.
///
/// `Journal` offers the same operations, each in a separate transaction. Here each throws the `JournalError` that it names,
/// and `RecordsError` if the store fails; `Journal` reports these as `JournalError.store`.
public struct JournalTransaction {
    let transaction: WriteTransaction
    /// The savers that learn of entries; nil for transactions of the store.
    var savers: DraftSavers?

    /// What can be read at this point of the transaction.
    public var reading: JournalReading { JournalReading(transaction: transaction) }

    var now: Instant { transaction.context.clock.wall }

    /// The length limit of a text, in bytes of UTF-8.
    static let textLimit = 16 << 20

    // MARK: Threads

    /// Creates a thread, with a first entry if one is given.
    ///
    /// - Throws: `JournalError`: `emptyTitle`, `emptyContent`, `unusableText`, `duplicateID`.
    @discardableResult
    public func createThread(_ title: String, firstEntry: String? = nil, id: UUID? = nil) throws -> JournalThread {
        try Self.check(title: title)
        let thread = JournalThread(id: id ?? transaction.identifiers.next(), title: title, createdAt: now)
        try insert(thread)
        guard let firstEntry else { return thread }
        try addEntry(NewEntry(firstEntry), to: thread.id)
        return try self.thread(thread.id)
    }

    /// Gives a thread another title. The same title changes nothing.
    ///
    /// - Throws: `JournalError`: `noSuchThread`, `emptyTitle`, `unusableText`.
    @discardableResult
    public func renameThread(_ id: UUID, to title: String) throws -> JournalThread {
        var thread = try thread(id)
        guard thread.title != title else { return thread }
        try Self.check(title: title)
        thread.title = title
        return try touch(&thread)
    }

    /// Deletes a thread. It can be restored with everything in it, until it is purged.
    ///
    /// - Throws: `JournalError.noSuchThread`.
    @discardableResult
    public func deleteThread(_ id: UUID) throws -> JournalThread {
        var thread = try thread(id)
        // Its time of change stays as it is, so that restoring it brings it back exactly.
        thread.deletedAt = max(now, thread.createdAt)
        try transaction.put(thread)
        return thread
    }

    /// Restores a deleted thread: its entries are there again, except those that were deleted before it.
    ///
    /// - Throws: `JournalError.noSuchThread`. Restoring a thread that is not deleted changes nothing.
    @discardableResult
    public func restoreThread(_ id: UUID) throws -> JournalThread {
        guard var thread = try reading.thread(id, deleted: true) else { throw JournalError.noSuchThread }
        thread.deletedAt = nil
        try transaction.put(thread)
        return thread
    }

    /// Removes a thread with its entries, fields, groups, values and draft, and their images in the change log. It cannot
    /// be undone.
    ///
    /// - Returns: The thread as it was, and how many entries were removed with it, deleted ones included.
    /// - Throws: `JournalError.noSuchThread`.
    /// - Complexity: some steps for each record that is removed, and for each change in the log. The ids of the entries are
    ///   held in memory.
    @discardableResult
    public func purgeThread(_ id: UUID) throws -> (thread: JournalThread, entries: Int) {
        guard let thread = try reading.thread(id, deleted: true) else { throw JournalError.noSuchThread }
        // What was undone has left the indexes, and is still in the change log.
        var entries = try transaction.loggedIDs(of: JournalEntry.self) { $0.threadID == id }
        var fields = try transaction.loggedIDs(of: CustomField.self) { $0.threadID == id }
        var count = 0
        try transaction[JournalEntry.inThread].forEachKey(prefix: id) { _, entry in
            count += 1
            entries.insert(entry)
            return true
        }
        fields.formUnion(try transaction[CustomField.inThread].prefix(id).map(\.id))
        // The references remove the rest.
        try transaction.delete(JournalThread.self, id: id)
        try transaction.purgeHistory(of: JournalThread.self, id: id)
        try transaction.purgeHistory(of: JournalEntry.self) { entries.contains($0) }
        try transaction.purgeHistory(of: EntryFieldValue.self) { entries.contains($0.entry) }
        try transaction.purgeHistory(of: CustomField.self) { fields.contains($0) }
        try transaction.purgeHistory(of: CustomFieldGroup.self) { fields.contains($0) }
        return (thread, count)
    }

    /// Returns the thread of an id that is not deleted.
    ///
    /// - Throws: `JournalError.noSuchThread`.
    public func thread(_ id: UUID) throws -> JournalThread {
        guard let thread = try reading.thread(id) else { throw JournalError.noSuchThread }
        return thread
    }

    func insert(_ thread: JournalThread) throws {
        do {
            try transaction.insert(thread)
        } catch RecordsError.duplicate {
            throw JournalError.duplicateID
        }
    }

    /// Notes the time of a change of a thread, which ascends with each one.
    @discardableResult
    func touch(_ thread: inout JournalThread) throws -> JournalThread {
        thread.updatedAt = max(now, thread.updatedAt.advanced(byMicroseconds: 1))
        let saved = thread
        try transaction.put(saved)
        return saved
    }

    /// Notes that a thread was changed by an import.
    package func noteChange(of thread: UUID) throws { try touchThread(thread) }

    func touchThread(_ id: UUID) throws {
        var thread = try thread(id)
        try touch(&thread)
    }

    // MARK: Drafts and settings

    /// Saves what a person is writing in a thread, in place of the draft before. A blank text without values clears the draft.
    ///
    /// - Parameter values: The texts for custom fields, by the fields' ids; nil for those that the draft has.
    /// - Throws: `JournalError`: `noSuchThread`, `unusableText`.
    @discardableResult
    public func saveDraft(
        _ content: String, values: [UUID: String]? = nil, for thread: UUID
    ) throws -> JournalDraft? {
        try Self.checkUsable(content)
        for value in (values ?? [:]).values { try Self.checkUsable(value) }
        _ = try self.thread(thread)
        guard !content.allSatisfy(\.isWhitespace) || values?.isEmpty == false else {
            try clearDraft(of: thread)
            return nil
        }
        var draft = JournalDraft(thread: thread, content: content, savedAt: now)
        draft.values = try values ?? reading.draft(of: thread)?.values ?? [:]
        let saved = draft
        try transaction.put(saved)
        return saved
    }

    /// Removes the draft of a thread; returns whether there was one.
    @discardableResult
    public func clearDraft(of thread: UUID) throws -> Bool {
        try transaction.delete(JournalDraft.self, id: thread)
    }

    /// Changes the settings. Whether the journal is locked and whether entries get a place is changed by the functions of
    /// `Journal`, which ask for permission.
    @discardableResult
    public func changeSettings(_ change: (inout JournalSettings) -> Void) throws -> JournalSettings {
        var settings = try reading.settings()
        change(&settings)
        try transaction.put(settings)
        return settings
    }

    // MARK: Checks

    static func check(title: String) throws {
        guard !title.allSatisfy(\.isWhitespace) else { throw JournalError.emptyTitle }
        try checkUsable(title)
    }

    static func check(content: String) throws {
        guard !content.allSatisfy(\.isWhitespace) else { throw JournalError.emptyContent }
        try checkUsable(content)
    }

    static func checkUsable(_ text: String) throws {
        guard text.utf8.count <= textLimit, !text.hasNUL else { throw JournalError.unusableText }
    }
}

extension WriteTransaction {
    /// The operations on journals in this transaction.
    public var journals: JournalTransaction { JournalTransaction(transaction: self) }
}
