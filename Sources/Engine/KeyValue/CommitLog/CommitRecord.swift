/// What one commit changes, as the log holds it.
///
/// Bytes, little-endian: the chain value, which is the checksum of the record before, or the seed of the slot (8); the seed of the
/// slot (8); the LMDB transaction (8); how many bytes follow the header (4); how many tables are named (4); the checksum (8), over
/// all else; the tables' names, each with its length (1); the changes in their order. A change is a byte that says what it is, the
/// number of its table among those named (1), the key's length (2), for a put the value's length (4), the key, the value.
struct CommitRecord {
    enum Change: Equatable {
        case put(table: String, key: [UInt8], value: [UInt8])
        case delete(table: String, key: [UInt8])
    }

    static let headerSize = 40
    private static let (seedOffset, transactionOffset, lengthOffset, tableCountOffset, checksumOffset) = (
        8, 16, 24, 28, 32
    )

    /// Of the slot whose log it belongs to.
    let seed: UInt64
    /// The LMDB transaction that it is.
    let transaction: UInt64
    let checksum: UInt64
    /// With its header.
    let byteCount: Int
    let changes: [Change]

    private enum Kind: UInt8 {
        case put = 1
        case delete = 2
    }

    /// How many bytes a record takes up that states how many follow its header; nil when that is not within `limit`.
    static func length(statedIn header: RawSpan, limit: Int) -> Int? {
        guard header.byteCount >= headerSize else { return nil }
        let length = headerSize + Int(header.littleEndian(at: lengthOffset, as: UInt32.self))
        return length <= limit ? length : nil
    }

    /// Whether a header has a chain value: all else of an old record need not be read.
    static func follows(_ header: RawSpan, _ chain: UInt64) -> Bool {
        header.byteCount >= headerSize && header.littleEndian(at: 0, as: UInt64.self) == chain
    }

    /// The record at the beginning of some bytes; nil when there is none.
    ///
    /// - Parameter previous: the chain value that it must have; nil for any.
    init?(decoding bytes: RawSpan, after previous: UInt64?) {
        guard let length = Self.length(statedIn: bytes, limit: bytes.byteCount),
            previous == nil || bytes.littleEndian(at: 0, as: UInt64.self) == previous
        else { return nil }
        byteCount = length
        seed = bytes.littleEndian(at: Self.seedOffset)
        transaction = bytes.littleEndian(at: Self.transactionOffset)
        checksum = bytes.littleEndian(at: Self.checksumOffset)
        guard Self.checksum(of: bytes.extracting(first: length)) == checksum else { return nil }
        var reader = RecordReader(bytes.extracting(Self.headerSize..<length).copied)
        var names: [String] = []
        for _ in 0..<bytes.littleEndian(at: Self.tableCountOffset, as: UInt32.self) {
            guard let count = reader.byte(), let name = reader.bytes(Int(count)),
                let name = String(validating: name, as: UTF8.self)
            else { return nil }
            names.append(name)
        }
        var changes: [Change] = []
        while !reader.isAtEnd {
            guard let kind = reader.byte().flatMap(Kind.init), let table = reader.byte(), Int(table) < names.count,
                let keyCount = reader.integer(UInt16.self)
            else { return nil }
            switch kind {
            case .put:
                guard let valueCount = reader.integer(UInt32.self), let key = reader.bytes(Int(keyCount)),
                    let value = reader.bytes(Int(valueCount))
                else { return nil }
                changes.append(.put(table: names[Int(table)], key: key, value: value))
            case .delete:
                guard let key = reader.bytes(Int(keyCount)) else { return nil }
                changes.append(.delete(table: names[Int(table)], key: key))
            }
        }
        self.changes = changes
    }

    private static func checksum(of record: RawSpan) -> UInt64 {
        let previous: UInt64 = record.littleEndian(at: 0)
        let header = XXHash64.hash(record.extracting(first: checksumOffset), seed: previous)
        return XXHash64.hash(record.extracting(headerSize..<record.byteCount), seed: header)
    }

    /// Collects what a transaction changes, and gives the bytes of its record.
    struct Builder {
        private var tables: [Table] = []
        private var names: [UInt8] = []
        private var changes: [UInt8] = []
        /// Whether everything that the transaction did is in it. False for what is not a list of puts and deletes, for more tables
        /// than a byte can number, for a name that is too long, and beyond the limit: such a transaction is committed directly.
        var holdsAll = true {
            didSet { if !holdsAll { (names, changes) = ([], []) } }
        }
        private let limit: Int

        /// - Parameter limit: a record of more bytes is not collected, however large the transaction becomes.
        init(limit: Int) {
            self.limit = limit
        }

        var isEmpty: Bool { changes.isEmpty }
        /// How many bytes the record has.
        var byteCount: Int { CommitRecord.headerSize + names.count + changes.count }

        mutating func put(_ key: RawSpan, _ value: RawSpan, in table: Table) {
            guard begin(.put, key, valueCount: value.byteCount, in: table) else { return }
            changes.append(littleEndian: UInt32(truncatingIfNeeded: value.byteCount))
            changes.append(key)
            changes.append(value)
        }

        /// A put of a value that ends in a checksum.
        mutating func put(_ key: RawSpan, _ value: RawSpan, checksum: UInt32, in table: Table) {
            guard begin(.put, key, valueCount: value.byteCount + 4, in: table) else { return }
            changes.append(littleEndian: UInt32(truncatingIfNeeded: value.byteCount + 4))
            changes.append(key)
            changes.append(value)
            changes.append(littleEndian: checksum)
        }

        mutating func delete(_ key: RawSpan, in table: Table) {
            guard begin(.delete, key, valueCount: 0, in: table) else { return }
            changes.append(key)
        }

        /// Returns whether the change is collected.
        private mutating func begin(_ kind: Kind, _ key: RawSpan, valueCount: Int, in table: Table) -> Bool {
            if holdsAll, byteCount + key.byteCount + valueCount > limit { holdsAll = false }
            guard holdsAll else { return false }
            changes.append(kind.rawValue)
            changes.append(number(of: table))
            changes.append(littleEndian: UInt16(truncatingIfNeeded: key.byteCount))
            return holdsAll
        }

        private mutating func number(of table: Table) -> UInt8 {
            if let known = tables.lastIndex(where: { $0.number == table.number }) {
                return UInt8(truncatingIfNeeded: known)
            }
            guard tables.count <= Int(UInt8.max), let count = UInt8(exactly: table.name.utf8.count) else {
                holdsAll = false
                return 0
            }
            tables.append(table)
            names.append(count)
            names += table.name.utf8
            return UInt8(truncatingIfNeeded: tables.count - 1)
        }

        /// The bytes of the record, and its checksum, which the next one begins with.
        func record(
            of transaction: UInt64, after previous: UInt64, seed: UInt64
        ) -> (bytes: [UInt8], checksum: UInt64) {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(byteCount)
            bytes.append(littleEndian: previous)
            bytes.append(littleEndian: seed)
            bytes.append(littleEndian: transaction)
            bytes.append(littleEndian: UInt32(names.count + changes.count))
            bytes.append(littleEndian: UInt32(tables.count))
            bytes.append(littleEndian: UInt64(0))
            bytes += names
            bytes += changes
            let checksum = unsafe CommitRecord.checksum(of: bytes.span.bytes)
            for place in 0..<8 {
                bytes[CommitRecord.checksumOffset + place] = UInt8(truncatingIfNeeded: checksum >> UInt64(8 * place))
            }
            return (bytes, checksum)
        }
    }
}

/// Reads the parts of a record one after another; nil where they end too early.
private struct RecordReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count <= rest.count else { return nil }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type = Value.self) -> Value? {
        bytes(MemoryLayout<Value>.size)?.reversed().reduce(0) { $0 << 8 | Value($1) }
    }
}
