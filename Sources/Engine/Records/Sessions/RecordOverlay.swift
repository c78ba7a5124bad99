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
    subscript(collection: UInt32) -> [KeyBytes: Edit] { edits[collection] ?? [:] }

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

/// The edits of a collection merged into a walk through its stored entries. Where a stored record was edited, its edit comes
/// in its place.
struct OverlayMerge<Item> {
    /// Items of the edits that are still to come, in the order of the walk.
    private var items: ArraySlice<(entry: KeyBytes, item: Item)>
    private let isBackwards: Bool

    init(_ items: [(entry: KeyBytes, item: Item)], backwards: Bool) {
        isBackwards = backwards
        self.items =
            items.sorted { left, right in
                backwards ? right.entry.bytes.precedes(left.entry.bytes) : left.entry.bytes.precedes(right.entry.bytes)
            }[...]
    }

    /// The next item that comes before a stored entry; before the end for nil.
    mutating func next(before entry: KeyBytes?) -> (entry: KeyBytes, item: Item)? {
        guard let first = items.first else { return nil }
        if let entry {
            let isDue =
                isBackwards ? entry.bytes.precedes(first.entry.bytes) : first.entry.bytes.precedes(entry.bytes)
            guard isDue else { return nil }
        }
        return items.removeFirst()
    }
}
