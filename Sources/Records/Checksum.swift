import KeyValue

/// XXH64, the 64-bit variant of xxHash (specification: github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
///
/// Every stored value ends in the low 32 bits of a hash over its table, its key and itself: LMDB has no checksums of
/// its own, and a page in the wrong place is found only if the key is covered too. The whole 64 bits of the records add
/// up to their collection's digest.
enum Checksum {
    /// Bytes at the end of a stored value.
    static let byteCount = 4

    /// The hash of an entry; `seed` stands for the table.
    static func hash(key: RawSpan, value: RawSpan, seed: UInt64) -> UInt64 {
        xxh64(value, seed: xxh64(key, seed: seed))
    }

    /// What stands for a table in the hashes of its entries.
    static func seed(ofTable name: String) -> UInt64 {
        xxh64(Array(name.utf8).span.bytes, seed: 0)
    }

    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    static func xxh64(_ bytes: RawSpan, seed: UInt64) -> UInt64 {
        let count = bytes.byteCount
        var offset = 0
        var hash: UInt64
        if count >= 32 {
            var lane1 = seed &+ prime1 &+ prime2
            var lane2 = seed &+ prime2
            var lane3 = seed
            var lane4 = seed &- prime1
            while offset <= count - 32 {
                lane1 = round(lane1, bytes.littleEndian(at: offset))
                lane2 = round(lane2, bytes.littleEndian(at: offset + 8))
                lane3 = round(lane3, bytes.littleEndian(at: offset + 16))
                lane4 = round(lane4, bytes.littleEndian(at: offset + 24))
                offset += 32
            }
            hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
            hash = merge(merge(merge(merge(hash, lane1), lane2), lane3), lane4)
        } else {
            hash = seed &+ prime5
        }
        hash = hash &+ UInt64(count)
        while offset <= count - 8 {
            hash = rotate(hash ^ round(0, bytes.littleEndian(at: offset)), 27) &* prime1 &+ prime4
            offset += 8
        }
        if offset <= count - 4 {
            let word = UInt64(bytes.littleEndian(at: offset, as: UInt32.self))
            hash = rotate(hash ^ (word &* prime1), 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < count {
            hash = rotate(hash ^ (UInt64(bytes[byteAt: offset]) &* prime5), 11) &* prime1
            offset += 1
        }
        hash = (hash ^ (hash >> 33)) &* prime2
        hash = (hash ^ (hash >> 29)) &* prime3
        return hash ^ (hash >> 32)
    }

    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value << bits | value >> (64 - bits)
    }
}
