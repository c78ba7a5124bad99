import KeyValue

/// Records that undo cannot restore, because what others have written since and a rule together forbid it: what they would name is
/// gone, what they are is named, or their key is taken. They stay as they are, like a field that others have written.
extension WriteTransaction {
    /// A change of this transaction that a rule forbids.
    struct ForbiddenChange: Hashable {
        let record: PendingChanges.RecordKey
        /// The position of a reference that is to be nil instead of naming a record that is gone; nil if the record is to stay as it is.
        let cleared: Int?
    }

    /// Takes the changes back that rules forbid, and counts them in `keptByUndo`. Cost: one look-up for each record that changed
    /// ones name, each that was removed, and each unique key; usually one round.
    func takeBackForbiddenChanges() throws {
        var unchanged: Set<PendingChanges.RecordKey> = []
        var kept: Set<PendingChanges.RecordKey> = []
        var takenBack: Set<ForbiddenChange> = []
        // To take one change back can forbid another: of what was to name it. What no change of this transaction causes is damage,
        // which its end reports.
        while case let changes = try Set(forbiddenChanges()).subtracting(takenBack), !changes.isEmpty {
            let before = try statesBefore(Set(changes.map(\.record)))
            for change in changes {
                guard let state = before[change.record] else { continue }
                kept.insert(change.record)
                if try takeBack(change, to: state) { unchanged.insert(change.record) }
            }
            takenBack.formUnion(changes)
        }
        pending.forget(unchanged)
        keptByUndo += kept.count
    }

    /// The changes that break a rule of references or of a unique index as the store is now. Of records with the same unique key
    /// all are named, also one that this transaction has not changed.
    func forbiddenChanges() throws -> [ForbiddenChange] {
        var changes: [ForbiddenChange] = []
        for (referrer, target) in try danglingReferences() {
            for key in try withEngine({ try referrer.keys(naming: target, limit: .max, in: $0) }) {
                changes.append(
                    ForbiddenChange(
                        record: .init(collection: referrer.collection.number, key: key.array),
                        cleared: referrer.rule == .nullify ? referrer.position : nil))
            }
        }
        for target in Set(pending.removedTargets) where try isRemovedAgainstRule(target) {
            changes.append(ForbiddenChange(record: target, cleared: nil))
        }
        for (unique, index) in pending.uniqueKeys {
            let keys = try self.keys(under: unique, of: index, limit: .max)
            guard keys.count > 1 else { continue }
            changes += keys.map {
                ForbiddenChange(record: .init(collection: unique.collection, key: $0.array), cleared: nil)
            }
        }
        return changes
    }

    /// Whether a record was removed although a rule keeps it while others name it.
    private func isRemovedAgainstRule(_ target: PendingChanges.RecordKey) throws -> Bool {
        guard try storedBytes(ofKey: target.key, in: target.collection) == nil else { return false }
        return try (schema.referrers[target.collection] ?? []).contains { referrer in
            guard referrer.rule == .restrict else { return false }
            return try withEngine { try !referrer.keys(naming: KeyBytes(target.key), limit: 1, in: $0).isEmpty }
        }
    }

    /// Returns whether the record is what it was before this transaction, and no row of the log says otherwise.
    private func takeBack(_ change: ForbiddenChange, to state: StateBefore) throws -> Bool {
        let record = change.record
        guard let collection = schema.collection(number: record.collection) else { return false }
        let key = KeyBytes(record.key)
        if let position = change.cleared {
            try collection.clearReference(at: position, of: key, in: self)
            // Where nothing but a time of change is left of the change, nothing is.
            guard let image = state.image, let current = try storedBytes(ofKey: record.key, in: record.collection),
                try FieldLayout.changedFields(from: image, to: current)
                    & ~collection.fieldsOfRestoration(key, to: image, from: image, in: self) == 0
            else { return false }
        }
        if let image = state.image {
            try collection.put(key, image, in: self)
        } else {
            try collection.restore(key, to: nil, in: self)
        }
        return !state.isInRow
    }

    /// A record before this transaction, and whether a row of the log has it already.
    private struct StateBefore {
        let image: [UInt8]?
        let isInRow: Bool
    }

    /// Those of some records that this transaction has changed.
    private func statesBefore(
        _ records: Set<PendingChanges.RecordKey>
    ) throws -> [PendingChanges.RecordKey: StateBefore] {
        var states: [PendingChanges.RecordKey: StateBefore] = [:]
        func take(_ entries: [ChangeRow.Entry], isInRow: Bool) {
            for entry in entries {
                let record = PendingChanges.RecordKey(collection: entry.collection, key: entry.key)
                // Of several rows the first has it.
                guard records.contains(record), states[record] == nil else { continue }
                states[record] = StateBefore(image: entry.image, isInRow: isInRow)
            }
        }
        if let first = operationStart {
            for sequence in try first..<nextSequence() {
                let row = try withEngine { try ChangeLog(schema: schema).row(sequence, in: $0) }
                take(row?.entries ?? [], isInRow: true)
            }
        }
        take(pending.entries, isInRow: false)
        return states
    }
}
