import CivilTime
import FoundationEssentials
import Records

/// An entry to write. Only the content is required.
public struct NewEntry: Sendable, Hashable {
    /// The content, stored exactly as it is. It must not be blank.
    public var content: String
    /// The texts for custom fields, by the fields' ids. A blank one is stored as no text; other fields get nothing.
    public var values: [UUID: String]
    /// Where it was written; nil if that is not known.
    public var place: EntryPlace?
    /// An id from outside; nil for a new one.
    public var id: UUID?
    /// When it was written; nil for the present time.
    public var timestamp: Instant?

    /// Creates a description of a new entry.
    public init(_ content: String, values: [UUID: String] = [:], place: EntryPlace? = nil, id: UUID? = nil) {
        self.content = content
        self.values = values
        self.place = place
        self.id = id
    }
}

extension JournalTransaction {
    /// Writes an entry at the present time, or at the one that it is given, and clears the thread's draft.
    ///
    /// - Throws: `JournalError`: `noSuchThread`, `emptyContent`, `unusableText`, `duplicateID`; for the values `noSuchField`,
    ///   `foreignField`, `groupWithValue`.
    @discardableResult
    public func addEntry(_ new: NewEntry, to thread: UUID) throws -> JournalEntry {
        try Self.check(content: new.content)
        var owner = try self.thread(thread)
        var entry = JournalEntry(
            id: new.id ?? transaction.identifiers.next(), threadID: thread, content: new.content,
            timestamp: new.timestamp ?? now)
        if let place = new.place { try set(place, of: &entry) }
        try insert(&entry)
        try put(new.values, of: entry)
        try touch(&owner)
        try clearDraft(of: thread)
        savers?.note(entry)
        return entry
    }

    /// Changes the content of an entry, and the values that are given. Its time and its place in the thread stay. Writes
    /// nothing when nothing differs.
    ///
    /// - Throws: `JournalError`: `noSuchEntry`, and those of `addEntry`.
    @discardableResult
    public func editEntry(_ id: UUID, _ content: String, values: [UUID: String] = [:]) throws -> JournalEntry {
        var entry = try entry(id)
        try Self.check(content: content)
        let hasOtherValues = try put(values, of: entry)
        guard entry.content != content || hasOtherValues else { return entry }
        entry.content = content
        entry.lastEditedAt = max(now, entry.lastEditedAt ?? entry.timestamp)
        try save(entry)
        return entry
    }

    /// Deletes an entry: it is no longer listed, counted or exported, and is kept until its thread is purged.
    ///
    /// - Returns: The entry as it was.
    /// - Throws: `JournalError.noSuchEntry`.
    @discardableResult
    public func deleteEntry(_ id: UUID) throws -> JournalEntry {
        let entry = try entry(id)
        var deleted = entry
        deleted.deletedAt = max(now, entry.timestamp)
        try save(deleted)
        return entry
    }

    /// Notes where an entry was written. It is not an edit.
    ///
    /// - Throws: `JournalError`: `noSuchEntry`, `unusableText`.
    @discardableResult
    public func setPlace(_ place: EntryPlace, of id: UUID) throws -> JournalEntry {
        var entry = try entry(id)
        guard entry.place != place else { return entry }
        try set(place, of: &entry)
        let saved = entry
        try transaction.put(saved)
        return saved
    }

    /// Returns the entry of an id that is not deleted, and whose thread is not deleted.
    ///
    /// - Throws: `JournalError.noSuchEntry`.
    public func entry(_ id: UUID) throws -> JournalEntry {
        guard let entry = try reading.entry(id) else { throw JournalError.noSuchEntry }
        return entry
    }

    /// Inserts an entry as the last one of its time.
    func insert(_ entry: inout JournalEntry) throws {
        let moment = Compound(entry.threadID, entry.timestamp)
        entry.number = try transaction[JournalEntry.allByTime].edge(of: moment, last: true).map { $0.number + 1 } ?? 0
        let inserted = entry
        do {
            try transaction.insert(inserted)
        } catch RecordsError.duplicate {
            throw JournalError.duplicateID
        }
    }

    private func save(_ entry: JournalEntry) throws {
        try transaction.put(entry)
        try touchThread(entry.threadID)
    }

    private func set(_ place: EntryPlace, of entry: inout JournalEntry) throws {
        try Self.checkUsable(place.city)
        try Self.checkUsable(place.state)
        entry.place = place
        entry.placedAt = max(now, entry.timestamp)
    }

    /// Writes the values of an entry; returns whether one differs from what was stored.
    @discardableResult
    func put(_ values: [UUID: String], of entry: JournalEntry) throws -> Bool {
        var isChanged = false
        // In the order of their ids: the order of a dictionary differs from run to run, and the change log has it.
        for (id, text) in values.sorted(by: { $0.key.lowercased < $1.key.lowercased }) {
            guard let field = try transaction[CustomField.self].get(id), !field.isDeleted else {
                throw JournalError.noSuchField
            }
            guard field.threadID == entry.threadID else { throw JournalError.foreignField }
            guard !field.isGroup else { throw JournalError.groupWithValue }
            try Self.checkUsable(text)
            let value = EntryFieldValue(
                entry: entry.id, field: id, value: text.allSatisfy(\.isWhitespace) ? nil : text)
            guard try transaction[EntryFieldValue.self].get(value.id) != value else { continue }
            try transaction.put(value)
            isChanged = true
        }
        return isChanged
    }
}
