import FoundationEssentials
import Sync

/// The name of a unit in a space.
package struct UnitName: Hashable, Sendable {
    package let record: UUID
    package let unit: UInt16

    package init(record: UUID, unit: UInt16) {
        self.record = record
        self.unit = unit
    }
}

extension SyncUnit {
    /// The unit's name.
    package var name: UnitName { UnitName(record: record, unit: unit) }
}

extension ModelHub {
    /// Carries out a push on the tables, and answers it.
    static func commit(
        _ request: SyncRequest, in call: HubCall, limit: Int, from drawn: Int64?, to rows: inout Rows
    ) -> SyncAnswer {
        var results: [UnitResult] = []
        var winners: [NumberedUnit] = []
        var pushed: Set<UnitName> = []
        var sequence = drawn ?? rows.head
        // What is behind this push, as far as it was there before.
        let page = page(of: rows, after: request.after, through: rows.head, limit: limit)
        for unit in request.units {
            let existence = UnitName(record: unit.record, unit: SyncUnit.existence)
            if let purge = rows.units[existence], purge.unit.isPurge, !unit.isPurge {
                results.append(.superseded)
                winners.append(purge)
                continue
            }
            if let there = rows.units[unit.name], !there.unit.key.lexicographicallyPrecedes(unit.key) {
                results.append(there.unit.key == unit.key ? .accepted : .superseded)
                if there.unit.key != unit.key { winners.append(there) }
                continue
            }
            if unit.isPurge { rows.erase(unit.record) }
            sequence += 1
            rows.put(NumberedUnit(unit, sequence: sequence, device: call.device))
            pushed.insert(unit.name)
            results.append(.accepted)
        }
        rows.head = max(rows.head, sequence)
        if request.pushNumber > rows.pushes[call.device]?.number ?? 0 {
            rows.pushes[call.device] = (request.pushNumber, request.units)
        }
        // A purge of this push has erased some of it.
        let behind = page.units.filter {
            !pushed.contains($0.unit.name) && rows.units[$0.unit.name]?.sequence == $0.sequence
        }
        return SyncAnswer(
            epoch: rows.epoch, results: results,
            units: winners + behind, next: page.next ?? rows.head, head: rows.head, digest: rows.digest, time: call.time
        )
    }

    /// Units with numbers in a range, in their order; `next` is nil if these are all.
    static func page(
        of rows: Rows, after: Int64, through head: Int64, limit: Int
    ) -> (units: [NumberedUnit], next: Int64?) {
        var units: [NumberedUnit] = []
        var (low, high) = (0, rows.order.count)
        while low < high {
            let middle = (low + high) / 2
            if rows.order[middle].sequence > after { high = middle } else { low = middle + 1 }
        }
        for entry in rows.order[low...] {
            guard entry.sequence <= head else { break }
            guard let unit = rows.units[entry.name], unit.sequence == entry.sequence else { continue }
            guard units.count < limit else { return (units, units.last?.sequence) }
            units.append(unit)
        }
        return (units, nil)
    }
}

extension ModelHub.Rows {
    /// Sets a unit.
    package mutating func put(_ unit: NumberedUnit) {
        if let old = units[unit.unit.name] { digest &-= old.unit.digest }
        digest &+= unit.unit.digest
        units[unit.unit.name] = unit
        // Behind all others, unless numbers are drawn outside the lock.
        let place = order.lastIndex { $0.sequence < unit.sequence }.map { $0 + 1 } ?? 0
        order.insert((unit.sequence, unit.unit.name), at: place)
    }

    /// Removes a unit.
    package mutating func remove(_ name: UnitName) {
        guard let unit = units.removeValue(forKey: name) else { return }
        digest &-= unit.unit.digest
    }

    /// Removes all units: those of a hub that has lost them and does not know.
    package mutating func removeAll() {
        units = [:]
        digest = 0
    }

    mutating func erase(_ record: UUID) {
        for name in units.keys where name.record == record { remove(name) }
    }
}
