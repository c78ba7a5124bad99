import KeyValue

/// Takes part in every transaction of a store that is opened with it: it is given what the transaction changes, and may write
/// records of untracked collections, which become durable with the changes. So bookkeeping about records can neither lag
/// behind them nor run ahead.
package protocol TransactionObserver: Sendable {
    /// Called before each row that the transaction adds to the change log, after the rules of references. An error undoes the
    /// transaction.
    ///
    /// - Parameters:
    ///   - changes: what the row has, but for the changes that were marked as followed.
    ///   - sequence: the number of the row.
    func follow(_ changes: [FollowedChange], of sequence: UInt64, in transaction: WriteTransaction) throws

    /// What undo must leave as it is of a record that others have changed since; nil for a record that the observer has nothing
    /// of. It then refuses the whole operation.
    ///
    /// - Parameter left: gives the bytes of a record, by collection and key, as the operation left it; nil if it was not there.
    func othersPart(
        ofKey key: [UInt8], in collection: UInt32, since left: (UInt32, [UInt8]) -> [UInt8]?,
        _ transaction: ReadTransaction
    ) throws -> OthersPart?
}

extension TransactionObserver {
    package func othersPart(
        ofKey key: [UInt8], in collection: UInt32, since left: (UInt32, [UInt8]) -> [UInt8]?,
        _ transaction: ReadTransaction
    ) throws -> OthersPart? { nil }
}

/// What others have decided last of a record.
package struct OthersPart: Sendable, Hashable {
    /// Bit n for field n, if others have changed its value last.
    package var fields: UInt64
    /// Whether others have decided last that the record is there or is not.
    package var existence: Bool

    package init(fields: UInt64, existence: Bool) {
        self.fields = fields
        self.existence = existence
    }

    /// Whether nothing of the record is tracked.
    var isNothing: Bool { fields == 0 && !existence }
}

/// A change of one tracked record, as a follower is given it.
package struct FollowedChange: Sendable {
    /// The number of the collection.
    package let collection: UInt32
    /// The record's key.
    package let key: [UInt8]
    /// The record's bytes before the transaction; nil when it was not there, and for one that is purged.
    package let before: [UInt8]?
    /// Whether the record is there after the transaction.
    package let isPresent: Bool
    /// Bit n for field n, if the field differs before and after the transaction.
    package let changedFields: UInt64
    /// What became of the record.
    package let kind: Kind

    package enum Kind: Sendable {
        /// It was written or deleted.
        case changed
        /// It was deleted with every trace.
        case purged
        /// Damage was found in it, and its bytes are in the quarantine: nobody has deleted it.
        case lost
    }
}

extension WriteTransaction {
    /// Gives the followers what has changed.
    func followChanges(_ entries: [ChangeRow.Entry]) throws {
        guard !schema.followers.isEmpty, !entries.isEmpty else { return }
        let changes = entries.filter { !pending.isFollowed($0) }.map { entry in
            FollowedChange(entry, isLost: pending.isQuarantined(entry))
        }
        let sequence = try nextSequence()
        for follower in schema.followers { try follower.follow(changes, of: sequence, in: self) }
    }

    /// Keeps the change of a record from the followers: for a follower that writes tracked records itself.
    package func markFollowed(_ key: [UInt8], in collection: UInt32) {
        pending.followed.insert(.init(collection: collection, key: key))
    }

    /// Writes a few bytes of a follower, such as its clock. They are stored with the counts of the collections, so that they
    /// cost a transaction no page; a snapshot does not have them.
    package func setFollowerState(_ bytes: [UInt8]?, of name: String) throws {
        let key = Meta.followerKey(name)
        try withWriter { engine in
            if let bytes {
                _ = try schema.meta.put(key, bytes, in: engine)
            } else {
                _ = try engine.delete(key.bytes, in: schema.meta.table)
            }
        }
    }
}

extension ReadTransaction {
    /// The bytes that `setFollowerState` wrote last; nil when there are none. Cost: one look-up.
    package func followerState(of name: String) throws -> [UInt8]? {
        try withEngine { engine in
            try schema.meta.get(Meta.followerKey(name), in: engine) { value, _ in value.copied }
        }
    }
}

extension ReadTransaction {
    /// What the rows after a number did to each record, for a follower that was not there: with the first image before, and every
    /// field that one of the rows has changed. Nil when one of the rows has left the log, or is damaged.
    ///
    /// - Parameter origin: rows of this origin are passed over.
    /// - Complexity: a step for each row.
    package func changes(after sequence: UInt64, without origin: ChangeOrigin) throws -> [FollowedChange]? {
        let log = ChangeLog(schema: schema)
        var changes: [FollowedChange] = []
        var places: [PendingChanges.RecordKey: Int] = [:]
        do {
            return try withEngine { engine in
                guard try log.isComplete(in: engine), try log.firstSequence(in: engine) <= sequence + 1 else {
                    return nil
                }
                try log.forEach(after: sequence, in: engine) { _, row in
                    guard row.label.origin != origin else { return true }
                    for entry in row.entries {
                        let record = PendingChanges.RecordKey(collection: entry.collection, key: entry.key)
                        let place = places[record]
                        let isLost =
                            try !entry.isPresent
                            && schema.quarantine?.contains(KeyBytes(entry.key), in: entry.collection, engine) ?? false
                        let change = FollowedChange(entry, isLost: isLost, following: place.map { changes[$0] })
                        if let place {
                            changes[place] = change
                        } else {
                            places[record] = changes.count
                            changes.append(change)
                        }
                    }
                    return true
                }
                return changes
            }
        } catch RecordsError.damagedEntry {
            return nil
        }
    }
}

extension FollowedChange {
    fileprivate init(_ entry: ChangeRow.Entry, isLost: Bool, following earlier: FollowedChange? = nil) {
        self.init(
            collection: entry.collection, key: entry.key, before: earlier.map(\.before) ?? entry.image,
            isPresent: entry.isPresent, changedFields: (earlier?.changedFields ?? 0) | entry.changedFields,
            kind: isLost ? .lost : entry.isPurged && !entry.isPresent ? .purged : .changed)
    }
}
