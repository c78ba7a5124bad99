import CivilTime
import FoundationEssentials
import Injection
import Records

/// Stamps every change of a synced store in the transaction that makes it, whatever call made it.
struct StampingObserver: TransactionObserver {
    let collections: SyncedCollections

    func follow(_ changes: [FollowedChange], of sequence: UInt64, in transaction: WriteTransaction) throws {
        guard var clock = try SyncClock.load(in: transaction) else { return }
        clock.note(sequence)
        if !changes.isEmpty {
            let now = transaction.context.clock.wall
            if transaction.injectionPoint(.refusesClocksThatAreBehind), HybridClock.time(of: now) < clock.clock.last {
                throw SyncError.unreadableStamps
            }
            let stamp = clock.tick(now: now)
            let isAutomatic = !transaction.label.origin.isUndoable
            let stampAll = { @Sendable [collections, clock] (transaction: WriteTransaction) in
                let stamping = Stamping(
                    collections: collections, stamp: stamp, isAutomatic: isAutomatic, transaction: transaction)
                for (record, change) in collections.records(of: changes) {
                    // What has come from others is followed before the decision about journals has.
                    let isFollowed =
                        try clock.follows(record.collection)
                        || StampTable(collection: record.collection).load(record.key, in: transaction) != nil
                    guard isFollowed else { continue }
                    try stamping.stamp(change, of: record)
                }
            }
            if transaction.isPostponed(.stampsInSecondTransaction) {
                transaction.postpone(stampAll)
            } else {
                try stampAll(transaction)
            }
        }
        try clock.save(in: transaction)
    }
}

/// Stamps the records that one transaction has changed, all with the same stamp.
struct Stamping {
    let collections: SyncedCollections
    let stamp: Stamp
    let isAutomatic: Bool
    let transaction: WriteTransaction

    func stamp(_ change: RecordChange, of record: SyncedRecord) throws {
        let table = StampTable(collection: record.collection)
        let old = try table.load(record.key, in: transaction)
        var stamps = old ?? UnitStamps()
        // A record that was there before the store was synced and has no stamps yet: no other device has it.
        var change = change
        let now = try transaction.storedBytes(ofKey: record.key, in: record.collection.number)
        if old == nil, now != nil { change.before = nil }
        // Nothing follows a purge; a record of this id that is made again stays on this device.
        if stamps.isPurged { return }
        switch change.kind {
        case .lost:
            guard old != nil else { return }
            stamps.isLost = now == nil
        case .purged where now == nil:
            stamps.purge(unit(.purge(stamp), at: stamp.milliseconds &* 1000))
            try LostValue.removeAll(ofKey: record.key, in: record.collection.name, transaction)
            try DeferredUnit.removeAll(ofKey: record.key, in: record.collection.number, transaction)
        case .changed, .purged:
            if let now {
                stamps.pendingContent = []
                try stampContent(now, change, of: record.collection, in: &stamps)
                // It is there because somebody has changed it after its deletion. What a rollover has changed of that keeps it.
                if !stamps.isAlive { stamps.keepAlive(by: stamp) }
                let written = try followStamps(now, of: record, stamps)
                try holdMissing(written, change, of: record, in: &stamps)
                if stamps == old, change.kind == .changed { try keepTime(of: record, written, stamps) }
            } else if old != nil || change.before != nil || change.isTombstone {
                if stamps.isPending, let before = change.before { stamps.pendingContent = before }
                stamps[SyncUnit.existence] = unit(.latest(stamp), at: stamps.updatedAt)
                stamps.isDeleted = true
                stamps.deferred[SyncUnit.existence] = nil
                // Undoing the creation of a list leaves tasks in it that other devices have put there.
                try RecordMerge(
                    record: record, name: UUID(high: 0, low: 0), collections: collections, device: stamp.device,
                    transaction: transaction
                ).detachReferrers()
            }
        }
        try table.save(stamps, of: record.key, replacing: old, in: transaction)
    }

    private func stampContent(
        _ bytes: [UInt8], _ change: RecordChange, of collection: SyncedCollection, in stamps: inout UnitStamps
    ) throws {
        guard let after = StoredFields(bytes) else { throw SyncError.unreadableRecord }
        let updatedAt = collection.updatedAt.flatMap(after.integer) ?? stamp.milliseconds &* 1000
        let isNew = change.before == nil
        var losesBase = false
        if isNew {
            stamps.deferred[SyncUnit.base] = nil
            stamps.deferred[SyncUnit.existence] = nil
            if stamps.isDeleted {
                stamps[SyncUnit.existence] = unit(.latest(stamp), at: updatedAt)
                stamps.isDeleted = false
            }
            let createdAt = collection.createdAt.flatMap(after.integer) ?? stamp.milliseconds &* 1000
            let key = MergeKey.base(createdAt: createdAt, stamp)
            // Of two bases the earlier one stays: a record that is made anew under its former id says all of it in its units.
            losesBase = stamps[SyncUnit.base].map { key < $0.key } ?? false
            if !losesBase { stamps[SyncUnit.base] = unit(key, at: updatedAt) }
        }
        let before = change.before.flatMap { StoredFields($0) }
        var isStamped = isNew
        for declared in collection.units {
            // Stamps that a record kept from before its deletion would win over its new base.
            let isChanged =
                isNew
                ? losesBase || stamps[declared.number] != nil
                : declared.rule != .touch && change.changedFields & declared.mask != 0
            guard isChanged || transaction.injectionPoint(.stampsWholeRecords) else { continue }
            isStamped = true
            let key: MergeKey
            switch declared.rule {
            case .latest, .touch: key = .latest(stamp)
            case .completion(let state, let done, let epochField):
                let isDone = after.integer(state) == Int64(done)
                var epoch = max(
                    stamps.epoch(of: declared.number), UInt32(clamping: before?.integer(epochField) ?? 0))
                if before?.integer(state) == Int64(done), !isDone { epoch += 1 }
                epoch = max(epoch, UInt32(clamping: after.integer(epochField) ?? 0))
                if transaction.injectionPoint(.reopensInTheSameEpoch) { epoch = 0 }
                key = .completion(epoch: epoch, isDone: isDone, stamp)
            case .placed(let group):
                // The group's own value has the place when it changes as well.
                if stamps[group]?.key.stamp == stamp { continue }
                key = .placed(in: stamps.group(group), stamp)
            }
            var stamped = unit(key, at: updatedAt)
            if declared.keepsLosers {
                let current = stamps[declared.number]
                // Of several changes that are sent as one the first has replaced what others know.
                stamped.replaced =
                    current.flatMap { $0.isPending ? $0.replaced : nil } ?? stamps.effectiveKey(declared.number)?.mark
                    ?? 0
            }
            stamps[declared.number] = stamped
            // A person has decided otherwise.
            if !isNew { stamps.deferred[declared.number] = nil }
        }
        // As when a task was linked to another one, or a thread got an entry.
        if !isStamped, let touch = collection.touch, change.changedFields & touch.mask != 0 {
            stamps[touch.number] = unit(.latest(stamp), at: updatedAt)
        }
    }

    /// Undo can bring back a record as it was before it was reopened elsewhere, and a record that is made anew under its former id
    /// has another time of creation than its base: both follow the stamps, as they do on all other devices.
    private func followStamps(_ bytes: [UInt8], of record: SyncedRecord, _ stamps: UnitStamps) throws -> [UInt8] {
        guard var fields = StoredFields(bytes) else { return bytes }
        var isChanged = false
        for unit in record.collection.units {
            guard case .completion(_, _, let field) = unit.rule, stamps[unit.number] != nil,
                UInt32(clamping: fields.integer(field) ?? 0) < stamps.epoch(of: unit.number)
            else { continue }
            fields[field] = .unsigned32(field, stamps.epoch(of: unit.number))
            isChanged = true
        }
        if let field = record.collection.createdAt, case .base(let createdAt, _) = stamps[SyncUnit.base]?.key,
            let own = fields.integer(field), own > createdAt
        {
            fields[field] = .integer(field, createdAt)
            isChanged = true
        }
        guard isChanged, let value = fields.value else { return bytes }
        try transaction.putStored(key: record.key, value: value, in: record.collection.name)
        return value
    }

    /// Undo can bring back a record that names one which another device has deleted since.
    private func holdMissing(
        _ bytes: [UInt8], _ change: RecordChange, of record: SyncedRecord, in stamps: inout UnitStamps
    ) throws {
        for reference in record.collection.references {
            guard let unit = record.collection.unit(reference.unit),
                change.before == nil || change.changedFields & unit.mask != 0, var fields = StoredFields(bytes),
                let target = fields[reference.field]?.content,
                try transaction.storedBytes(ofKey: target, in: reference.target) == nil
            else { continue }
            stamps.deferred[unit.number] = fields.value(of: unit.fields)
            fields[reference.field] = nil
            guard let value = fields.value else { throw SyncError.unreadableRecord }
            try transaction.putStored(key: record.key, value: value, in: record.collection.name)
        }
    }

    /// A change that sets what a record has already is none: its time, which no unit has, would be this device's alone.
    private func keepTime(of record: SyncedRecord, _ bytes: [UInt8], _ stamps: UnitStamps) throws {
        guard let field = record.collection.updatedAt, var fields = StoredFields(bytes),
            fields.integer(field) != stamps.updatedAt
        else { return }
        fields[field] = .integer(field, stamps.updatedAt)
        guard let value = fields.value else { throw SyncError.unreadableRecord }
        try transaction.putStored(key: record.key, value: value, in: record.collection.name)
    }

    private func unit(_ key: MergeKey, at updatedAt: Int64) -> UnitStamp {
        UnitStamp(key: key, updatedAt: updatedAt, isPending: true, isAutomatic: isAutomatic)
    }
}

extension UnitStamps {
    /// The epoch of a unit of completion, 0 without one.
    func epoch(of unit: UInt16) -> UInt32 {
        if case .completion(let epoch, _, _) = self[unit]?.key { epoch } else { 0 }
    }
}
