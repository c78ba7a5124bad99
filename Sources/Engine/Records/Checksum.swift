import KeyValue

/// The hash of a stored entry.
///
/// Every stored value ends in the low 32 bits of a hash over its table, its key and itself: LMDB has no checksums of
/// its own, and a page in the wrong place is found only if the key is covered too. The whole 64 bits of the records add
/// up to their collection's digest.
enum Checksum {
    /// Bytes at the end of a stored value.
    static let byteCount = 4

    /// The hash of an entry; `seed` stands for the table. That of an empty value, as index entries have, is its key's.
    static func hash(key: RawSpan, value: RawSpan, seed: UInt64) -> UInt64 {
        let hash = XXHash64.hash(key, seed: seed)
        return value.byteCount == 0 ? hash : XXHash64.hash(value, seed: hash)
    }

    /// What stands for a table in the hashes of its entries.
    static func seed(ofTable name: String) -> UInt64 {
        XXHash64.hash(Array(name.utf8).span.bytes, seed: 0)
    }

    /// What stands for a collection in `meta` and in rows of the change log.
    static func collectionNumber(of name: String) -> UInt32 {
        UInt32(truncatingIfNeeded: seed(ofTable: name))
    }
}
