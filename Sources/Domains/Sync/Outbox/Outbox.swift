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
        /// Nil for a unit of the space.
        let record: SyncedRecord?
    }

    /// The next units: as many as a request may have, and as the limits of this device allow.
    func next(unitLimit: Int, byteLimit: Int) throws -> [Item] {
        var items = try spaceUnits(limit: unitLimit).map { Item(unit: $0, record: nil) }
        var bytes = items.reduce(0) { $0 + $1.unit.body.count }
        for collection in collections.all {
            try StampTable(collection: collection).forEach(in: [.pending, .holding], of: transaction) { key, stamps in
                let record = SyncedRecord(collection: collection, key: key)
                for number in stamps.pending {
                    guard let unit = try unit(number, of: record, stamps) else { continue }
                    let size = unit.body.count + unit.key.count + 24
                    guard items.count < unitLimit, items.isEmpty || bytes + size <= byteLimit else { return false }
                    bytes += size
                    items.append(Item(unit: unit, record: record))
                }
                return items.count < unitLimit
            }
        }
        return items
    }

    /// Whether nothing is to be sent. Cost: a few look-ups, where counting reads everything that is to be sent.
    func isEmpty() throws -> Bool {
        guard try spaceUnits(limit: 1).isEmpty else { return false }
        var isEmpty = true
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
        var count = try spaceUnits(limit: .max).count
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

    private func spaceUnits(limit: Int) throws -> [SyncUnit] {
        var units: [SyncUnit] = []
        // Their records come first in the order of keys.
        try transaction[WaitingUnit.self].forEach { waiting in
            guard waiting.unit.isReserved, units.count < limit else { return false }
            if waiting.reason == .outgoing { units.append(waiting.unit) }
            return true
        }
        return units
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
                tombstone = try transaction.storedBytes(ofKey: record.key, in: tombstones.number) ?? []
            }
            return .existence(isAlive: !stamps.isDeleted, updatedAt: stamp.updatedAt, tombstone: tombstone)
        }
        guard let value = try content(of: record, stamps) else { return nil }
        guard var fields = StoredFields(value) else { throw SyncError.unreadableRecord }
        for reference in collection.references where number == SyncUnit.base || number == reference.unit {
            // The name of a record that is missing here is known, and is what others get.
            if let held = stamps.held[reference.unit].flatMap({ StoredFields($0) }) {
                fields[reference.field] = held[reference.field]
            }
        }
        if number == SyncUnit.base {
            // The time of the base, not that of a later change, which may be replaced by one of an earlier time.
            if let field = collection.updatedAt { fields[field] = .integer(field, stamp.updatedAt) }
            guard let whole = fields.value else { throw SyncError.unreadableRecord }
            return .base(collection: collection.number, key: record.key, value: whole)
        }
        guard let declared = collection.unit(number) else { return nil }
        return .fields(updatedAt: stamp.updatedAt, value: fields.value(of: declared.fields), replaced: stamp.replaced)
    }
}
