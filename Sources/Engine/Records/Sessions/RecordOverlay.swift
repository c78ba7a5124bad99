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

/// The entries of edits, in the order of a walk through the stored ones, to be merged into it.
///
/// It holds the places of the records and not the records: in generic code, each type that depends on a type parameter costs a
/// look-up at run time, and nearly all walks have no edits.
struct OverlayMerge {
    /// The entries that are still to come, and the place of the record of each.
    private var entries: ArraySlice<(entry: KeyBytes, place: Int)> = []
    private let isBackwards: Bool

    init(backwards: Bool) {
        isBackwards = backwards
    }

    init(_ entries: [(entry: KeyBytes, place: Int)], backwards: Bool) {
        isBackwards = backwards
        self.entries =
            entries.sorted { left, right in
                backwards ? right.entry.bytes.precedes(left.entry.bytes) : left.entry.bytes.precedes(right.entry.bytes)
            }[...]
    }

    /// The next entry if it comes before a stored one; before the end for nil.
    mutating func next(before stored: KeyBytes?) -> (entry: KeyBytes, place: Int)? {
        guard let first = entries.first else { return nil }
        if let stored {
            let isDue =
                isBackwards ? stored.bytes.precedes(first.entry.bytes) : first.entry.bytes.precedes(stored.bytes)
            guard isDue else { return nil }
        }
        return entries.removeFirst()
    }
}
