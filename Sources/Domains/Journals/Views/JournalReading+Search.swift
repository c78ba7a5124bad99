import FoundationEssentials
import Records

extension JournalReading {
    /// Returns the entries that have every word of a search text, in pages.
    ///
    /// Case and diacritics do not matter. A word is found by its beginning, too: entries with all words as a whole come
    /// first, and within both kinds the newest. Deleted entries, and those of deleted threads, are not found.
    ///
    /// - Parameter thread: the thread of the entries; nil for any.
    /// - Throws: `RecordsError.foreignPageToken` for a token of something else.
    /// - Complexity: for one word a step and a look-up for each entry that has it, until the page is full; see
    ///   `IndexReader.search` for several.
    public func search(
        _ text: String, in thread: UUID? = nil, after token: PageToken? = nil, limit: Int = 20
    ) throws -> Page<JournalEntry> {
        var isShown: [UUID: Bool] = [:]
        return try transaction[JournalEntry.byWord].search(Word.searched(in: text), after: token, limit: limit) {
            entry in
            try checkLock()
            if let thread, entry.threadID != thread { return false }
            if let known = isShown[entry.threadID] { return known }
            let isLive = try self.thread(entry.threadID) != nil
            isShown[entry.threadID] = isLive
            return isLive
        }
    }
}

extension Journal {
    /// Checks what no single record can show: values and groups of other threads, fields in a field that is no group.
    ///
    /// Fields with the same place or name, groups in each other, and values of a field that another device has made a group are no
    /// problem: devices that are apart make them. Readers show such fields in the order of their ids, outside of groups.
    ///
    /// - Parameter problem: Called with each problem, in words without any content.
    /// - Complexity: some look-ups for each value, and for each field.
    public func checkInvariants(_ problem: (String) -> Void) throws(JournalError) {
        do throws(JournalError) {
            try check(problem)
        } catch .store(.engine(.tableMissing)) {
            // A store of an earlier version, open for reading only.
        }
    }

    private func check(_ problem: (String) -> Void) throws(JournalError) {
        try JournalError.rethrowing {
            try store.read { transaction in
                try transaction[EntryFieldValue.self].forEach { value in
                    guard let field = try transaction[CustomField.self].get(value.id.field),
                        let entry = try transaction[JournalEntry.self].get(value.id.entry)
                    else { return true }
                    if field.threadID != entry.threadID {
                        problem("entry \(entry.id.lowercased): a value is for a field of another thread")
                    }
                    return true
                }
                try Self.checkGroups(in: transaction, problem)
            }
        }
    }

    private static func checkGroups(in transaction: ReadTransaction, _ problem: (String) -> Void) throws {
        try transaction[CustomFieldGroup.self].forEach { link in
            guard let child = try transaction[CustomField.self].get(link.id),
                let parent = try transaction[CustomField.self].get(link.parentID)
            else { return true }
            let name = "field \(link.id.lowercased)"
            if child.threadID != parent.threadID { problem("\(name): its group is in another thread") }
            if !parent.isGroup { problem("\(name): it is in a field that is no group") }
            return true
        }
    }
}
