import CivilTime
import FoundationEssentials
import Records

/// An entry as a file describes it.
public struct ImportedEntry: Sendable, Equatable {
    /// The id: that of the file, or one that follows from the content.
    public var id: UUID
    /// The content, as it is in the file.
    public var content: String
    /// The time at which it was written.
    public var timestamp: Instant
    /// The time of the last edit; nil if the file has none.
    public var editedAt: Instant?
    /// Where it was written; nil if the file does not say.
    public var place: EntryPlace?
    /// The zone in which it was written; nil if the file does not say.
    public var zone: String?
    /// The texts for custom fields, by the fields' names. The thread gets the fields that it lacks.
    public var values: [String: String?] = [:]

    /// Creates an entry.
    public init(id: UUID, content: String, timestamp: Instant) {
        self.id = id
        self.content = content
        self.timestamp = timestamp
    }
}

extension JournalTransaction {
    /// Writes an entry as a file describes it; of two versions the one that was edited later is kept. What was deleted stays
    /// deleted.
    ///
    /// - Returns: Whether anything was written.
    /// - Throws: `JournalError`: `noSuchThread`, `emptyContent`, `unusableText`, `badFieldName`.
    @discardableResult
    package func merge(_ imported: ImportedEntry, into thread: UUID) throws -> Bool {
        try Self.check(content: imported.content)
        if let stored = try transaction[JournalEntry.self].get(imported.id) {
            guard !stored.isDeleted, let editedAt = imported.editedAt,
                editedAt > stored.lastEditedAt ?? stored.timestamp,
                stored.threadID == thread
            else { return false }
            var entry = stored
            entry.content = imported.content
            entry.lastEditedAt = editedAt
            let saved = entry
            try transaction.put(saved)
            try put(fieldValues(imported, of: saved), of: saved)
            return true
        }
        var entry = JournalEntry(
            id: imported.id, threadID: thread, content: imported.content, timestamp: imported.timestamp)
        entry.lastEditedAt = imported.editedAt
        entry.place = imported.place
        entry.zone = imported.zone
        entry.placedAt = imported.place == nil ? nil : imported.timestamp
        try insert(&entry)
        try put(fieldValues(imported, of: entry), of: entry)
        return true
    }

    /// The values by the ids of the fields, which are created where the thread lacks them.
    private func fieldValues(_ imported: ImportedEntry, of entry: JournalEntry) throws -> [UUID: String] {
        var values: [UUID: String] = [:]
        guard !imported.values.isEmpty else { return values }
        let known = try transaction[CustomField.byPlace].prefix(entry.threadID)
        for (name, value) in imported.values.sorted(by: { $0.key < $1.key }) {
            let field = try known.first { $0.name == name } ?? createField(name, in: entry.threadID)
            values[field.id] = value ?? ""
        }
        return values
    }
}
