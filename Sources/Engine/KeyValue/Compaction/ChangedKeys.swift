/// Keys of several tables whose entries have changed, in the order of the tables and their keys.
struct ChangedKeys: Equatable {
    private struct Item: Equatable {
        /// The table's place in a list.
        let table: Int
        /// Where its key ends among the bytes.
        let end: Int
    }

    private var bytes: [UInt8] = []
    private var items: [Item] = []

    var count: Int { items.count }

    mutating func append(_ key: RawSpan, ofTable table: Int) {
        bytes.append(key)
        items.append(Item(table: table, end: bytes.count))
    }

    func forEach(_ body: (_ table: Int, _ key: RawSpan) throws -> Void) throws {
        var start = 0
        for item in items {
            try body(item.table, unsafe bytes.span.bytes.extracting(start..<item.end))
            start = item.end
        }
    }
}

/// The heads of some tables at one moment: what is needed to find out what has changed since.
struct TableHeads {
    let heads: [TableHead]
    /// The number of the transaction.
    let transaction: UInt64

    /// Those that a read transaction sees.
    init(of tables: [Table], in state: TransactionState) throws(KeyValueError) {
        guard let snapshot = state.snapshot else { throw .transactionEnded }
        var heads: [TableHead] = []
        for table in tables { heads.append(try snapshot.head(of: table, in: state.environment)) }
        self.heads = heads
        transaction = try RawReadTransaction(viewing: state, lease: state.lease).number
    }

    /// The keys whose entries differ from those of an earlier state, of which no page was reused since.
    ///
    /// - Parameter limit: how many keys there are in each part of the result.
    func changedKeys(
        since old: TableHeads, in state: TransactionState, limit: Int = .max
    ) throws -> [ChangedKeys] {
        var parts: [ChangedKeys] = []
        for (table, (old, new)) in zip(old.heads, heads).enumerated() where old.root != new.root {
            do {
                try TreeDifference(from: old, to: new, in: state.map).forEachKey { key in
                    if parts.last.map({ $0.count >= limit }) ?? true { parts.append(ChangedKeys()) }
                    parts[parts.count - 1].append(key, ofTable: table)
                }
            } catch let damage as PageDamage {
                throw state.environment.damage(damage)
            }
        }
        return parts
    }
}
