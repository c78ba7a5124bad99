import Records

/// The stamps of the records of one collection.
struct StampTable {
    let collection: SyncedCollection

    /// The stamps of a record, and whether they are among those that have something to send.
    func load(_ key: [UInt8], in transaction: ReadTransaction) throws -> UnitStamps? {
        for isSettled: UInt8 in [0, 1] {
            if let value = try transaction.storedBytes(ofKey: [isSettled] + key, in: collection.stamps.number) {
                return try Self.decode(value)
            }
        }
        return nil
    }

    /// Writes the stamps of a record, where they belong.
    func save(_ stamps: UnitStamps, of key: [UInt8], replacing old: UnitStamps?, in transaction: WriteTransaction) throws {
        guard stamps != old else { return }
        if let old, old.isPending != stamps.isPending {
            try transaction.removeStored(key: Self.key(key, of: old), in: collection.stamps.number)
        }
        let content = stamps.encoded
        let field = StoredFields.Field(
            number: 1, form: content.count < 256 ? .shortBytes : .longBytes, content: content)
        guard let value = StoredFields([field]).value else { return }
        try transaction.putStored(key: Self.key(key, of: stamps), value: value, in: collection.stamps.name)
    }

    /// Calls a closure with the stamps of each record, those with something to send first, until it returns false.
    func forEach(
        pendingOnly: Bool, in transaction: ReadTransaction, _ body: (_ key: [UInt8], UnitStamps) throws -> Bool
    ) throws {
        try transaction.forEachStored(in: collection.stamps.number, beginning: pendingOnly ? [0] : []) { key, value in
            try body(Array(key.dropFirst()), Self.decode(value))
        }
    }

    private static func key(_ key: [UInt8], of stamps: UnitStamps) -> [UInt8] { [stamps.isPending ? 0 : 1] + key }

    private static func decode(_ value: [UInt8]) throws -> UnitStamps {
        guard let content = StoredFields(value)?.fields.first?.content,
            let stamps = try? UnitStamps(decoding: content)
        else { throw SyncError.unreadableStamps }
        return stamps
    }
}
