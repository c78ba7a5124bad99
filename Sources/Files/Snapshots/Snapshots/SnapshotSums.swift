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
