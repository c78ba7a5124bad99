import Records

/// The stamps of the records of one collection.
struct StampTable {
    let collection: SyncedCollection

    /// The parts of the table, so that records that something is to be done about stand together and need no index.
    enum Part: UInt8, CaseIterable {
        /// Something is to be sent.
        case pending = 0
        /// The hub has all of it.
        case settled = 1
        /// A record that it names is missing, or it was lost itself; something may be to be sent.
        case holding = 2

        init(of stamps: UnitStamps) {
            self = stamps.isLost || !stamps.deferred.isEmpty ? .holding : stamps.isPending ? .pending : .settled
        }
    }

    /// The stamps of a record; nil when it has none.
    func load(_ key: [UInt8], in transaction: ReadTransaction) throws -> UnitStamps? {
        for part in Part.allCases {
            if let value = try transaction.storedBytes(ofKey: [part.rawValue] + key, in: collection.stamps.number) {
                return try Self.decode(value)
            }
        }
        return nil
    }

    /// Writes the stamps of a record, where they belong.
    func save(_ stamps: UnitStamps, of key: [UInt8], replacing old: UnitStamps?, in transaction: WriteTransaction)
        throws
    {
        var stamps = stamps
        if !stamps.isPending { stamps.pendingContent = [] }
        guard stamps != old else { return }
        if let old, Part(of: old) != Part(of: stamps) {
            try transaction.removeStored(key: Self.key(key, of: old), in: collection.stamps.number)
        }
        let content = stamps.encoded
        let field = StoredFields.Field(
            number: 1, form: content.count < 256 ? .shortBytes : .longBytes, content: content)
        guard let value = StoredFields([field]).value else { return }
        try transaction.putStored(key: Self.key(key, of: stamps), value: value, in: collection.stamps.name)
    }

    /// Calls a closure with the stamps of each record in some parts, until it returns false.
    func forEach(
        in parts: [Part] = Part.allCases, of transaction: ReadTransaction,
        _ body: (_ key: [UInt8], UnitStamps) throws -> Bool
    ) throws {
        var shouldContinue = true
        for part in parts where shouldContinue {
            try transaction.forEachStored(in: collection.stamps.number, beginning: [part.rawValue]) { key, value in
                shouldContinue = try body(Array(key.dropFirst()), Self.decode(value))
                return shouldContinue
            }
        }
    }

    private static func key(_ key: [UInt8], of stamps: UnitStamps) -> [UInt8] { [Part(of: stamps).rawValue] + key }

    private static func decode(_ value: [UInt8]) throws -> UnitStamps {
        guard let content = StoredFields(value)?.fields.first?.content,
            let stamps = try? UnitStamps(decoding: content)
        else { throw SyncError.unreadableStamps }
        return stamps
    }
}
