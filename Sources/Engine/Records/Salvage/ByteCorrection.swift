import KeyValue

/// Puts a damaged byte of a record right.
///
/// The store has the sum of the hashes of all records of a collection. Where one record of it is damaged, the sum of the others
/// says what its hash was. Every byte is tried until the hash is that one: at most some ten million tries, of which one in a
/// trillion would meet 64 bits by chance.
struct ByteCorrection {
    /// The hash that the record had.
    let target: UInt64
    /// What identifies the table in the hashes.
    let seed: UInt64

    /// The longest record of which every other value of every byte is tried: about a second. Of a longer one every other bit.
    private static let byteLimit = 6 << 10
    private static let bitLimit = 64 << 10

    /// The record as it was; nil when more than a byte of it is damaged.
    ///
    /// - Parameter found: the value with its checksum behind it, which may be what is damaged.
    func correct(_ key: KeyBytes, _ found: [UInt8]) -> (key: KeyBytes, value: [UInt8])? {
        guard found.count >= Checksum.byteCount, found.count <= Self.bitLimit else { return nil }
        var value = Array(found.dropLast(Checksum.byteCount))
        if hash(key.array, value) == target { return (key, value) }
        var keyBytes = key.array
        let changes = value.count <= Self.byteLimit ? Array(UInt8(1)...255) : (0..<8).map { UInt8(1) << $0 }
        for place in keyBytes.indices {
            let byte = keyBytes[place]
            for change in changes {
                keyBytes[place] = byte ^ change
                if hash(keyBytes, value) == target { return (KeyBytes(keyBytes), value) }
            }
            keyBytes[place] = byte
        }
        for place in value.indices {
            let byte = value[place]
            for change in changes {
                value[place] = byte ^ change
                if hash(keyBytes, value) == target { return (key, value) }
            }
            value[place] = byte
        }
        return nil
    }

    private func hash(_ key: [UInt8], _ value: [UInt8]) -> UInt64 {
        unsafe Checksum.hash(key: key.span.bytes, value: value.span.bytes, seed: seed)
    }
}
