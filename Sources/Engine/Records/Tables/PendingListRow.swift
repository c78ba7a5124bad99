import KeyValue

/// A row of an index's pending list, which GIN indexes have, too: all keys of a new record, under its own key.
///
/// The words of a task are far from each other in their index, so that writing them one record at a time writes a page for
/// nearly every one. Together with those of many other records they are in the same pages as these. A record's keys are all
/// in its row, if it has one, and all in the index otherwise.
enum PendingListRow {
    /// How many rows a pending list has at most. More would save few pages and cost every search: it reads all of them.
    static let limit = 128

    /// Marks a version under `built/`.
    static let versionFlag: UInt32 = 1 << 31

    static func tableName(of index: String) -> String { "\(index).gathered" }

    /// The value of a row: each key without the record's own one at its end, behind its length.
    static func encode(_ entries: [KeyBytes], idWidth: Int) -> [UInt8] {
        var value: [UInt8] = []
        for entry in entries {
            let key = entry.prefix(entry.count - idWidth)
            value.append(UInt8(key.count))
            value += key.array
        }
        return value
    }

    /// Passes each entry of a row to a closure, as it will be in the index.
    ///
    /// - Parameter mayMatter: whether an entry that begins with a key is wanted; to put an entry together costs ten times as much.
    /// - Returns: false when the value is not that of a row.
    static func forEachEntry(
        _ value: RawSpan, of id: RawSpan, where mayMatter: (RawSpan) -> Bool = { _ in true },
        _ body: (KeyBytes) throws -> Void
    ) rethrows -> Bool {
        var offset = 0
        while offset < value.byteCount {
            let count = Int(value[byteAt: offset])
            offset += 1
            guard count + id.byteCount <= 64, offset + count <= value.byteCount else { return false }
            let key = value.extracting(offset..<(offset + count))
            if mayMatter(key) {
                var entry = KeyBytes(copying: key)
                entry.append(contentsOf: KeyBytes(copying: id))
                try body(entry)
            }
            offset += count
        }
        return true
    }
}

extension BoundPart {
    /// The entries of the pending list, in no particular order, each as it will be in the index. Cost: a step for each row.
    ///
    /// - Parameter mayMatter: whether an entry that begins with a key is wanted.
    func forEachPendingEntry(
        in engine: borrowing RawReadTransaction, where mayMatter: (RawSpan) -> Bool = { _ in true },
        _ body: (KeyBytes) throws -> Void
    ) throws {
        guard let pendingList, try engine.entryCount(of: pendingList.table) > 0 else { return }
        try pendingList.forEachEntry(in: engine) { id, checksummed in
            try pendingList.open(key: id, checksummed: checksummed) { value, _ in
                guard try PendingListRow.forEachEntry(value, of: id, where: mayMatter, body) else {
                    throw pendingList.damage(id)
                }
            }
            return true
        }
    }

    /// The value of a record's row; nil when it has none. Cost: a look-up, unless the pending list is empty.
    func pendingRow(of id: KeyBytes, in engine: borrowing RawReadTransaction) throws -> [UInt8]? {
        guard let pendingList, try engine.entryCount(of: pendingList.table) > 0 else { return nil }
        return try pendingList.get(id, in: engine) { value, _ in value.copied }
    }

    /// Changes a record's entries in an index with several for each. Both lists are in order.
    ///
    /// - Parameter isNew: whether the record was not there before.
    func move(
        _ id: KeyBytes, from before: [KeyBytes], to after: [KeyBytes], isNew: Bool, pendingListLimit limit: Int,
        in engine: borrowing RawWriteTransaction
    ) throws {
        if let pendingList, try isNew || pendingRow(of: id, in: engine.reads) != nil {
            if !after.isEmpty {
                try addToPendingList(after, of: id, limit: limit, in: engine)
            } else if !isNew {
                try engine.delete(id.bytes, in: pendingList.table)
            }
            return
        }
        var (removed, added) = (0, 0)
        while removed < before.count || added < after.count {
            if removed < before.count, added < after.count, before[removed] == after[added] {
                removed += 1
                added += 1
            } else if added == after.count
                || removed < before.count && before[removed].bytes.precedes(after[added].bytes)
            {
                try engine.delete(before[removed].bytes, in: table.table)
                removed += 1
            } else {
                try table.put(after[added], in: engine)
                added += 1
            }
        }
    }

    /// Writes a record's keys as a row, and puts those of all rows into the index when there are `limit`.
    private func addToPendingList(
        _ entries: [KeyBytes], of id: KeyBytes, limit: Int, in engine: borrowing RawWriteTransaction
    )
        throws
    {
        guard let pendingList else { return }
        try pendingList.put(id, PendingListRow.encode(entries, idWidth: idWidth), in: engine)
        if try engine.reads.entryCount(of: pendingList.table) >= limit { try mergePendingList(in: engine) }
    }

    /// Puts the keys of all rows into the index, in order: those that are neighbors share their pages.
    private func mergePendingList(in engine: borrowing RawWriteTransaction) throws {
        guard let pendingList else { return }
        var entries: [KeyBytes] = []
        try forEachPendingEntry(in: engine.reads) { entries.append($0) }
        entries.sort()
        for entry in entries { try table.put(entry, in: engine) }
        // Not one by one: LMDB leaves an address of its memory on a page that it frees so, and equal histories would not make
        // equal files.
        try engine.removeAll(in: pendingList.table)
    }
}
