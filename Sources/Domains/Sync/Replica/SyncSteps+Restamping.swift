import CivilTime
import Records

/// New stamps for what is not sent yet: of a clock that was ahead, of a copy that is a device by itself.
extension SyncSteps {
    /// Stamps what is not sent yet and is ahead of the hub's clock anew, in order: after the hub's time, and after everything
    /// that the hub may have. What it would accept keeps its stamps: it may have been sent, and may have arrived.
    ///
    /// Returns whether the hub takes them now.
    func restamp(after hubTime: Int64) throws -> Bool {
        guard var clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        // The highest stamp that the hub accepts.
        let limit = HybridClock.time(of: Instant(microsecondsSince1970: hubTime + SyncProtocol.clockTolerance)) | 0xFFFF
        var seen = HybridClock.time(of: Instant(microsecondsSince1970: hubTime))
        var ahead: [DeferredUnit.ID] = []
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
        try transaction[DeferredUnit.self].forEach { waiting in
            if waiting.reason == .outgoing { ahead.append(waiting.id) }
            if waiting.isPending, let stamp = MergeKey(waiting.key)?.stamp, stamp.time > limit { isAhead = true }
            return true
        }
        for id in ahead { try transaction.delete(DeferredUnit.self, id: id) }
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
            // Of a change and a deletion at the same time the device decides: another one may have decided otherwise.
            guard stamps.isAlive != old.isAlive, let clock = try SyncClock.load(in: transaction) else { return }
            let merge = RecordMerge(
                record: SyncedRecord(collection: collection, key: key),
                name: sealing.name(ofRecord: key, in: collection.number), collections: collections,
                device: clock.device, transaction: transaction)
            _ = try merge.run([])
        }
    }

    /// Calls a closure with the stamps of each record, which it may change.
    func forEachStamps(
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
}
