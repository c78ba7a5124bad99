import FoundationEssentials
import Records

/// Stamps records that were written before sync began or while it was off.
extension SyncSteps {
    /// Begins to stamp the changes of this store for a space. `stampMissing` stamps the records that it has already.
    func begin(space: UUID, device: UInt64) throws {
        guard try transaction[SpaceState.self].get(0) == nil else { throw SyncError.alreadySynced }
        try SyncClock(device: device, sequence: transaction.lastSequence()).save(in: transaction)
        var state = SpaceState(space: space)
        state.isStamping = true
        try transaction.put(state)
    }

    /// Removes the store from the space: the records stay, and all sync state is deleted.
    func end() throws {
        try SyncClock.remove(in: transaction)
        let tables =
            collections.all.map(\.stamps.number)
            + [
                SpaceState.collection.number, WireName.collection.number, DeferredUnit.collection.number,
                WantedRecord.collection.number, LostValue.collection.number,
            ]
        for table in tables {
            var keys: [[UInt8]] = []
            try transaction.forEachStored(in: table) { key, _ in
                keys.append(key)
                return true
            }
            for key in keys { try transaction.removeStored(key: key, in: table) }
        }
    }

    /// Stamps up to `limit` unstamped records; returns the count.
    func stampMissing(limit: Int) throws -> Int {
        guard var clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        let stamping = Stamping(
            collections: collections, stamp: clock.tick(now: transaction.context.clock.wall), isAutomatic: false,
            transaction: transaction)
        var count = 0
        for collection in collections.all where clock.follows(collection) {
            let table = StampTable(collection: collection)
            for source in [collection.number, collection.tombstones?.number].compactMap({ $0 }) {
                var missing: [[UInt8]] = []
                try transaction.forEachStored(in: source) { key, _ in
                    if try table.load(key, in: transaction) == nil { missing.append(key) }
                    return count + missing.count < limit
                }
                for key in missing {
                    let change = RecordChange(
                        kind: .changed, before: nil, changedFields: 0, isTombstone: source != collection.number)
                    try stamping.stamp(change, of: SyncedRecord(collection: collection, key: key))
                }
                count += missing.count
            }
        }
        try clock.save(in: transaction)
        var state = try SpaceState.load(in: transaction)
        if count < limit, state.isStamping {
            state.isStamping = false
            try transaction.put(state)
        }
        return count
    }

    /// Stamps what a program without sync has written: its rows if they are still in the change log, else whatever differs from
    /// its stamps.
    ///
    /// Every step that merges begins with it: a change that has no stamp yet would lose against any unit, and then be stamped as
    /// the value that has replaced it.
    func repairGap() throws {
        guard var clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        let last = try transaction.lastSequence()
        if last > clock.sequence { clock.note(last + 1) }
        guard let gapStart = clock.gapStart else { return }
        let stamp = clock.tick(now: transaction.context.clock.wall)
        clock.gapStart = nil
        clock.sequence = last
        try clock.save(in: transaction)
        let stamping = Stamping(
            collections: collections, stamp: stamp, isAutomatic: false, transaction: transaction)
        if let changes = try transaction.changes(after: gapStart, without: .sync) {
            for (record, change) in collections.records(of: changes) where clock.follows(record.collection) {
                try stamping.stamp(change, of: record)
            }
        } else {
            for collection in collections.all where clock.follows(collection) {
                try stampDifferences(of: collection, by: stamping)
            }
        }
    }

    /// Stamps the records whose time of change is not that of their stamps, those without stamps, those that are gone, and all of
    /// a type without a time of change.
    private func stampDifferences(of collection: SyncedCollection, by stamping: Stamping) throws {
        let table = StampTable(collection: collection)
        var changed: [(key: [UInt8], change: RecordChange)] = []
        try transaction.forEachStored(in: collection.number) { key, value in
            let stamps = try table.load(key, in: transaction)
            let updatedAt = collection.updatedAt.flatMap { StoredFields(value)?.integer($0) }
            if stamps == nil || updatedAt.map({ $0 != stamps?.updatedAt }) ?? true {
                // As if all of it were new: units with separate stamps are stamped as well.
                changed.append((key, RecordChange(kind: .changed, before: nil, changedFields: 0)))
            }
            return true
        }
        try table.forEach(of: transaction) { key, stamps in
            if stamps.isAlive, !stamps.isLost, stamps.deferred[SyncUnit.base] == nil,
                try transaction.storedBytes(ofKey: key, in: collection.number) == nil,
                try !isWanted(key, in: collection)
            {
                changed.append((key, RecordChange(kind: .changed, before: [1], changedFields: 0)))
            }
            return true
        }
        for (key, change) in changed {
            try stamping.stamp(change, of: SyncedRecord(collection: collection, key: key))
        }
    }

    /// Asks for the records that damage took.
    func fetchLost() throws {
        for collection in collections.all {
            let table = StampTable(collection: collection)
            var lost: [(key: [UInt8], stamps: UnitStamps)] = []
            try table.forEach(in: [.holding], of: transaction) { key, stamps in
                if stamps.isLost { lost.append((key, stamps)) }
                return true
            }
            for (key, old) in lost {
                let name = sealing.name(ofRecord: key, in: collection.number)
                try transaction.put(WantedRecord(id: name))
                if try transaction[WireName.self].get(name) == nil {
                    try transaction.put(WireName(id: name, collection: collection.number, key: key))
                }
                var stamps = old
                stamps.isLost = false
                try table.save(stamps, of: key, replacing: old, in: transaction)
            }
        }
    }

    private func isWanted(_ key: [UInt8], in collection: SyncedCollection) throws -> Bool {
        try transaction[WantedRecord.self].get(sealing.name(ofRecord: key, in: collection.number)) != nil
    }
}
