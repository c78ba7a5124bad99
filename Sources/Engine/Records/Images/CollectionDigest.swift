import KeyValue

/// The running count and digest of a collection's records, for whoever holds their bytes outside of a store. It comes to
/// what a store that holds them has noted.
package struct CollectionDigest: Sendable, Equatable {
    private let seed: UInt64
    /// How many records were added.
    package private(set) var count = 0
    /// The sum of their hashes.
    package private(set) var digest: UInt64 = 0

    package init(collection name: String) {
        seed = Checksum.seed(ofTable: name)
    }

    /// Adds a record: its key, and its value without a seal. The order does not matter.
    package mutating func add(key: RawSpan, value: RawSpan) {
        count += 1
        digest &+= Checksum.hash(key: key, value: value, seed: seed)
    }
}
