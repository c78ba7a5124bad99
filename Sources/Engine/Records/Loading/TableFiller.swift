import KeyValue

/// Appends entries to a table of a draft, many in each transaction.
struct TableFiller {
    private struct Item {
        let keyEnd: Int
        let valueEnd: Int
        let checksum: UInt32
    }

    private let table: Table
    private let draft: DraftEnvironment
    private let byteLimit: Int
    private var bytes: [UInt8] = []
    private var items: [Item] = []

    /// - Parameter byteLimit: how many bytes one transaction writes.
    init(_ table: Table, of draft: DraftEnvironment, byteLimit: Int) {
        self.table = table
        self.draft = draft
        self.byteLimit = byteLimit
    }

    /// Adds an entry, whose key comes after all others of the table.
    mutating func append(_ key: RawSpan, _ value: RawSpan, checksum: UInt32) throws {
        bytes.append(key)
        let keyEnd = bytes.count
        bytes.append(value)
        items.append(Item(keyEnd: keyEnd, valueEnd: bytes.count, checksum: checksum))
        if bytes.count + items.count * MemoryLayout<Item>.stride >= byteLimit { try flush() }
    }

    /// Writes what is left.
    mutating func flush() throws {
        guard !items.isEmpty else { return }
        try draft.write { transaction in
            let span = bytes.span.bytes
            var start = 0
            for item in items {
                try transaction.fill(
                    span.extracting(start..<item.keyEnd), span.extracting(item.keyEnd..<item.valueEnd),
                    checksum: item.checksum, isLast: true, in: table)
                start = item.valueEnd
            }
        }
        // A single large record must not keep its memory allocated.
        bytes.removeAll(keepingCapacity: bytes.count < 32 << 20)
        items.removeAll(keepingCapacity: true)
    }
}
