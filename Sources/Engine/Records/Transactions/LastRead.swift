import KeyValue

/// The record that a transaction has read last. What changes a record reads it first, then checks rules that read it again, and
/// writes it, for which its former content is needed once more: all of that looks it up and decodes it once.
struct LastRead {
    fileprivate let collection: UInt32
    fileprivate let key: KeyBytes
    /// The transaction's writes when it was read: after any other one it is not used.
    fileprivate let generation: Int
    fileprivate let bytes: [UInt8]
    fileprivate let hash: UInt64
    fileprivate let record: any Record
}

extension WriteTransaction {
    /// The record of a key if it was the last one that was read, and nothing was written since.
    func lastRead<R: Record>(
        _ key: KeyBytes, in collection: BoundCollection<R>
    ) throws -> (bytes: [UInt8], hash: UInt64, record: R)? {
        guard let lastRead, lastRead.collection == collection.number, lastRead.key == key,
            try lastRead.generation == withWriter({ $0.generation }), let record = lastRead.record as? R
        else { return nil }
        return (lastRead.bytes, lastRead.hash, record)
    }

    /// Reads a record for the next ones who ask for it.
    func read<R: Record>(_ key: KeyBytes, in collection: BoundCollection<R>) throws -> R? {
        if let lastRead = try lastRead(key, in: collection) { return lastRead.record }
        guard let (bytes, hash) = try withEngine({ try collection.stored(key, in: $0) }) else { return nil }
        let record = try collection.decode(key.bytes, bytes.span.bytes)
        lastRead = LastRead(
            collection: collection.number, key: key, generation: try withWriter { $0.generation }, bytes: bytes,
            hash: hash, record: record)
        return record
    }
}
