import KeyValue

/// A table whose values end in a checksum over table, key and value. This module reads and writes only through it, so
/// unchecked bytes are never used as data.
struct ChecksummedTable: Sendable {
    let table: Table
    /// Identifies the table in hashes and in `meta`.
    let number: UInt64
    /// False only where a fault injection point says so.
    private let isChecked: Bool
    /// Whether errors may show keys of it; where a user's text may be part of them, a hash is shown.
    var showsKeys = true

    init(_ table: Table, isChecked: Bool = true) {
        self.table = table
        self.isChecked = isChecked
        number = Checksum.seed(ofTable: table.name)
    }

    var name: String { table.name }

    /// Lends the value of a key without its checksum, and the entry's hash; nil when the key is not there.
    func get<Result>(
        _ key: RawSpan, in transaction: borrowing RawReadTransaction,
        _ body: (RawSpan, UInt64) throws -> Result
    ) throws -> Result? {
        try transaction.get(key, in: table) { checksummed in try open(key: key, checksummed: checksummed, body) }
    }

    /// Lends the value of a key that was made here, and the entry's hash; nil when the key is not there.
    func get<Result>(
        _ key: KeyBytes, in transaction: borrowing RawReadTransaction,
        _ body: (RawSpan, UInt64) throws -> Result
    ) throws -> Result? {
        try get(key.bytes, in: transaction, body)
    }

    /// Checks the checksum of a cursor's current entry and passes its value to a closure.
    func open<Result>(
        key: RawSpan, checksummed: RawSpan, _ body: (RawSpan, UInt64) throws -> Result
    ) throws -> Result {
        let count = checksummed.byteCount - Checksum.byteCount
        guard count >= 0 else { throw damage(key) }
        let value = checksummed.extracting(0..<count)
        let hash = Checksum.hash(key: key, value: value, seed: number)
        guard UInt32(truncatingIfNeeded: hash) == checksummed.littleEndian(at: count, as: UInt32.self) || !isChecked
        else {
            throw damage(key)
        }
        return try body(value, hash)
    }

    /// The hash of a cursor's current entry; nil when its checksum is wrong.
    func hash(key: RawSpan, checksummed: RawSpan) -> UInt64? {
        let count = checksummed.byteCount - Checksum.byteCount
        guard count >= 0 else { return nil }
        let hash = hash(key: key, value: checksummed.extracting(0..<count))
        let checksum: UInt32 = checksummed.littleEndian(at: count)
        return UInt32(truncatingIfNeeded: hash) == checksum || !isChecked ? hash : nil
    }

    /// The hash that an entry has in this table.
    func hash(key: RawSpan, value: RawSpan) -> UInt64 {
        Checksum.hash(key: key, value: value, seed: number)
    }

    /// Writes an entry with its checksum and returns its hash.
    @discardableResult
    func put(
        _ key: KeyBytes, _ value: [UInt8] = [], in transaction: borrowing RawWriteTransaction
    ) throws(KeyValueError) -> UInt64 {
        let hash = Checksum.hash(key: key.bytes, value: value.span.bytes, seed: number)
        var checksummed = value
        checksummed.append(littleEndian: UInt32(truncatingIfNeeded: hash))
        try transaction.put(key.bytes, checksummed.span.bytes, in: table)
        return hash
    }

    /// A checksum of some bytes of an entry's value, for values whose beginning is read on its own.
    func checksum(of bytes: RawSpan, for key: RawSpan) -> UInt32 {
        UInt32(truncatingIfNeeded: Checksum.hash(key: key, value: bytes, seed: number))
    }

    /// Whether a checksum is that of some bytes of an entry's value.
    func isChecksum(_ checksum: UInt32, of bytes: RawSpan, for key: RawSpan) -> Bool {
        checksum == self.checksum(of: bytes, for: key) || !isChecked
    }

    func damage(_ key: RawSpan) -> RecordsError {
        .damagedEntry(table: name, key: shown(key))
    }

    /// A key as errors and reports show it.
    func shown(_ key: RawSpan) -> String {
        showsKeys
            ? KeyBytes(copying: key).hexadecimal : "#\(hash(key: key, value: KeyBytes().bytes).keyBytes.hexadecimal)"
    }
}

/// The hash of a stored entry.
///
/// Every stored value ends in the low 32 bits of a hash over its table, its key and itself: LMDB has no checksums, and
/// a page in the wrong place is detected only if the key is covered as well. The full 64-bit hashes of the records add
/// up to their collection's digest.
enum Checksum {
    /// Bytes at the end of a stored value.
    static let byteCount = 4

    /// The hash of an entry; `seed` identifies the table. With an empty value, as in index entries, it is the hash of
    /// the key.
    static func hash(key: RawSpan, value: RawSpan, seed: UInt64) -> UInt64 {
        let hash = XXHash64.hash(key, seed: seed)
        return value.byteCount == 0 ? hash : XXHash64.hash(value, seed: hash)
    }

    /// The hash of an entry with its checksum behind the value; nil when that is not the right one.
    static func hash(key: RawSpan, checksummed: RawSpan, seed: UInt64) -> UInt64? {
        let count = checksummed.byteCount - byteCount
        guard count >= 0 else { return nil }
        let hash = hash(key: key, value: checksummed.extracting(0..<count), seed: seed)
        return UInt32(truncatingIfNeeded: hash) == checksummed.littleEndian(at: count, as: UInt32.self) ? hash : nil
    }

    /// The seed that identifies a table in the hashes of its entries.
    static func seed(ofTable name: String) -> UInt64 {
        XXHash64.hash(Array(name.utf8).span.bytes, seed: 0)
    }

    /// The number that identifies a collection in `meta` and in rows of the change log.
    static func collectionNumber(of name: String) -> UInt32 {
        UInt32(truncatingIfNeeded: seed(ofTable: name))
    }
}
