import CivilTime
import FoundationEssentials
import Records

// Reading.
extension Journal {
    /// Returns the threads with the numbers of their entries, the last changed first. No entry is read.
    ///
    /// - Parameter includingDeleted: whether deleted threads are among them.
    public func threads(includingDeleted: Bool = false) throws(JournalError) -> [ThreadSummary] {
        try view { try $0.threads(includingDeleted: includingDeleted) }
    }

    /// Returns the thread of an id; nil if there is none, or if it is deleted.
    public func thread(_ id: UUID) throws(JournalError) -> JournalThread? { try view { try $0.thread(id) } }

    /// Returns the thread that a text names: an id, a title, a title but for case, or the beginning of one.
    public func findThread(_ text: String, _ scope: ThreadScope = .live) throws(JournalError) -> JournalThread {
        try view { try $0.findThread(text, scope) }
    }

    /// Returns all entries of a thread, the oldest first.
    public func entries(of thread: UUID, includingDeleted: Bool = false) throws(JournalError) -> [JournalEntry] {
        try view { try $0.entries(of: thread, includingDeleted: includingDeleted) }
    }

    /// Returns a page of the entries of a thread, in their order; pages lead in both directions.
    public func page(
        of thread: UUID, at place: WindowPlace = .start, limit: Int = 20, includingDeleted: Bool = false
    ) throws(JournalError) -> PageWindow<JournalEntry> {
        try view { try $0.page(of: thread, at: place, limit: limit, includingDeleted: includingDeleted) }
    }

    /// Returns the entry of an id; nil if there is none, or if it or its thread is deleted.
    public func entry(_ id: UUID) throws(JournalError) -> JournalEntry? { try view { try $0.entry(id) } }

    /// Returns entries with the values of their custom fields.
    public func filled(_ entries: [JournalEntry]) throws(JournalError) -> [FilledEntry] {
        try view { try $0.filled(entries) }
    }

    /// Returns the fields of a thread in their order.
    public func fields(of thread: UUID) throws(JournalError) -> [FieldSummary] {
        try view { try $0.fields(of: thread) }
    }

    /// Returns what a person is writing in a thread; nil for nothing.
    public func draft(of thread: UUID) throws(JournalError) -> JournalDraft? { try view { try $0.draft(of: thread) } }

    /// Returns the entries that have every word of a search text, in pages: whole words before beginnings of words, then
    /// the newest first.
    public func search(
        _ text: String, in thread: UUID? = nil, after token: PageToken? = nil, limit: Int = 20
    ) throws(JournalError) -> Page<JournalEntry> {
        try view { try $0.search(text, in: thread, after: token, limit: limit) }
    }

    /// Returns the settings. They are shown also while the journal is locked, but for the last place.
    public func settings() throws(JournalError) -> JournalSettings {
        let isLocked = lock.isLocked
        return try JournalError.rethrowing {
            var settings = try store.read { try $0.journals.settings() }
            if isLocked { settings.lastPlace = nil }
            return settings
        }
    }

    /// Follows the list of threads, whichever process changes them. It throws `locked` while the journal is locked, and at the
    /// moment of locking.
    public func observeThreads() -> LiveQuery<[ThreadSummary]> { observe { try $0.threads() } }

    /// Follows the result of a reading, whichever process changes it. It throws `locked` while the journal is locked, and at the
    /// moment of locking.
    ///
    /// - Complexity: the reading once more for each commit of the store.
    public func observe<Value: Sendable & Equatable>(
        _ query: @escaping @Sendable (JournalReading) throws -> Value
    ) -> LiveQuery<Value> {
        let lock = lock
        // The first look at the lock reads the settings, which is done outside of the transactions below.
        _ = lock.isLocked
        return access.observe { transaction in
            let value = try query(JournalReading(transaction: transaction, lock: lock))
            try lock.check()
            return value
        }
    }

    /// Follows the entries of a thread, at the cost of what changes. At the moment of locking it ends with `JournalError.locked`:
    /// follow the entries anew after unlocking.
    ///
    /// - Parameter limit: how many of the last entries are followed; nil for all.
    /// - Throws: `JournalError.locked`.
    public func observeEntries(
        of thread: UUID, limit: Int? = nil
    ) throws(JournalError) -> LiveRange<JournalEntry, some OrderedKey> {
        try lock.check()
        let lock = lock
        var entries = access.observe(
            JournalEntry.byTime, in: .prefix(thread), backwards: limit != nil, limit: limit)
        entries.gate = { try lock.check() }
        return entries
    }
}

// Each runs in a separate transaction.
extension Journal {
    /// Creates a thread, with a first entry if one is given: both or neither.
    @discardableResult
    public func createThread(_ title: String, firstEntry: String? = nil) async throws(JournalError) -> JournalThread {
        try await write(.createThread) { try $0.createThread(title, firstEntry: firstEntry) }
    }

    /// Gives a thread another title.
    @discardableResult
    public func renameThread(_ id: UUID, to title: String) async throws(JournalError) -> JournalThread {
        try await write(.renameThread) { try $0.renameThread(id, to: title) }
    }

    /// Deletes a thread with its entries. ``undoNotice`` offers to undo it, for 5 seconds or as ``JournalSettings/undoSeconds`` says;
    /// `restoreThread` does so later.
    @discardableResult
    public func deleteThread(_ id: UUID) async throws(JournalError) -> JournalThread {
        let (thread, sequence) = try await writeNumbered(.deleteThread) { try $0.deleteThread(id) }
        if sequence != 0, let deadline = try? undoDeadline() {
            offer.make(ThreadUndoNotice(thread: id, sequence: sequence, deadline: deadline))
        }
        return thread
    }

    /// Restores a deleted thread.
    @discardableResult
    public func restoreThread(_ id: UUID) async throws(JournalError) -> JournalThread {
        try await write(.restoreThread) { try $0.restoreThread(id) }
    }

    /// Removes a thread with everything in it. It cannot be undone.
    @discardableResult
    public func purgeThread(_ id: UUID) async throws(JournalError) -> (thread: JournalThread, entries: Int) {
        try await write(.purgeThread, reclaims: true) { try $0.purgeThread(id) }
    }

    /// Writes an entry at the present time, and clears the thread's draft in the same transaction.
    @discardableResult
    public func addEntry(_ entry: NewEntry, to thread: UUID) async throws(JournalError) -> JournalEntry {
        try await write(.addEntry) { try $0.addEntry(entry, to: thread) }
    }

    /// Writes an entry with a text alone.
    @discardableResult
    public func addEntry(_ content: String, to thread: UUID) async throws(JournalError) -> JournalEntry {
        try await addEntry(NewEntry(content), to: thread)
    }

    /// Changes the content of an entry, and the values that are given.
    @discardableResult
    public func editEntry(
        _ id: UUID, _ content: String, values: [UUID: String] = [:]
    ) async throws(JournalError) -> JournalEntry {
        try await write(.editEntry) { try $0.editEntry(id, content, values: values) }
    }

    /// Deletes an entry. Returns it as it was.
    @discardableResult
    public func deleteEntry(_ id: UUID) async throws(JournalError) -> JournalEntry {
        try await write(.deleteEntries, reclaims: true) { try $0.deleteEntry(id) }
    }

    /// Deletes entries in one transaction. Returns them as they were. An id that is given twice counts once.
    @discardableResult
    public func deleteEntries(_ ids: [UUID]) async throws(JournalError) -> [JournalEntry] {
        try await write(.deleteEntries, reclaims: true) { transaction in
            try ids.withoutRepetition.map { try transaction.deleteEntry($0) }
        }
    }

    /// Adds a custom field to a thread, at a place among its other fields, from 0; nil for after them.
    @discardableResult
    public func createField(
        _ name: String, in thread: UUID, order: Int? = nil
    ) async throws(JournalError) -> CustomField {
        try await write(.editFields) { try $0.createField(name, in: thread, order: order) }
    }

    /// Saves all custom fields of a thread, as a person has edited them: adds, renames, orders, groups and deletes what differs.
    ///
    ///     var fields = try store.journals.fields(of: thread).map(EditedField.init)
    ///     fields[0].name = "Sky"
    ///     fields.append(EditedField(id: UUID(), name: "Mood"))
    ///     try await store.journals.saveCustomFields(fields, of: thread)
    @discardableResult
    public func saveCustomFields(
        _ fields: [EditedField], of thread: UUID
    ) async throws(JournalError) -> [FieldSummary] {
        try await write(.editFields) { try $0.saveCustomFields(fields, of: thread) }
    }

    /// Changes the fields of threads, in one transaction.
    @discardableResult
    public func editFields<Result: Sendable>(
        _ body: @escaping @Sendable (JournalTransaction) throws -> Result
    ) async throws(JournalError) -> Result {
        try await write(.editFields, body)
    }

    /// Saves what a person is writing in a thread, also while the journal is locked. A blank text without values clears the draft.
    ///
    /// - Parameter values: The texts for custom fields, by the fields' ids; nil for those that the draft has.
    @discardableResult
    public func saveDraft(
        _ content: String, values: [UUID: String]? = nil, for thread: UUID
    ) async throws(JournalError) -> JournalDraft? {
        try await writeUnlocked(.keep) { try $0.saveDraft(content, values: values, for: thread) }.result
    }

    /// Removes the draft of a thread; returns whether there was one.
    @discardableResult
    public func clearDraft(of thread: UUID) async throws(JournalError) -> Bool {
        try await write(.keep) { try $0.clearDraft(of: thread) }
    }

    /// Changes the settings. It cannot be undone.
    @discardableResult
    public func changeSettings(
        _ change: @escaping @Sendable (inout JournalSettings) -> Void
    ) async throws(JournalError) -> JournalSettings {
        try await write(.keep) { try $0.changeSettings(change) }
    }
}
