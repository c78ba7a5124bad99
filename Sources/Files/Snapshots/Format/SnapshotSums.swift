import Records

/// What is in a snapshot's file, summed up: what was written must come back, also where the store's own sums do not tell
/// since only changes are there.
struct SnapshotSums: Sendable, Equatable {
    /// The records, by the numbers of their collections.
    private(set) var records: [CollectionDigest]
    /// The keys of records that are gone, each with no value.
    private(set) var removals: [CollectionDigest]

    init(_ names: [String]) {
        records = names.map { CollectionDigest(collection: $0) }
        removals = records
    }

    mutating func add(_ key: RawSpan, _ value: RawSpan, to collection: Int) {
        records[collection].add(key: key, value: value)
    }

    mutating func add(_ key: [UInt8], _ value: [UInt8], to collection: Int) {
        records[collection].add(key, value)
    }

    mutating func addRemoval(of key: [UInt8], from collection: Int) {
        removals[collection].add(key, [])
    }

    mutating func addRemoval(of key: RawSpan, from collection: Int) {
        removals[collection].add(key: key, value: key.extracting(0..<0))
    }
}

/// Where the bytes of a snapshot went, by what they tell.
public struct SnapshotSizes: Sendable, Equatable {
    /// What a part of a snapshot tells.
    public enum Part: Sendable, Hashable, Comparable {
        /// Which fields the records have.
        case shapes
        /// The records' keys.
        case keys
        /// A field, by its number.
        case field(Int)
        /// Records that are no rows of fields, as they are.
        case rawRows
        /// Header, manifest, the heads of sections, footer.
        case frame
    }

    /// The bytes of each part in the file.
    public private(set) var bytes: [Part: Int] = [:]

    /// All of them.
    public var total: Int { bytes.values.reduce(0, +) }

    mutating func add(_ count: Int, to part: Part) {
        bytes[part, default: 0] += count
    }

    mutating func add(_ other: SnapshotSizes) {
        for (part, count) in other.bytes { add(count, to: part) }
    }
}

extension [UInt8] {
    /// Whether these bytes sort before others: the order of the keys.
    func precedes(_ other: [UInt8]) -> Bool {
        span.bytes.precedes(other.span.bytes)
    }

    /// Takes over other bytes and keeps the room.
    mutating func replace(with other: [UInt8]) {
        removeAll(keepingCapacity: true)
        append(contentsOf: other)
    }
}

extension CollectionDigest {
    mutating func add(_ key: [UInt8], _ value: [UInt8]) {
        add(key: key.span.bytes, value: value.span.bytes)
    }
}
