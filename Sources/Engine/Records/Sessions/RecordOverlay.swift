import KeyValue

/// Records that transactions show in place of the stored ones: what a session has written, and the store does not have yet.
struct RecordOverlay: Sendable {
    /// A record that was written: its stored bytes and their hash; no bytes for one that was removed.
    struct Edit: Sendable, Equatable {
        let bytes: [UInt8]?
        let hash: UInt64
    }

    private var edits: [UInt32: [KeyBytes: Edit]] = [:]

    var isEmpty: Bool { edits.isEmpty }

    /// The edits of a collection, by the keys of its records.
    subscript(collection: UInt32) -> [KeyBytes: Edit] { isEmpty ? [:] : edits[collection] ?? [:] }

    /// What an edit makes of a record; nil if none concerns it.
    func edit(of key: KeyBytes, in collection: UInt32) -> Edit? {
        isEmpty ? nil : edits[collection]?[key]
    }

    mutating func set(_ edit: Edit, for key: KeyBytes, in collection: UInt32) {
        edits[collection, default: [:]][key] = edit
    }

    /// Adds later edits.
    mutating func merge(_ later: RecordOverlay) {
        for (collection, new) in later.edits {
            edits[collection, default: [:]].merge(new) { _, later in later }
        }
    }
}

extension [KeyBytes: RecordOverlay.Edit] {
    /// Whether an edit replaces the record of an index's stored entry, so that the entry does not count.
    func hidesEntry(_ entry: RawSpan, idWidth: Int) -> Bool {
        !isEmpty && self[KeyBytes(copying: entry.extracting(last: idWidth))] != nil
    }
}
