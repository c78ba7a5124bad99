import KeyValue

/// Counts of records by a key, and sums of an integer of theirs, kept in the same transaction: open tasks per list, entries
/// per thread, used slots per bucket.
///
/// Declare it as a constant of the record type and name it in the collection:
///
///     static let perSensor = Tally<Reading, UUID>("perSensor") { $0.sensor }
///
/// A count costs one look-up, however much is stored (decision D3). A change of a record writes each count that it changes
/// once in a transaction.
public struct Tally<R: Record, Key: OrderedKey>: Sendable {
    let name: String
    let version: UInt32
    let key: @Sendable (R) -> Key?
    let amount: (@Sendable (R) -> Int64)?

    /// Counts records by a key.
    ///
    /// - Parameters:
    ///   - version: raise it when `key` or `amount` changes its meaning; the tally is then rebuilt at the next open.
    ///   - amount: what a record adds to the sum of its key; nothing by default. A sum beyond 64 bits wraps around.
    ///   - key: the key that the record counts for; nil leaves the record out.
    public init(
        _ name: String, version: UInt32 = 1, summing amount: (@Sendable (R) -> Int64)? = nil,
        by key: @escaping @Sendable (R) -> Key?
    ) {
        self.name = name
        self.version = version
        self.key = key
        self.amount = amount
    }

    /// The table that holds the counts.
    public var tableName: String { "\(R.collection.name).\(name)" }

    func share(of record: R) -> TallyShare? {
        key(record).map { TallyShare(key: $0.keyBytes, value: TallyValue(count: 1, sum: amount?(record) ?? 0)) }
    }
}

/// What one record adds to a tally.
struct TallyShare {
    let key: KeyBytes
    let value: TallyValue
}

/// A row of a tally: how many records have its key (8 bytes, little-endian), and the sum of their amounts (8 bytes). A row
/// of no record and no sum is not stored.
struct TallyValue: Equatable {
    var count: Int64 = 0
    var sum: Int64 = 0

    var isZero: Bool { count == 0 && sum == 0 }

    init(count: Int64 = 0, sum: Int64 = 0) {
        self.count = count
        self.sum = sum
    }

    /// Nil when the bytes are not those of a row.
    init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 16 else { return nil }
        count = bytes.littleEndian(at: 0)
        sum = bytes.littleEndian(at: 8)
    }

    /// The row of a key; a missing one is zero.
    static func stored(
        under key: KeyBytes, in table: ChecksummedTable, _ engine: borrowing RawReadTransaction
    ) throws -> TallyValue {
        try table.get(key, in: engine) { bytes, _ in
            guard let value = TallyValue(bytes) else { throw table.damage(key.bytes) }
            return value
        } ?? TallyValue()
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: count)
        bytes.append(littleEndian: sum)
        return bytes
    }

    static func += (left: inout TallyValue, right: TallyValue) {
        left.count &+= right.count
        left.sum &+= right.sum
    }

    static prefix func - (value: TallyValue) -> TallyValue {
        TallyValue(count: 0 &- value.count, sum: 0 &- value.sum)
    }
}
