import Injection
import Records

/// What a device does about each unit that it has sent.
extension SyncSteps {
    /// Takes over what the hub has done with each unit.
    func acknowledge(_ round: Round, _ results: [UnitResult]) throws {
        for ((record, unit), result) in zip(zip(round.records, round.request.units), results) {
            guard let record else {
                if result != .superseded { try settleDeferredUnit(unit) }
                continue
            }
            let stamps = try change(unit, of: record, isBlind: transaction.injectionPoint(.settlesBlindly)) {
                switch result {
                case .accepted: $0[unit.unit]?.isPending = false
                case .superseded: break
                case .refused: $0[unit.unit]?.isParked = true
                }
            }
            if transaction.injectionPoint(.forgetsDeletions), let stamps, stamps.isDeleted, !stamps.isPending {
                try transaction.removeStored(key: [1] + record.key, in: record.collection.stamps.number)
            }
        }
    }

    /// Settles units that lost against one that cannot be opened or stored yet: the hub keeps the other one, so they are not sent
    /// again.
    func settleUnitsLostToDeferred(_ round: Round, _ results: [UnitResult]) throws {
        for ((record, unit), result) in zip(zip(round.records, round.request.units), results)
        where result == .superseded {
            guard let record,
                try [unit.unit, SyncUnit.existence].contains(where: { number in
                    let winner = try transaction[DeferredUnit.self].get(.init(record: unit.record, unit: number))
                    guard let winner, winner.isCounted else { return false }
                    return winner.unit.isPurge
                        || number == unit.unit && unit.key.lexicographicallyPrecedes(winner.key)
                })
            else { continue }
            try change(unit, of: record) { $0[unit.unit]?.isPending = false }
        }
    }

    /// Whether something was sent that the hub has nothing newer of, although it says so: a hub sends the winners along.
    func isContradicted(_ round: Round, _ results: [UnitResult]) throws -> Bool {
        for ((record, unit), result) in zip(zip(round.records, round.request.units), results)
        where result == .superseded {
            guard let record else {
                let waiting = try transaction[DeferredUnit.self].get(.init(record: unit.record, unit: unit.unit))
                if let waiting, waiting.isPending || waiting.reason == .outgoing, waiting.key == unit.key {
                    return true
                }
                continue
            }
            let stamp = try StampTable(collection: record.collection).load(record.key, in: transaction)?[unit.unit]
            if let stamp, stamp.isPending, stamp.key.bytes == unit.key { return true }
        }
        return false
    }

    /// Settles units before the hub has answered, as the injection point `settlesWhenSent` asks.
    func settle(_ items: [Outbox.Item]) throws {
        for item in items {
            guard let record = item.record else { continue }
            try change(item.unit, of: record, isBlind: true) { $0[item.unit.unit]?.isPending = false }
        }
    }

    /// Changes the stamps of a record, unless the unit was changed since it was sent: then it has another key, and is still to be
    /// sent. Returns the new stamps.
    @discardableResult
    private func change(
        _ unit: SyncUnit, of record: SyncedRecord, isBlind: Bool = false, _ body: (inout UnitStamps) -> Void
    ) throws -> UnitStamps? {
        let table = StampTable(collection: record.collection)
        guard let old = try table.load(record.key, in: transaction),
            isBlind || old[unit.unit]?.key.bytes == unit.key
        else { return nil }
        var stamps = old
        body(&stamps)
        try table.save(stamps, of: record.key, replacing: old, in: transaction)
        return stamps
    }

    private func settleDeferredUnit(_ unit: SyncUnit) throws {
        let id = DeferredUnit.ID(record: unit.record, unit: unit.unit)
        guard var waiting = try transaction[DeferredUnit.self].get(id), waiting.key == unit.key else { return }
        if waiting.reason == .outgoing { waiting.reason = .space }
        waiting.isPending = false
        try transaction.put(waiting)
    }

    /// Stops sending one unit that the hub cannot read or take, so that the others are still sent.
    func park(_ round: Round) throws {
        for (record, unit) in zip(round.records, round.request.units) {
            guard let record else {
                try settleDeferredUnit(unit)
                continue
            }
            try change(unit, of: record) { $0[unit.unit]?.isParked = true }
        }
    }
}
