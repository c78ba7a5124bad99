import CivilTime
import FoundationEssentials
import Records

/// What can be read of journals in a transaction: `transaction.journals`. Functions throw `RecordsError` if the store fails,
/// and the `JournalError` that they name.
public struct JournalReading {
    private let unlocked: ReadTransaction
    /// The lock that closes it; nil for transactions of the store.
    private let lock: JournalLock?

    package init(transaction: ReadTransaction, lock: JournalLock? = nil) {
        unlocked = transaction
        self.lock = lock
    }

    /// The transaction. Each use passes the lock, so that a reading ends when the journal is locked meanwhile.
    package var transaction: ReadTransaction {
        get throws {
            try checkLock()
            return unlocked
        }
    }

    /// Throws `locked` when the journal is locked.
    package func checkLock() throws(JournalError) { try lock?.check() }

    // MARK: Threads

    /// Returns the threads with the numbers of their entries, the last changed first.
    ///
    /// - Complexity: three look-ups for each thread, however many entries there are.
    public func threads(includingDeleted: Bool = false) throws -> [ThreadSummary] {
        try ifPresent(else: []) {
            var threads = try transaction[JournalThread.byUpdate].prefix(false)
            if includingDeleted {
                // Two ranges that are both in order.
                threads = try Self.merge(threads, transaction[JournalThread.byUpdate].prefix(true))
            }
            return try threads.map(summary)
        }
    }

    /// Reads what a store of an earlier version, open for reading only, has no tables for: then there is nothing.
    private func ifPresent<Result>(else nothing: Result, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch RecordsError.engine(.tableMissing) {
            return nothing
        }
    }

    /// Returns a thread with the number of its entries.
    public func summary(of thread: JournalThread) throws -> ThreadSummary {
        ThreadSummary(thread: thread, entries: try transaction[JournalEntry.perThread].count(of: thread.id))
    }

    /// Returns the thread of an id; nil if there is none, or if it is deleted and these are left out.
    public func thread(_ id: UUID, deleted: Bool = false) throws -> JournalThread? {
        let found = try ifPresent(else: nil) { try transaction[JournalThread.self].get(id) }
        return found.flatMap { deleted || !$0.isDeleted ? $0 : nil }
    }

    /// Returns the question that a person is asked before a thread is deleted, with the number of its entries.
    public func deletionQuestion(
        of thread: JournalThread, texts: some JournalTexts = EnglishJournalTexts()
    ) throws -> String {
        texts.deletionQuestion(of: try summary(of: thread))
    }

    private static func merge(_ left: [JournalThread], _ right: [JournalThread]) -> [JournalThread] {
        var (merged, rest) = ([JournalThread](), right[...])
        for thread in left {
            while let next = rest.first, next.updatedAt > thread.updatedAt { merged.append(rest.removeFirst()) }
            merged.append(thread)
        }
        return merged + rest
    }

    // MARK: Entries

    /// Returns all entries of a thread in the order of time, and of insertion where times are equal.
    ///
    /// - Throws: `JournalError.noSuchThread`; a deleted thread counts only if deleted ones are included.
    /// - Complexity: a step and a look-up for each entry.
    public func entries(of thread: UUID, includingDeleted: Bool = false) throws -> [JournalEntry] {
        try require(thread, deleted: includingDeleted)
        return try transaction[Self.index(includingDeleted)].prefix(thread)
    }

    /// Calls a closure with each entry of a thread in order, one at a time, until it returns false.
    ///
    /// - Throws: `JournalError.noSuchThread`; errors of the closure unchanged.
    public func forEachEntry(of thread: UUID, _ body: (JournalEntry) throws -> Bool) throws {
        try require(thread, deleted: false)
        try transaction[JournalEntry.byTime].forEach(prefix: thread) { entry in
            try checkLock()
            return try body(entry)
        }
    }

    /// Returns neighboring entries of a thread in their order, and the places from which to continue in both directions.
    ///
    /// - Throws: `JournalError.noSuchThread`; `RecordsError.foreignPageToken` for a token of something else.
    /// - Complexity: a step and a look-up for each entry that is returned, and two more, however many there are.
    public func page(
        of thread: UUID, at place: WindowPlace = .start, limit: Int = 20, includingDeleted: Bool = false
    ) throws -> PageWindow<JournalEntry> {
        try require(thread, deleted: includingDeleted)
        return try transaction[Self.index(includingDeleted)].window(in: .prefix(thread), at: place, limit: limit)
    }

    /// Returns the entry of an id; nil if there is none, or if it or its thread is deleted.
    public func entry(_ id: UUID) throws -> JournalEntry? {
        guard let entry = try transaction[JournalEntry.self].get(id), !entry.isDeleted,
            try thread(entry.threadID) != nil
        else { return nil }
        return entry
    }

    private func require(_ thread: UUID, deleted: Bool) throws {
        guard try self.thread(thread, deleted: deleted) != nil else { throw JournalError.noSuchThread }
    }

    private static func index(_ includingDeleted: Bool) -> Index<JournalEntry, EntryKey> {
        includingDeleted ? JournalEntry.allByTime : JournalEntry.byTime
    }

    // MARK: Fields

    /// Returns the fields of a thread in their order.
    ///
    /// - Complexity: two look-ups for each field.
    public func fields(of thread: UUID) throws -> [FieldSummary] {
        let fields = try transaction[CustomField.byPlace].prefix(thread)
        let live = Set(fields.map(\.id))
        var groups: [UUID: UUID] = [:]
        for field in fields {
            let parent = try transaction[CustomFieldGroup.self].get(field.id)?.parentID
            if let parent, live.contains(parent) { groups[field.id] = parent }
        }
        return fields.enumerated().map { order, field in
            FieldSummary(
                field: field, order: order, groupID: Self.isInItself(field.id, groups) ? nil : groups[field.id])
        }
    }

    /// Whether a field is in a circle of groups, which devices that group fields while they are apart can make.
    private static func isInItself(_ field: UUID, _ groups: [UUID: UUID]) -> Bool {
        var passed: Set<UUID> = []
        var next = groups[field]
        while let group = next, passed.insert(group).inserted {
            if group == field { return true }
            next = groups[group]
        }
        return false
    }

    /// Returns entries with the values of their custom fields.
    ///
    /// - Complexity: some steps for each thread and each entry, and a step and a look-up for each value.
    public func filled(_ entries: [JournalEntry]) throws -> [FilledEntry] {
        var fields: [UUID: [CustomField]] = [:]
        return try entries.map { entry in
            let known = try fields[entry.threadID] ?? allFields(of: entry.threadID)
            fields[entry.threadID] = known
            guard !known.isEmpty else { return FilledEntry(entry: entry, values: []) }
            let values = try transaction[EntryFieldValue.ofEntry].prefix(entry.id)
            guard !values.isEmpty else { return FilledEntry(entry: entry, values: []) }
            let texts = Dictionary(values.map { ($0.id.field, $0.value) }, uniquingKeysWith: { $1 })
            return FilledEntry(
                entry: entry,
                values: known.compactMap { field in
                    texts[field.id].map { FilledEntry.FilledField(field: field, value: $0) }
                })
        }
    }

    /// Every field that an export of a thread has a column for: the live ones that are no groups, in their order, then each other one
    /// that an entry has a text for. Those are deleted, or became groups on another device.
    ///
    /// - Complexity: some look-ups for each field; for one that is not live, a step for each of its values until one is found.
    package func exportedFields(of thread: UUID) throws -> [FieldSummary] {
        let live = try fields(of: thread)
        let (groups, plain) = (live.filter(\.field.isGroup), live.filter { !$0.field.isGroup })
        let groupIDs = Set(groups.map(\.field.id))
        let deleted = try allFields(of: thread).dropFirst(live.count).map { field in
            let parent = try transaction[CustomFieldGroup.self].get(field.id)?.parentID
            return FieldSummary(
                field: field, order: live.count, groupID: parent.flatMap { groupIDs.contains($0) ? $0 : nil })
        }
        return try plain + (groups + deleted).filter { try hasText($0.field) }
    }

    /// Whether an entry that is not deleted has a text for a field.
    private func hasText(_ field: CustomField) throws -> Bool {
        var isFound = false
        try transaction[EntryFieldValue.ofField].forEach(prefix: field.id) { value in
            isFound = try value.value != nil && entry(value.id.entry) != nil
            return !isFound
        }
        return isFound
    }

    /// Every field of a thread, those that are deleted last.
    package func allFields(of thread: UUID) throws -> [CustomField] {
        let live = try transaction[CustomField.byPlace].prefix(thread)
        return live + (try transaction[CustomField.inThread].prefix(thread).filter(\.isDeleted))
    }

    // MARK: Drafts and settings

    /// Returns what a person is writing in a thread; nil for nothing.
    public func draft(of thread: UUID) throws -> JournalDraft? { try transaction[JournalDraft.self].get(thread) }

    /// Returns the settings.
    public func settings() throws -> JournalSettings {
        try ifPresent(else: nil) { try transaction[JournalSettings.self].get(0) } ?? JournalSettings()
    }
}

extension ReadableTransaction {
    /// What can be read of the journals.
    public var journals: JournalReading { JournalReading(transaction: self) }
}

extension JournalEntry {
    /// The time as people see it, with " (edited)" after it, or what other texts have for that, if the entry was edited.
    public func displayTime(in zone: Zone, texts: some JournalTexts = EnglishJournalTexts()) -> String {
        let day = zone.day(of: timestamp)
        let seconds = (timestamp.microsecondsSince1970 / 1_000_000) + Int64(zone.offsetSeconds(at: timestamp))
        let minutes = Int((seconds % 86_400 + 86_400) % 86_400) / 60
        let time = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return texts.displayTime("\(day) \(time)", isEdited: isEdited)
    }
}
