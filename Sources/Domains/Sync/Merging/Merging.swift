import CivilTime
import FoundationEssentials
import Records

/// A unit whose body was opened.
struct OpenedUnit {
    var unit: SyncUnit
    var key: MergeKey
    var body: UnitBody
    var device: UInt64
    /// Whether it has waited here and is still to be sent to a hub that has lost it.
    var isPending = false
}

/// What a merge did, for the report of a round.
struct MergeReport: Sendable, Hashable {
    /// How many units changed something here.
    var applied = 0
    /// Units that no device of the space has sealed.
    var forged = 0
    /// Units of which a record cannot be made here.
    var parked = 0
    /// Units of the space itself: keys of a new epoch.
    var spaceUnits: [SyncUnit] = []
}

/// Merges units of other devices into the records of a store, within one transaction. Any order and repetition of the same
/// units leads to the same records.
struct Merging {
    let collections: SyncedCollections
    let sealing: any UnitSealing
    let transaction: WriteTransaction
    /// This device.
    private let device: UInt64
    private(set) var report = MergeReport()
    /// Whether any unit waits: most stores have none, and are not asked for each record.
    private var hasWaiting: Bool
    /// What has waited for a key and is still to be sent.
    private var pending: Set<DeferredUnit.ID> = []

    init(
        _ collections: SyncedCollections, sealing: any UnitSealing, device: UInt64, in transaction: WriteTransaction
    ) throws {
        self.device = device
        self.collections = collections
        self.sealing = sealing
        self.transaction = transaction
        hasWaiting = try transaction[DeferredUnit.self].count() > 0
    }

    /// Merges units, and lets the clock know of them.
    mutating func apply(_ units: [NumberedUnit], clock: inout SyncClock) throws {
        var groups: [UUID: [NumberedUnit]] = [:]
        var order: [UUID] = []
        for unit in units {
            if groups[unit.unit.record] == nil { order.append(unit.unit.record) }
            groups[unit.unit.record, default: []].append(unit)
        }
        for name in order { try apply(groups[name] ?? [], named: name) }
        try releaseTargets()
        for unit in units {
            if let stamp = MergeKey(unit.unit.key)?.stamp { clock.clock.receive(stamp.time) }
        }
    }

    private mutating func apply(_ units: [NumberedUnit], named name: UUID) throws {
        if let unit = units.first?.unit, unit.isReserved {
            report.spaceUnits += units.map(\.unit)
            for unit in units { try deferUnit(unit.unit, body: unit.unit.body, .space) }
            return
        }
        var opened: [OpenedUnit] = []
        for unit in units {
            if let unit = try open(unit) { opened.append(unit) }
        }
        guard !opened.isEmpty else { return }
        guard let record = try resolve(name, opened) else {
            // A purge erases at the hub what waits here for a base that does not come any more.
            let waiting = try waiting(for: name)
            if opened.contains(where: { $0.unit.isPurge }) || waiting.contains(where: { $0.unit.isPurge }) {
                for unit in waiting where !unit.unit.isPurge { try transaction.delete(DeferredUnit.self, id: unit.id) }
                opened.removeAll { !$0.unit.isPurge }
            }
            for unit in opened { try deferUnit(unit.unit, body: unit.body.encoded, .base) }
            return
        }
        try merge(opened, into: record, named: name)
    }

    /// Merges units of a record, and what has waited for it.
    private mutating func merge(
        _ opened: [OpenedUnit], into record: (collection: UInt32, key: [UInt8]), named name: UUID
    ) throws {
        guard let collection = collections[record.collection] else {
            for unit in opened { try deferUnit(unit.unit, body: unit.body.encoded, .version) }
            return
        }
        let merge = RecordMerge(
            record: SyncedRecord(collection: collection, key: record.key), name: name,
            waiting: hasWaiting ? try waiting(for: name) : [], collections: collections,
            device: device, transaction: transaction)
        do {
            let outcome = try merge.run(opened)
            report.applied += outcome.applied
            if !outcome.deferred.isEmpty { hasWaiting = true }
        } catch RecordsError.refusedRecord {
            // A record that this version refuses must not keep all others from coming in.
            for unit in opened { try deferUnit(unit.unit, body: unit.body.encoded, .parked) }
            report.parked += opened.count
        }
    }

    /// Opens a unit; nil for one that waits or is refused.
    private mutating func open(_ numbered: NumberedUnit) throws -> OpenedUnit? {
        let unit = numbered.unit
        guard let key = MergeKey(unit.key) else {
            try deferUnit(unit, body: unit.body, .sealed)
            return nil
        }
        do {
            let body = try UnitBody(decoding: sealing.open(unit), of: unit.unit)
            return OpenedUnit(
                unit: unit, key: key, body: body, device: numbered.device, isPending: isPending(unit))
        } catch SealingError.unknownKey {
            try deferUnit(unit, body: unit.body, .sealed)
        } catch {
            report.forged += 1
        }
        return nil
    }

    /// The record of a name: known, or said by its base.
    private func resolve(_ name: UUID, _ units: [OpenedUnit]) throws -> (collection: UInt32, key: [UInt8])? {
        if let known = try transaction[WireName.self].get(name) { return (known.collectionNumber, known.key) }
        for case .base(let collection, let key, _) in units.map(\.body) {
            // Who seals for one record can seal for another, but only under its own name.
            guard sealing.name(ofRecord: key, in: collection) == name, 1...63 ~= key.count else { continue }
            try transaction.put(WireName(id: name, collection: collection, key: key))
            return (collection, key)
        }
        return nil
    }

    private mutating func deferUnit(_ unit: SyncUnit, body: [UInt8], _ reason: DeferredUnit.Reason) throws {
        let waiting = DeferredUnit(unit, body: body, reason: reason, isPending: isPending(unit))
        if var there = try transaction[DeferredUnit.self].get(waiting.id), !there.reason.isStamped {
            if there.key == waiting.key, there.reason != .outgoing {
                // The hub has it. What is here stays: it may be opened, and this one sealed under a key that is missing.
                guard there.isPending, !waiting.isPending else { return }
                there.isPending = false
                return try transaction.put(there)
            }
            // What this device sends itself comes back, and is then what others have as well.
            guard !waiting.key.lexicographicallyPrecedes(there.key) else { return }
        }
        try transaction.put(waiting)
        hasWaiting = true
    }

    private func isPending(_ unit: SyncUnit) -> Bool {
        pending.contains(DeferredUnit.ID(record: unit.record, unit: unit.unit))
    }

    /// Merges what could not be opened so far, because the device has new keys.
    mutating func openSealed() throws {
        var sealed: [UUID: [NumberedUnit]] = [:]
        try transaction[DeferredUnit.self].forEach { waiting in
            guard waiting.reason == .sealed else { return true }
            if waiting.isPending { pending.insert(waiting.id) }
            let device = MergeKey(waiting.key)?.stamp.device ?? 0
            sealed[waiting.id.record, default: []].append(
                NumberedUnit(waiting.unit, sequence: 0, device: device))
            return true
        }
        for (name, units) in sealed {
            for unit in units {
                try transaction.delete(DeferredUnit.self, id: .init(record: name, unit: unit.unit.unit))
            }
            try apply(units, named: name)
        }
        pending = []
        try releaseTargets()
    }

    /// Merges what a former version of the program did not know.
    mutating func openKnown() throws {
        var names: Set<UUID> = []
        try transaction[DeferredUnit.self].forEach { waiting in
            if waiting.reason == .version { names.insert(waiting.id.record) }
            return true
        }
        for name in names.sorted(by: { $0.keyArray.lexicographicallyPrecedes($1.keyArray) }) {
            guard let record = try transaction[WireName.self].get(name),
                let collection = collections[record.collectionNumber],
                try waiting(for: name).contains(where: { collection.knows($0.id.unit) })
            else { continue }
            try merge([], into: (record.collectionNumber, record.key), named: name)
        }
        try releaseTargets()
    }

    /// Merges what has come of a record that is here before its name was known. Returns whether there was any.
    mutating func openNamed(_ name: UUID, _ record: SyncedRecord) throws -> Bool {
        guard hasWaiting, try !waiting(for: name).isEmpty else { return false }
        try merge([], into: (record.collection.number, record.key), named: name)
        try releaseTargets()
        return true
    }

    private func waiting(for name: UUID) throws -> [DeferredUnit] {
        let ids = try transaction[DeferredUnit.self].ids(beginning: name.bytes, limit: 1000)
        return try ids.compactMap { try transaction[DeferredUnit.self].get($0) }
    }
}
