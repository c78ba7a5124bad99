import FoundationEssentials
import Records

/// What a device does to have the same as a hub that has lost something, or that it could not read so far.
extension SyncSteps {
    // MARK: Other histories

    /// The hub's space has another history, since it was restored from a backup or emptied: everything is sent and pulled again.
    /// Nothing is deleted because it is missing there.
    func adopt(epoch: UUID) throws {
        var state = try SpaceState.load(in: transaction)
        state.epoch = epoch
        state.cursor = 0
        try transaction.put(state)
        try markAllPending()
    }

    /// Marks every unit as not acknowledged.
    func markAllPending() throws {
        var all: [DeferredUnit] = []
        try transaction[DeferredUnit.self].forEach { waiting in
            if waiting.isCounted { all.append(waiting) }
            return true
        }
        for var waiting in all {
            if waiting.reason == .space { waiting.reason = .outgoing } else { waiting.isPending = true }
            try transaction.put(waiting)
        }
        try forEachStamps { collection, key, old in
            var stamps = old
            let isThere =
                try old.deferred[SyncUnit.base] != nil || !stamps.pendingContent.isEmpty
                || transaction.storedBytes(ofKey: key, in: collection.number) != nil
            // Of a record that is gone there is nothing to send but that it is: the other units are the hub's, if it has them.
            if !isThere, stamps.isDeleted { stamps.keepExistence() }
            for number in stamps.units.keys where isThere || number == SyncUnit.existence {
                stamps[number]?.isPending = true
            }
            try StampTable(collection: collection).save(stamps, of: key, replacing: old, in: transaction)
        }
    }

    // MARK: Units of the space

    /// A stamp for what this device makes for the others.
    func stamp() throws -> Stamp {
        guard var clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        let stamp = clock.tick(now: transaction.context.clock.wall)
        try clock.save(in: transaction)
        return stamp
    }

    /// Sends units of the space with the next rounds.
    func send(_ units: [SyncUnit]) throws {
        for unit in units { try transaction.put(DeferredUnit(unit, body: unit.body, reason: .outgoing)) }
    }

    /// Merges what was sealed under a key that is here by now: a program may have ended between storing a key and using it.
    func openWhatKeysAllow() throws {
        var canOpen = false
        try transaction[DeferredUnit.self].forEach { waiting in
            canOpen =
                waiting.reason == .sealed && MergeKey(waiting.key) != nil && (try? sealing.open(waiting.unit)) != nil
            return !canOpen
        }
        if canOpen { _ = try openSealed() }
    }

    /// Merges what was sealed under keys that the device did not have before.
    func openSealed() throws -> MergeReport {
        try repairGap()
        guard var clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        var merging = try Merging(collections, sealing: sealing, device: clock.device, in: transaction)
        try merging.openSealed()
        try merging.apply([], clock: &clock)
        var state = try SpaceState.load(in: transaction)
        try adoptSettings(&clock, &state)
        try transaction.put(state)
        try clock.save(in: transaction)
        return merging.report
    }

    /// Merges what a former version of the program kept because it did not know it.
    func openKnown() throws {
        try repairGap()
        guard let clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        var merging = try Merging(collections, sealing: sealing, device: clock.device, in: transaction)
        try merging.openKnown()
    }

    // MARK: Digest

    /// The sum of the digests of all units that this device has, computed from its own rows; nil while the hub refuses one of
    /// them, so that the sums cannot agree.
    func digest() throws -> UInt64? {
        var sum: UInt64 = 0
        var hasParked = false
        var waits: [DeferredUnit.ID: [UInt8]] = [:]
        try transaction[DeferredUnit.self].forEach { waiting in
            guard waiting.isCounted else { return true }
            sum &+= waiting.unit.digest
            waits[waiting.id] = waiting.key
            return true
        }
        for collection in collections.all {
            try StampTable(collection: collection).forEach(of: transaction) { key, stamps in
                let name = sealing.name(ofRecord: key, in: collection.number)
                for (number, stamp) in stamps.units {
                    hasParked = hasParked || stamp.isParked
                    if let other = waits[.init(record: name, unit: number)] {
                        // The hub has the larger one of the two.
                        guard other.lexicographicallyPrecedes(stamp.key.bytes) else { continue }
                        sum &-= SyncUnit.digest(record: name, unit: number, key: other)
                    }
                    sum &+= SyncUnit.digest(record: name, unit: number, key: stamp.key.bytes)
                }
                return true
            }
        }
        return hasParked ? nil : sum
    }
}
