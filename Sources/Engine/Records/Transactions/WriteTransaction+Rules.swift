import KeyValue

/// The rules that hold at the end of every transaction, whatever made the changes: a call, undo, an import.
extension WriteTransaction {
    /// How many records that name a deleted one are looked up at a time.
    private static let pageSize = 512

    /// Deletes or changes the records that name a deleted record, and those that name these, and so on. A loop instead of
    /// recursion: a chain of references can be of any length.
    ///
    /// - Parameter restricting: whether this is the end of the transaction, when no record may be left that names a deleted
    ///   one.
    func applyDeletionRules(restricting: Bool) throws {
        guard !pending.removedTargets.isEmpty, !isApplyingRules else { return }
        isApplyingRules = true
        defer { isApplyingRules = false }
        if restricting { lookAgain() }
        // After an error the same target is the next one.
        while pending.appliedTargets < pending.removedTargets.count {
            let target = pending.removedTargets[pending.appliedTargets]
            // It may have been created again since.
            let key = KeyBytes(target.key)
            if let collection = schema.collection(number: target.collection),
                try !withEngine({ try $0.contains(key.bytes, in: collection.recordsTable.table) })
            {
                for referrer in schema.referrers[target.collection] ?? [] {
                    if referrer.rule == .restrict, !restricting { continue }
                    if schema.injectionPoint(.skipsCascades) { continue }
                    try apply(referrer, to: key)
                }
            }
            pending.appliedTargets += 1
        }
        if restricting { (pending.removedTargets, pending.appliedTargets) = ([], 0) }
    }

    /// Adds the removed targets, once more, whose rules have to be applied at the end although they were before: those that a
    /// record names which was written since, and those that none may name. Of all others nothing is left that names them, and to
    /// look for it would cost as much as the first time.
    private func lookAgain() {
        let named = Set(pending.namedTargets.map(\.target))
        pending.removedTargets += pending.removedTargets.prefix(pending.appliedTargets).filter { target in
            named.contains(target) || schema.referrers[target.collection]?.contains { $0.rule == .restrict } == true
        }
    }

    private func apply(_ referrer: Referrer, to target: KeyBytes) throws {
        while true {
            let keys = try withEngine { try referrer.keys(naming: target, limit: Self.pageSize, in: $0) }
            if keys.isEmpty { return }
            switch referrer.rule {
            case .restrict: throw RecordsError.stillReferenced(by: referrer.index.table.name)
            case .cascade:
                for key in keys { try referrer.collection.deleteByRule(key, in: self) }
            case .nullify:
                for key in keys {
                    try referrer.collection.clearReference(at: referrer.position, of: key, in: self)
                }
            }
            let left = try withEngine { try referrer.keys(naming: target, limit: 1, in: $0) }
            // A record type whose own rule keeps the reference would be found in every round.
            guard left != [keys[0]] else { throw RecordsError.stillReferenced(by: referrer.index.table.name) }
        }
    }

    /// Every record that a changed one names must be there.
    func checkNamedTargets() throws {
        if let referrer = try danglingReferences().first?.referrer {
            throw RecordsError.missingTarget(reference: referrer.index.table.name)
        }
    }

    /// The references of changed records to records that are not there.
    func danglingReferences() throws -> [(referrer: Referrer, target: KeyBytes)] {
        try pending.namedTargets.compactMap { named in
            guard let collection = schema.collection(number: named.target.collection) else { return nil }
            let key = KeyBytes(named.target.key)
            if try withEngine({ try $0.contains(key.bytes, in: collection.recordsTable.table) }) { return nil }
            let referrers = schema.referrers[named.target.collection] ?? []
            // The record that named it may have changed again, or be gone.
            guard let referrer = referrers.first(where: { $0.index.table.name == named.reference }),
                try !withEngine({ try referrer.keys(naming: key, limit: 1, in: $0) }).isEmpty
            else { return nil }
            return (referrer, key)
        }
    }

    /// Every key that was added to a unique index must be there once.
    func checkUniqueKeys() throws {
        for (unique, index) in pending.uniqueKeys {
            guard try keys(under: unique, of: index, limit: 2).count < 2 else {
                throw RecordsError.duplicateKey(index: index.table.name)
            }
        }
    }

    /// The keys of up to `limit` records that have a key of a unique index.
    func keys(under unique: PendingChanges.UniqueKey, of index: BoundPart, limit: Int) throws -> [KeyBytes] {
        var keys: [KeyBytes] = []
        try withEngine { engine in
            try engine.withCursor(over: index.table.table) { cursor in
                try index.table.forEachKey(KeyRange(prefix: unique.key), backwards: false, by: &cursor) { entry in
                    // A longer key can begin with this one.
                    if entry.byteCount == unique.key.count + index.idWidth {
                        keys.append(KeyBytes(copying: entry.extracting(last: index.idWidth)))
                    }
                    return keys.count < limit
                }
            }
        }
        return keys
    }
}

extension BoundCollection {
    func deleteByRule(_ key: KeyBytes, in transaction: WriteTransaction) throws {
        guard let record = try transaction.withEngine({ try self.record(key, in: $0) }) else { return }
        try record.deleteByReference(in: transaction)
    }

    func clearReference(at position: Int, of key: KeyBytes, in transaction: WriteTransaction) throws {
        guard let reference = references.first(where: { $0.position == position }), let clear = reference.rule.clear,
            var record = try transaction.withEngine({ try self.record(key, in: $0) })
        else { return }
        clear(&record)
        try transaction.put(record)
    }
}
