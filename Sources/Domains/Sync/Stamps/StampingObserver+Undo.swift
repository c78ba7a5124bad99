import Records

/// What undo on this device leaves as it is.
extension StampingObserver {
    func othersPart(
        ofKey key: [UInt8], in collection: UInt32, since left: (UInt32, [UInt8]) -> [UInt8]?,
        _ transaction: ReadTransaction
    ) throws -> OthersPart? {
        guard let clock = try SyncClock.load(in: transaction),
            let record = collections.record(ofKey: key, in: collection),
            let stamps = try StampTable(collection: record.collection).load(key, in: transaction)
        else { return nil }
        // What a rollover has changed is nobody's, and no more to be taken back than what another device has.
        func isTheirs(_ unit: UInt16) -> Bool {
            (stamps[unit] ?? stamps[SyncUnit.base]).map { $0.key.stamp.device != clock.device || $0.isAutomatic }
                ?? false
        }
        let left = left(record.collection.number, key)
        let now = try transaction.storedBytes(ofKey: key, in: record.collection.number)
        // One that was there and has gone, or the other way around, is so by what came in, though a former life of this device has
        // decided it.
        let existence =
            (left == nil) != (now == nil) || stamps[SyncUnit.existence] != nil && isTheirs(SyncUnit.existence)
        var fields: UInt64 = 0
        var places: UInt64 = 0
        for unit in record.collection.units {
            guard case .placed(let group) = unit.rule else { continue }
            places |= unit.mask
            var isInGroup = false
            if case .placed(let made, _) = stamps[unit.number]?.key { isInGroup = made == stamps.group(group) }
            if isTheirs(isInGroup ? unit.number : group) { fields |= unit.mask }
        }
        for unit in record.collection.units where unit.rule != .touch && isTheirs(unit.number) {
            if case .placed = unit.rule { continue }
            fields |= unit.mask & ~places
        }
        if let left, let now {
            fields |= record.collection.changedFields(from: left, to: now, places: places)
        }
        guard record.collection.number == collection else {
            // A tombstone stays or goes with the task: one that is there and that others have changed stays.
            return OthersPart(fields: 0, existence: existence || now != nil && fields != 0)
        }
        return OthersPart(fields: fields, existence: existence)
    }
}

extension SyncedCollection {
    /// The fields of the units that are not as an operation has left them, which is undone now: others have changed them before
    /// this device did so again, and took that back.
    fileprivate func changedFields(from left: [UInt8], to now: [UInt8], places: UInt64) -> UInt64 {
        guard let left = StoredFields(left), let now = StoredFields(now) else { return 0 }
        return units.filter { $0.rule != .touch }.reduce(0) { changed, unit in
            var own = unit.mask
            let compared: UInt64
            switch unit.rule {
            // The epoch goes up when a completion is taken back.
            case .completion(_, _, let epoch): compared = own & ~(1 << UInt64(epoch))
            case .placed: compared = own
            default:
                own &= ~places
                compared = own
            }
            let isChanged = unit.fields.contains { compared & 1 << UInt64($0) != 0 && left[$0] != now[$0] }
            return isChanged ? changed | own : changed
        }
    }
}
