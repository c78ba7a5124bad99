import FoundationEssentials
import Records

/// What a device has to send: the units that the hub has not acknowledged, as they are now.
struct Outbox {
    let collections: SyncedCollections
    let sealing: any UnitSealing
    let transaction: ReadTransaction

    /// A unit to send, and the record that it is of.
    struct Item {
        let unit: SyncUnit
        /// Nil for a unit of the space, and for one that waits here.
        let record: SyncedRecord?
    }

    /// The next units: as many as a request may have, and as the limits of this device allow.
    func next(unitLimit: Int, byteLimit: Int) throws -> [Item] {
        var items: [Item] = []
        var bytes = 0
        /// Returns whether there is room for more.
        func add(_ item: Item) -> Bool {
            let size = item.unit.body.count + item.unit.key.count + 24
            guard items.count < unitLimit, items.isEmpty || bytes + size <= byteLimit else { return false }
            bytes += size
            items.append(item)
            return items.count < unitLimit
        }
        try forEachWaiting { waiting in
            var unit = waiting.unit
            if !unit.isReserved, waiting.reason != .sealed { unit.body = try sealing.seal(waiting.body, as: unit) }
            return add(Item(unit: unit, record: nil))
        }
        for collection in collections.all {
            try StampTable(collection: collection).forEach(in: [.pending, .holding], of: transaction) { key, stamps in
                let record = SyncedRecord(collection: collection, key: key)
                for number in stamps.pending {
                    guard let unit = try unit(number, of: record, stamps) else { continue }
                    guard add(Item(unit: unit, record: record)) else { return false }
                }
                return items.count < unitLimit
            }
        }
        return items
    }

    /// Whether nothing is to be sent. Cost: what waits here and a few look-ups, where counting reads everything that is to be sent.
    func isEmpty() throws -> Bool {
        var isEmpty = true
        try forEachWaiting { _ in
            isEmpty = false
            return false
        }
        for collection in collections.all where isEmpty {
            try StampTable(collection: collection).forEach(in: [.pending, .holding], of: transaction) { key, stamps in
                let hasContent = try content(of: SyncedRecord(collection: collection, key: key), stamps) != nil
                isEmpty = !stamps.pending.contains { hasContent || $0 == SyncUnit.existence }
                return isEmpty
            }
        }
        return isEmpty
    }

    /// How many units are to be sent.
    func count() throws -> Int {
        var count = 0
        try forEachWaiting { _ in
            count += 1
            return true
        }
        for collection in collections.all {
            try StampTable(collection: collection).forEach(in: [.pending, .holding], of: transaction) { key, stamps in
                let hasContent = try content(of: SyncedRecord(collection: collection, key: key), stamps) != nil
                count += stamps.pending.count { hasContent || $0 == SyncUnit.existence }
                return true
            }
        }
        return count
    }

    /// How many units the hub has refused. Cost: one step for each record.
    func parkedCount() throws -> Int {
        var count = 0
        for collection in collections.all {
            try StampTable(collection: collection).forEach(of: transaction) { _, stamps in
                count += stamps.units.values.count { $0.isParked }
                return true
            }
        }
        return count
    }

    /// The units that are to be sent and that no stamps have, until the closure returns false. Those of the space come first, in the
    /// order of keys.
    private func forEachWaiting(_ body: (DeferredUnit) throws -> Bool) throws {
        try transaction[DeferredUnit.self].forEach { waiting in
            guard waiting.reason == .outgoing || waiting.isPending else { return true }
            return try body(waiting)
        }
    }

    private func content(of record: SyncedRecord, _ stamps: UnitStamps) throws -> [UInt8]? {
        try transaction.storedBytes(ofKey: record.key, in: record.collection.number)
            ?? stamps.absentContent
    }

    private func unit(_ number: UInt16, of record: SyncedRecord, _ stamps: UnitStamps) throws -> SyncUnit? {
        guard let stamp = stamps[number] else { return nil }
        var unit = SyncUnit(
            record: sealing.name(ofRecord: record.key, in: record.collection.number), unit: number,
            key: stamp.key.bytes, flags: stamp.isAutomatic ? .automatic : [], body: [])
        guard let body = try body(number, of: record, stamp, stamps) else { return nil }
        unit.body = try sealing.seal(body.encoded, as: unit)
        return unit
    }

    /// The value of a unit as it is now; nil when the record is not here, as one that is still to be fetched.
    private func body(
        _ number: UInt16, of record: SyncedRecord, _ stamp: UnitStamp, _ stamps: UnitStamps
    ) throws -> UnitBody? {
        let collection = record.collection
        if number == SyncUnit.existence {
            var tombstone: [UInt8] = []
            if let tombstones = collection.tombstones {
                tombstone =
                    try transaction.storedBytes(ofKey: record.key, in: tombstones.number)
                    ?? stamps.deferred[SyncUnit.existence] ?? []
            }
            return .existence(isAlive: !stamps.isDeleted, updatedAt: stamp.updatedAt, tombstone: tombstone)
        }
        guard let value = try content(of: record, stamps) else { return nil }
        guard var fields = StoredFields(value) else { throw SyncError.unreadableRecord }
        for reference in collection.references where number == SyncUnit.base || number == reference.unit {
            // The name of a record that is missing here is known, and is what others get.
            if let deferred = stamps.deferred[reference.unit].flatMap({ StoredFields($0) }) {
                fields[reference.field] = deferred[reference.field]
            }
        }
        if number == SyncUnit.base {
            // The time of the base, not that of a later change, which may be replaced by one of an earlier time.
            if let field = collection.updatedAt { fields[field] = .integer(field, stamp.updatedAt) }
            guard let whole = fields.value else { throw SyncError.unreadableRecord }
            return .base(collection: collection.number, key: record.key, value: whole)
        }
        guard let declared = collection.unit(number) else { return nil }
        if case .placed = declared.rule, let waiting = try placeThatWaits(number, of: record, stamp) { return waiting }
        return .fields(updatedAt: stamp.updatedAt, value: fields.value(of: declared.fields), replaced: stamp.replaced)
    }

    /// A place that waits for a newer value of the unit that it is in: the record has another place meanwhile.
    private func placeThatWaits(_ number: UInt16, of record: SyncedRecord, _ stamp: UnitStamp) throws -> UnitBody? {
        let name = sealing.name(ofRecord: record.key, in: record.collection.number)
        guard let waiting = try transaction[DeferredUnit.self].get(.init(record: name, unit: number)),
            waiting.reason == .group, waiting.key == stamp.key.bytes
        else { return nil }
        return try UnitBody(decoding: waiting.body, of: number)
    }
}
