import KeyValue

/// Records of one table that are gathered to be written in one transaction.
struct RecordBatch {
    private struct Item {
        let keyEnd: Int
        let valueEnd: Int
        let seal: UInt32
    }

    private var bytes: [UInt8] = []
    private var items: [Item] = []

    var byteCount: Int { bytes.count + items.count * MemoryLayout<Item>.stride }

    mutating func add(_ key: RawSpan, _ value: RawSpan, seal: UInt32) {
        bytes.append(key)
        let keyEnd = bytes.count
        bytes.append(value)
        items.append(Item(keyEnd: keyEnd, valueEnd: bytes.count, seal: seal))
    }

    /// Writes the records behind all that the table has.
    func write(to table: Table, in transaction: borrowing RawWriteTransaction) throws {
        let span = bytes.span.bytes
        var start = 0
        for item in items {
            try transaction.fill(
                span.extracting(start..<item.keyEnd), span.extracting(item.keyEnd..<item.valueEnd),
                sealedBy: item.seal, isLast: true, in: table)
            start = item.valueEnd
        }
    }

    mutating func removeAll() {
        // A single large record must not be remembered by the memory it took.
        bytes.removeAll(keepingCapacity: bytes.count < 32 << 20)
        items.removeAll(keepingCapacity: true)
    }
}
