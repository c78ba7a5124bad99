import Records

/// The sums of the records in a snapshot's file. They compare what was written with what is read back, also in
/// incremental snapshots, which the store's own sums do not describe.
struct SnapshotSums: Sendable, Equatable {
    /// The records, by the numbers of their collections.
    private(set) var records: [CollectionDigest]
    /// The keys of deleted records, without values.
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

extension [UInt8] {
    /// Whether these bytes sort before others in the order of keys.
    func precedes(_ other: [UInt8]) -> Bool {
        span.bytes.precedes(other.span.bytes)
    }

    /// Replaces the bytes and keeps the capacity.
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
