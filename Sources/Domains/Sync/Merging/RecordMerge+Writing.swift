import FoundationEssentials
import Records

/// What a merge writes: the record or its tombstone, and what becomes of the records that name it.
extension RecordMerge {
    func write(_ fields: StoredFields, replacing value: [UInt8]?, _ merge: UnitMerge) throws {
        if let tombstones = collection.tombstones {
            transaction.markFollowed(record.key, in: tombstones.number)
            try transaction.removeStored(key: record.key, in: tombstones.number)
        }
        try put(fields, replacing: value)
        if value == nil { try transaction.delete(WantedRecord.self, id: name) }
    }

    func put(_ fields: StoredFields, replacing value: [UInt8]?) throws {
        guard let bytes = fields.value else { throw SyncError.unreadableRecord }
        guard bytes != value else { return }
        transaction.markFollowed(record.key, in: collection.number)
        try transaction.putStored(key: record.key, value: bytes, in: collection.name)
    }

    /// Keeps the tombstone of a record that is there because somebody has changed it after its deletion: that change can still give
    /// way to another one, as a completion does to an earlier one.
    func keepTombstone(_ merge: inout UnitMerge) throws {
        guard let tombstones = collection.tombstones else { return }
        var tombstone = merge.stamps.deferred[SyncUnit.existence] ?? []
        if case .existence(_, _, let new) = merge.winners[SyncUnit.existence] {
            tombstone = new
        } else if let stored = try transaction.storedBytes(ofKey: record.key, in: tombstones.number) {
            tombstone = stored
        }
        merge.stamps.deferred[SyncUnit.existence] = merge.stamps.isDeleted && !tombstone.isEmpty ? tombstone : nil
    }

    func remove(_ value: [UInt8]?, _ merge: inout UnitMerge) throws {
        if value != nil {
            try releaseReferrers()
            transaction.markFollowed(record.key, in: collection.number)
            try transaction.removeStored(key: record.key, in: collection.number)
        }
        try transaction.delete(WantedRecord.self, id: name)
        let kept = merge.stamps.deferred.removeValue(forKey: SyncUnit.existence)
        guard let tombstones = collection.tombstones else { return }
        let tombstone: [UInt8]
        if case .existence(_, _, let new) = merge.winners[SyncUnit.existence] {
            tombstone = new
        } else if let kept {
            tombstone = kept
        } else {
            return
        }
        transaction.markFollowed(record.key, in: tombstones.number)
        if tombstone.isEmpty {
            try transaction.removeStored(key: record.key, in: tombstones.number)
        } else {
            try transaction.putStored(key: record.key, value: tombstone, in: tombstones.name)
        }
    }

    /// Keeps a record beside its stamps, because one without which it cannot be there is missing.
    func deferRecord(_ fields: StoredFields, replacing value: [UInt8]?, in stamps: inout UnitStamps) throws {
        guard let bytes = fields.value else { throw SyncError.unreadableRecord }
        stamps.deferred[SyncUnit.base] = bytes
        guard value != nil else { return }
        try releaseReferrers()
        transaction.markFollowed(record.key, in: collection.number)
        try transaction.removeStored(key: record.key, in: collection.number)
    }

    /// Keeps the records that cannot be there without this one, such as links to a task, so that they are back when it is.
    func deferChildren() throws {
        for other in collections.all where other.parents.contains(where: { $0.target == collection.number }) {
            while true {
                let keys = try transaction.keys(
                    naming: record.key, of: collection.number, in: other.number, limit: 512)
                if keys.isEmpty { break }
                for key in keys { try deferRecord(child: key, in: other) }
            }
        }
    }

    func deferRecord(child key: [UInt8], in other: SyncedCollection) throws {
        let table = StampTable(collection: other)
        guard let value = try transaction.storedBytes(ofKey: key, in: other.number), let fields = StoredFields(value)
        else { throw SyncError.unreadableRecord }
        let old = try table.load(key, in: transaction)
        var stamps = old ?? UnitStamps()
        let child = RecordMerge(
            record: SyncedRecord(collection: other, key: key), name: name, collections: collections, device: device,
            transaction: transaction)
        try child.deferRecord(fields, replacing: value, in: &stamps)
        try table.save(stamps, of: key, replacing: old, in: transaction)
    }

    /// What is to be done with other records before this one goes.
    func releaseReferrers() throws {
        try deferChildren()
        try detachReferrers()
    }

    /// The records that name this one stay: what was put into a list while another device deleted it is not lost.
    func detachReferrers() throws {
        for other in collections.all {
            for reference in other.references where reference.target == collection.number {
                while true {
                    let keys = try reference.referrers(record.key, 512, transaction)
                    if keys.isEmpty { break }
                    for key in keys { try detach(key, in: other, reference) }
                }
            }
        }
    }

    func detach(_ key: [UInt8], in other: SyncedCollection, _ reference: MergeReference) throws {
        let table = StampTable(collection: other)
        guard let value = try transaction.storedBytes(ofKey: key, in: other.number), var fields = StoredFields(value),
            let old = try table.load(key, in: transaction)
        else { throw SyncError.unreadableRecord }
        var stamps = old
        let referrer = RecordMerge(
            record: SyncedRecord(collection: other, key: key), name: name, collections: collections,
            device: device, transaction: transaction)
        referrer.deferReference(&fields, reference, in: &stamps)
        try referrer.put(fields, replacing: value)
        try table.save(stamps, of: key, replacing: old, in: transaction)
    }

    func purge() throws {
        for (number, tracked) in [(collection.number, true), (collection.tombstones?.number ?? 0, false)]
        where number != 0 {
            if tracked { try releaseReferrers() }
            transaction.markFollowed(record.key, in: number)
            try transaction.removeStored(key: record.key, in: number)
            try transaction.purgeHistory(ofKey: record.key, in: number)
        }
        for id in try transaction[DeferredUnit.self].ids(beginning: name.bytes, limit: 1000) {
            try transaction.delete(DeferredUnit.self, id: id)
        }
        try LostValue.removeAll(ofKey: record.key, in: collection.name, transaction)
        try transaction.delete(WantedRecord.self, id: name)
    }
}
