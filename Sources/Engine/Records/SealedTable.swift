import KeyValue

/// A table whose values end in a checksum over table, key and value. The only way in which this module reads and
/// writes, so nothing unchecked is ever taken for data.
struct SealedTable: Sendable {
    let table: Table
    private let seed: UInt64
    /// False only where a fault injection point says so.
    private let isChecked: Bool

    init(_ table: Table, isChecked: Bool = true) {
        self.table = table
        self.isChecked = isChecked
        seed = Checksum.seed(ofTable: table.name)
    }

    var name: String { table.name }

    /// Lends the value of a key without its checksum, and the entry's hash; nil when the key is not there.
    func get<Result>(
        _ key: RawSpan, in transaction: borrowing RawReadTransaction,
        _ body: (RawSpan, UInt64) throws -> Result
    ) throws -> Result? {
        try transaction.get(key, in: table) { sealed in try open(key: key, sealed: sealed, body) }
    }

    /// The same for a key that was made here.
    func get<Result>(
        _ key: KeyBytes, in transaction: borrowing RawReadTransaction,
        _ body: (RawSpan, UInt64) throws -> Result
    ) throws -> Result? {
        try get(key.bytes, in: transaction, body)
    }

    /// Checks the seal of an entry that a cursor stands on and lends its value.
    func open<Result>(
        key: RawSpan, sealed: RawSpan, _ body: (RawSpan, UInt64) throws -> Result
    ) throws -> Result {
        let count = sealed.byteCount - Checksum.byteCount
        guard count >= 0 else { throw damage(key) }
        let value = sealed.extracting(0..<count)
        let hash = Checksum.hash(key: key, value: value, seed: seed)
        guard UInt32(truncatingIfNeeded: hash) == sealed.littleEndian(at: count, as: UInt32.self) || !isChecked else {
            throw damage(key)
        }
        return try body(value, hash)
    }

    /// The hash of an entry that a cursor stands on; nil when its seal is wrong.
    func hash(key: RawSpan, sealed: RawSpan) -> UInt64? {
        let count = sealed.byteCount - Checksum.byteCount
        guard count >= 0 else { return nil }
        let hash = hash(key: key, value: sealed.extracting(0..<count))
        let seal: UInt32 = sealed.littleEndian(at: count)
        return UInt32(truncatingIfNeeded: hash) == seal || !isChecked ? hash : nil
    }

    /// The hash that an entry has in this table.
    func hash(key: RawSpan, value: RawSpan) -> UInt64 {
        Checksum.hash(key: key, value: value, seed: seed)
    }

    /// Writes an entry with its checksum and returns its hash.
    @discardableResult
    func put(
        _ key: KeyBytes, _ value: [UInt8] = [], in transaction: borrowing RawWriteTransaction
    ) throws(KeyValueError) -> UInt64 {
        let hash = Checksum.hash(key: key.bytes, value: value.span.bytes, seed: seed)
        var sealed = value
        sealed.append(littleEndian: UInt32(truncatingIfNeeded: hash))
        try transaction.put(key.bytes, sealed.span.bytes, in: table)
        return hash
    }

    /// A checksum of some bytes of an entry's value, for values whose beginning is read on its own.
    func seal(of bytes: RawSpan, for key: RawSpan) -> UInt32 {
        UInt32(truncatingIfNeeded: Checksum.hash(key: key, value: bytes, seed: seed))
    }

    /// Whether a checksum is that of some bytes of an entry's value.
    func isSeal(_ seal: UInt32, of bytes: RawSpan, for key: RawSpan) -> Bool {
        seal == self.seal(of: bytes, for: key) || !isChecked
    }

    func damage(_ key: RawSpan) -> RecordsError {
        .damagedEntry(table: name, key: KeyBytes(copying: key).hexadecimal)
    }
}
