import CivilTime
import FoundationEssentials
import Records

/// What a device does about itself: rows that were not stamped, a clock that was ahead, a hub with another history, a copy.
extension SyncSteps {
    // MARK: Beginning

    /// Begins to stamp the changes of this store for a space. `stampMissing` gives what is in it already its stamps.
    func begin(space: UUID, device: UInt64) throws {
        guard try transaction[SpaceState.self].get(0) == nil else { throw SyncError.alreadySynced }
        try SyncClock(device: device, sequence: transaction.lastSequence()).save(in: transaction)
        var state = SpaceState(space: space)
        state.isStamping = true
        try transaction.put(state)
    }

    /// Ends the store's part in the space: it keeps its records, and forgets what it knew of others'.
    func end() throws {
        try SyncClock.remove(in: transaction)
        let tables =
            collections.all.map(\.stamps.number)
            + [
                SpaceState.collection.number, WireName.collection.number, WaitingUnit.collection.number,
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

    /// Gives up to so many records that have no stamps theirs, and returns how many those were.
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
            if stamps.isAlive, !stamps.isLost, stamps.held[SyncUnit.base] == nil,
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
        var all: [WaitingUnit] = []
        try transaction[WaitingUnit.self].forEach { waiting in
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
                try old.held[SyncUnit.base] != nil || !stamps.remains.isEmpty
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
        for unit in units { try transaction.put(WaitingUnit(unit, body: unit.body, reason: .outgoing)) }
    }

    /// Merges what was sealed under a key that is here by now: a program may have ended between storing a key and using it.
    func openWhatKeysAllow() throws {
        var canOpen = false
        try transaction[WaitingUnit.self].forEach { waiting in
            canOpen =
                waiting.reason == .sealed && MergeKey(waiting.key) != nil && (try? sealing.open(waiting.unit)) != nil
            return !canOpen
        }
        if canOpen { _ = try openSealed() }
    }

    /// Merges what was sealed under keys that the device did not have before.
    func openSealed() throws -> MergeReport {
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
        guard let clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        var merging = try Merging(collections, sealing: sealing, device: clock.device, in: transaction)
        try merging.openKnown()
    }

    // MARK: Other clocks, other devices

    /// Stamps what is not sent yet and is ahead of the hub's clock anew, in order: after the hub's time, and after everything
    /// that the hub may have. What it would accept keeps its stamps: it may have been sent, and nobody knows whether it arrived.
    ///
    /// Returns whether the hub takes them now.
    func restamp(after hubTime: Int64) throws -> Bool {
        guard var clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        // The highest stamp that the hub accepts.
        let limit = HybridClock.time(of: Instant(microsecondsSince1970: hubTime + SyncProtocol.clockTolerance)) | 0xFFFF
        var seen = HybridClock.time(of: Instant(microsecondsSince1970: hubTime))
        var ahead: [WaitingUnit.ID] = []
        try forEachStamps { _, _, stamps in
            for stamp in stamps.units.values where !stamp.isPending || stamp.key.stamp.time <= limit {
                seen = max(seen, stamp.key.stamp.time)
            }
        }
        clock.clock = HybridClock(last: seen)
        clock.offset = hubTime - transaction.context.clock.wall.microsecondsSince1970
        var new: [Stamp: Stamp] = [:]
        for stamp in try pendingStamps().sorted() where stamp.time > limit {
            new[stamp] = Stamp(time: clock.clock.next(), device: clock.device)
        }
        try replaceStamps(new)
        try clock.save(in: transaction)
        // Units of the space are signed with their stamps. `SpaceIdentity.missing` makes them anew. What others have made and this
        // device cannot read can only be waited for.
        var isAhead = false
        try transaction[WaitingUnit.self].forEach { waiting in
            if waiting.reason == .outgoing { ahead.append(waiting.id) }
            if waiting.isPending, let stamp = MergeKey(waiting.key)?.stamp, stamp.time > limit { isAhead = true }
            return true
        }
        for id in ahead { try transaction.delete(WaitingUnit.self, id: id) }
        return !isAhead && Int64(clock.clock.last >> 16) * 1000 <= hubTime + SyncProtocol.clockTolerance
    }

    /// Gives this store another device's identity, since a copy of it uses the former one. What is not sent yet gets stamps of the
    /// new device at the same times: some of it may have been sent, and others may have replaced it since.
    func adopt(device: UInt64) throws {
        guard var clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        var state = try SpaceState.load(in: transaction)
        let former = clock.device
        if former != device {
            clock.device = device
            try clock.save(in: transaction)
            var new: [Stamp: Stamp] = [:]
            for stamp in try pendingStamps() where stamp.device == former {
                new[stamp] = Stamp(time: stamp.time, device: device)
            }
            try replaceStamps(new)
            state.pushNumber = 0
        }
        if state.held == Held.forked.rawValue { state.held = nil }
        try transaction.put(state)
    }

    private func pendingStamps() throws -> Set<Stamp> {
        var pending: Set<Stamp> = []
        try forEachStamps { _, _, stamps in
            for stamp in stamps.units.values where stamp.isPending { pending.insert(stamp.key.stamp) }
        }
        return pending
    }

    private func replaceStamps(_ new: [Stamp: Stamp]) throws {
        try forEachStamps { collection, key, old in
            var stamps = old
            for (number, unit) in old.units where unit.isPending {
                guard let stamp = new[unit.key.stamp] else { continue }
                stamps[number]?.key = unit.key.restamped(stamp, groups: new)
            }
            try StampTable(collection: collection).save(stamps, of: key, replacing: old, in: transaction)
        }
    }

    private func forEachStamps(
        _ body: (SyncedCollection, _ key: [UInt8], UnitStamps) throws -> Void
    ) throws {
        for collection in collections.all {
            var all: [(key: [UInt8], stamps: UnitStamps)] = []
            try StampTable(collection: collection).forEach(of: transaction) { key, stamps in
                all.append((key, stamps))
                return true
            }
            for (key, stamps) in all { try body(collection, key, stamps) }
        }
    }

    // MARK: Digest

    /// The sum of the digests of all units that this device has, computed from its own rows; nil while the hub refuses one of
    /// them, so that the sums cannot agree.
    func digest() throws -> UInt64? {
        var sum: UInt64 = 0
        var hasParked = false
        var sealed: [WaitingUnit.ID: [UInt8]] = [:]
        try transaction[WaitingUnit.self].forEach { waiting in
            if waiting.isCounted { sum &+= waiting.unit.digest }
            if waiting.reason == .sealed { sealed[waiting.id] = waiting.key }
            return true
        }
        for collection in collections.all {
            try StampTable(collection: collection).forEach(of: transaction) { key, stamps in
                let name = sealing.name(ofRecord: key, in: collection.number)
                for (number, stamp) in stamps.units {
                    hasParked = hasParked || stamp.isParked
                    if let other = sealed[.init(record: name, unit: number)] {
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
