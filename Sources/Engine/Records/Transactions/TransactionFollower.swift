import KeyValue

/// Takes part in every transaction of a store that is opened with it: it is given what the transaction changes, and may write
/// records of untracked collections, which become durable with the changes. So bookkeeping about records can neither lag
/// behind them nor run ahead.
package protocol TransactionFollower: Sendable {
    /// Called before each row that the transaction adds to the change log, after the rules of references. An error undoes the
    /// transaction.
    ///
    /// - Parameters:
    ///   - changes: what the row has, but for the changes that were marked as followed.
    ///   - sequence: the number of the row.
    func follow(_ changes: [FollowedChange], of sequence: UInt64, in transaction: WriteTransaction) throws

    /// What undo must leave as it is of a record that others have changed since; nil for a record that the follower knows nothing
    /// of. It then refuses the whole operation.
    func othersPart(ofKey key: [UInt8], in collection: UInt32, _ transaction: ReadTransaction) throws -> OthersPart?
}

extension TransactionFollower {
    package func othersPart(
        ofKey key: [UInt8], in collection: UInt32, _ transaction: ReadTransaction
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

    /// Whether nothing of it is theirs.
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
            FollowedChange(
                collection: entry.collection, key: entry.key, before: entry.image, isPresent: entry.isPresent,
                changedFields: entry.changedFields,
                kind: pending.isQuarantined(entry) ? .lost : entry.isPurged && !entry.isPresent ? .purged : .changed)
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
