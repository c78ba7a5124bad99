import KeyValue

/// Appends entries to the tables of a draft, many in each transaction, whichever tables they are for: a small load is one
/// transaction.
final class TableFiller {
    private struct Item {
        let table: Int
        let keyEnd: Int
        let valueEnd: Int
        let checksum: UInt32
    }

    private let draft: DraftEnvironment
    private let byteLimit: Int
    private var tables: [Table] = []
    private var bytes: [UInt8] = []
    private var items: [Item] = []

    /// - Parameter byteLimit: how many bytes one transaction writes.
    init(_ draft: DraftEnvironment, byteLimit: Int) {
        self.draft = draft
        self.byteLimit = byteLimit
    }

    /// Adds an entry, whose key comes after all others of the table.
    func append(_ key: RawSpan, _ value: RawSpan, checksum: UInt32, to table: Table) throws {
        if tables.last != table { tables.append(table) }
        bytes.append(key)
        let keyEnd = bytes.count
        bytes.append(value)
        items.append(Item(table: tables.count - 1, keyEnd: keyEnd, valueEnd: bytes.count, checksum: checksum))
        if bytes.count + items.count * MemoryLayout<Item>.stride >= byteLimit { try flush() }
    }

    /// Writes what is left.
    func flush() throws {
        guard !items.isEmpty else { return }
        try draft.write { try write(bytes, in: $0) }
        // A single large record must not keep its memory allocated.
        bytes.removeAll(keepingCapacity: bytes.count < 32 << 20)
        items.removeAll(keepingCapacity: true)
        tables.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: [UInt8], in transaction: borrowing RawWriteTransaction) throws {
        let span = bytes.span.bytes
        var start = 0
        for item in items {
            try transaction.fill(
                span.extracting(start..<item.keyEnd), span.extracting(item.keyEnd..<item.valueEnd),
                checksum: item.checksum, isLast: true, in: tables[item.table])
            start = item.valueEnd
        }
    }
}
