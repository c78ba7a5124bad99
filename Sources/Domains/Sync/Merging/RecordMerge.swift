import CivilTime
import FoundationEssentials
import Injection
import Records

/// Merges units into one record.
struct RecordMerge {
    let record: SyncedRecord
    let name: UUID
    /// What waits for this record.
    var waiting: [DeferredUnit] = []
    let collections: SyncedCollections
    /// This device.
    let device: UInt64
    let transaction: WriteTransaction

    struct Outcome {
        var applied = 0
        /// The numbers of the units that wait.
        var deferred: Set<UInt16> = []
    }

    var collection: SyncedCollection { record.collection }

    /// Merges units and writes the record, its stamps, and what has to wait.
    func run(_ incoming: [OpenedUnit]) throws -> Outcome {
        let table = StampTable(collection: collection)
        let old = try table.load(record.key, in: transaction)
        let value = try transaction.storedBytes(ofKey: record.key, in: collection.number)
        // What is not sent yet of a record that is gone counts as if it were still there.
        let content = value ?? old?.absentContent
        var merge = UnitMerge(
            stamps: old ?? UnitStamps(), isStored: content != nil, timeField: collection.updatedAt)
        merge.keepsOwnInTies = transaction.injectionPoint(.keepsOwnInTies)
        var outcome = Outcome()
        for unit in incoming + waitingForBase {
            guard collection.knows(unit.unit.unit) else {
                try deferUnit(unit, .version)
                outcome.deferred.insert(unit.unit.unit)
                continue
            }
            try noteConflict(unit, with: merge.stamps, content)
            merge.take(unit)
        }
        outcome.applied = merge.winners.count
        if merge.stamps.isPurged {
            try purge()
        } else if merge.stamps.isAlive {
            try keepTombstone(&merge)
            guard let fields = try contentAfter(&merge, content, &outcome) else {
                try transaction.put(WantedRecord(id: name))
                try table.save(merge.stamps, of: record.key, replacing: old, in: transaction)
                return outcome
            }
            if try collection.hasParents(key: record.key, fields, in: transaction) {
                merge.stamps.deferred[SyncUnit.base] = nil
                try write(fields, replacing: value, merge)
            } else {
                try deferRecord(fields, replacing: value, in: &merge.stamps)
                try transaction.delete(WantedRecord.self, id: name)
            }
            merge.stamps.pendingContent = []
        } else {
            // Its content is kept as long as others do not have it.
            if let content, merge.stamps.isPending {
                // With what others have changed of it: its stamps say that it has that.
                merge.stamps.pendingContent = try contentAfter(&merge, content, &outcome)?.value ?? content
            }
            merge.stamps.deferred[SyncUnit.base] = nil
            try remove(value, &merge)
        }
        // What waits for something else by now is not what has waited before.
        for unit in waiting where !outcome.deferred.contains(unit.id.unit) {
            // What could not be opened has a successor now, at the hub as well.
            let isReplaced =
                unit.reason == .sealed
                && merge.stamps[unit.id.unit].map { unit.key.lexicographicallyPrecedes($0.key.bytes) } ?? false
            let isKnownNow = unit.reason == .version && collection.knows(unit.id.unit)
            if isReplaced || isKnownNow || unit.reason == .base || unit.reason == .parked {
                try transaction.delete(DeferredUnit.self, id: unit.id)
            }
        }
        try table.save(merge.stamps, of: record.key, replacing: old, in: transaction)
        return outcome
    }

    /// The units that came before the base of their record, or could not be stored so far.
    private var waitingForBase: [OpenedUnit] {
        waiting.filter { [.base, .parked, .version].contains($0.reason) }.compactMap { deferred in
            guard let key = MergeKey(deferred.key),
                let body = try? UnitBody(decoding: deferred.body, of: deferred.id.unit)
            else {
                return nil
            }
            return OpenedUnit(
                unit: deferred.unit, key: key, body: body, device: key.stamp.device, isPending: deferred.isPending)
        }
    }

    // MARK: Content

    /// The fields of the record after the merge; nil when this device lacks some of them.
    private func contentAfter(
        _ merge: inout UnitMerge, _ value: [UInt8]?, _ outcome: inout Outcome
    ) throws -> StoredFields? {
        var fields: StoredFields
        if let value {
            guard let stored = StoredFields(value) else { throw SyncError.unreadableRecord }
            fields = stored
        } else {
            let needed = collection.units.filter { unit in
                if case .placed = unit.rule { false } else { merge.stamps[unit.number] != nil }
            }
            guard merge.base != nil, needed.allSatisfy({ merge.winners[$0.number] != nil }) else { return nil }
            fields = StoredFields([])
        }
        if let base = merge.base { setBase(base, &fields, merge.stamps) }
        for unit in collection.units {
            if case .placed = unit.rule { continue }
            guard let body = merge.fields(of: unit.number) else { continue }
            for number in unit.fields { fields[number] = body[number] }
            if case .completion(_, _, let epochField) = unit.rule {
                fields[epochField] = .unsigned32(epochField, merge.stamps.epoch(of: unit.number))
            }
        }
        for unit in collection.units {
            if case .placed(let group) = unit.rule {
                try place(unit, in: group, &fields, merge, &outcome)
            }
        }
        for reference in collection.references {
            try resolve(reference, &fields, &merge)
        }
        if let field = collection.updatedAt { fields[field] = .integer(field, merge.stamps.updatedAt) }
        return fields
    }

    /// A base sets the fields that no other unit has set since.
    private func setBase(_ base: StoredFields, _ fields: inout StoredFields, _ stamps: UnitStamps) {
        for number in Set(fields.fields.map(\.number) + base.fields.map(\.number)) {
            let isSetByBase =
                collection.isInNoUnit(number)
                || collection.units.contains { unit in
                    if case .placed = unit.rule { return false }
                    return unit.fields.contains(number) && stamps[unit.number] == nil
                }
            if isSetByBase { fields[number] = base[number] }
        }
    }

    /// A place counts while its group has the stamp that it was made under. One that was made under a later stamp waits for it.
    private func place(
        _ unit: FieldGroup, in group: UInt16, _ fields: inout StoredFields, _ merge: UnitMerge, _ outcome: inout Outcome
    ) throws {
        guard let stamp = merge.stamps[unit.number], case .placed(let made, _) = stamp.key else { return }
        let deferred = waiting.first { $0.id.unit == unit.number && $0.reason == .group && $0.key == stamp.key.bytes }
        let current = merge.stamps.group(group)
        if made > current {
            if let winner = merge.opened[unit.number] {
                try deferUnit(winner, .group)
                outcome.deferred.insert(unit.number)
            }
            return
        }
        if made == current {
            let body = merge.fields(of: unit.number) ?? deferred.flatMap { UnitMerge.fields($0) }
            if let body {
                for number in unit.fields { fields[number] = body[number] }
            }
        }
        if let deferred { try transaction.delete(DeferredUnit.self, id: deferred.id) }
    }

    /// A record that is missing is named by none; its name is kept until it comes.
    private func resolve(_ reference: MergeReference, _ fields: inout StoredFields, _ merge: inout UnitMerge) throws {
        guard let target = fields[reference.field]?.content else {
            if merge.winners[reference.unit] != nil { merge.stamps.deferred[reference.unit] = nil }
            return
        }
        merge.stamps.deferred[reference.unit] = nil
        if try transaction.storedBytes(ofKey: target, in: reference.target) == nil {
            deferReference(&fields, reference, in: &merge.stamps)
        }
    }

    func deferReference(_ fields: inout StoredFields, _ reference: MergeReference, in stamps: inout UnitStamps) {
        guard let unit = collection.unit(reference.unit) else { return }
        stamps.deferred[reference.unit] = fields.value(of: unit.fields)
        fields[reference.field] = nil
    }

    // MARK: What does not win

    private func deferUnit(_ unit: OpenedUnit, _ reason: DeferredUnit.Reason) throws {
        var waiting = DeferredUnit(
            unit.unit, body: unit.body.encoded, reason: reason, isPending: unit.isPending)
        if let there = try transaction[DeferredUnit.self].get(waiting.id) {
            // What waits already can be newer than what an answer brings that was late.
            guard !waiting.key.lexicographicallyPrecedes(there.key) else { return }
            // An answer may have brought just now what was to be sent.
            if there.key == waiting.key { waiting.isPending = waiting.isPending && there.isPending }
        }
        try transaction.put(waiting)
    }

    /// Keeps a text of this device that is replaced by one whose author had not seen it.
    private func noteConflict(_ unit: OpenedUnit, with stamps: UnitStamps, _ value: [UInt8]?) throws {
        guard let declared = collection.unit(unit.unit.unit), declared.keepsLosers, let field = declared.fields.first,
            let current = stamps.effectiveKey(declared.number), current.stamp.device == device,
            case .fields(_, _, let replaced) = unit.body, replaced != current.mark, let value,
            stamps[declared.number].map({ $0.key < unit.key }) ?? true,
            let ours = StoredFields(value)?[field]?.content, ours != UnitMerge.fields(unit.body)?[field]?.content
        else { return }
        try transaction.put(
            LostValue(
                id: transaction.identifiers.next(), at: transaction.context.clock.wall, collectionName: collection.name,
                key: record.key, unit: declared.name, value: String(decoding: ours, as: UTF8.self), by: unit.device))
    }
}
