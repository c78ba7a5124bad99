import Records

/// What waits for another record.
extension Merging {
    /// Gives records the ones that they name, where these are there now.
    func releaseTargets() throws {
        for collection in collections.all where !collection.references.isEmpty || !collection.parents.isEmpty {
            let table = StampTable(collection: collection)
            var holding: [(key: [UInt8], stamps: UnitStamps)] = []
            try table.forEach(in: [.holding], of: transaction) { key, stamps in
                holding.append((key, stamps))
                return true
            }
            for (key, old) in holding {
                try release(SyncedRecord(collection: collection, key: key), old)
            }
        }
    }

    private func release(_ record: SyncedRecord, _ old: UnitStamps) throws {
        let collection = record.collection
        var stamps = old
        var value = try transaction.storedBytes(ofKey: record.key, in: collection.number)
        if value == nil, let whole = old.deferred[SyncUnit.base], let fields = StoredFields(whole),
            try collection.hasParents(key: record.key, fields, in: transaction)
        {
            value = whole
            stamps.deferred[SyncUnit.base] = nil
        }
        guard var fields = value.flatMap({ StoredFields($0) }) else { return }
        for reference in collection.references {
            guard let deferred = old.deferred[reference.unit].flatMap({ StoredFields($0) }),
                let target = deferred[reference.field],
                try transaction.storedBytes(ofKey: target.content, in: reference.target) != nil
            else { continue }
            fields[reference.field] = target
            stamps.deferred[reference.unit] = nil
        }
        guard stamps != old else { return }
        value = fields.value
        guard let value else { throw SyncError.unreadableRecord }
        transaction.markFollowed(record.key, in: collection.number)
        try transaction.putStored(key: record.key, value: value, in: collection.name)
        try StampTable(collection: collection).save(stamps, of: record.key, replacing: old, in: transaction)
    }
}
