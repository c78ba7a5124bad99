import FoundationEssentials
import Sync

/// Of all units that a hub has accepted, those with the largest keys: what it must have. Nothing that was accepted may be missing.
struct AcceptedUnits {
    private(set) var keys: [UnitName: [UInt8]] = [:]
    /// The units by record, so that a purge finds them.
    private var units: [UUID: Set<UInt16>] = [:]

    mutating func add(_ unit: SyncUnit) { add(unit.name, unit.key) }

    mutating func add(_ name: UnitName, _ key: [UInt8]) {
        let existence = UnitName(record: name.record, unit: SyncUnit.existence)
        let isPurge = name == existence && Self.isPurge(key)
        if !isPurge, let there = keys[existence], Self.isPurge(there) { return }
        if let there = keys[name], !there.lexicographicallyPrecedes(key) { return }
        if isPurge {
            for other in units[name.record, default: []] { keys[UnitName(record: name.record, unit: other)] = nil }
            units[name.record] = []
        }
        keys[name] = key
        units[name.record, default: []].insert(name.unit)
    }

    private static func isPurge(_ key: [UInt8]) -> Bool {
        if case .purge = MergeKey(key) { true } else { false }
    }

    /// Takes into account that a hub has an earlier state again: it must get back what a device has. What only the hub had is gone.
    mutating func restore(hub: [UnitName: [UInt8]], devices: [HeldUnit]) {
        let former = keys
        self = AcceptedUnits()
        for (name, key) in hub { add(name, key) }
        for unit in devices where unit.hasValue {
            let name = UnitName(record: unit.record, unit: unit.unit)
            // What was not acknowledged yet may still get another stamp, unless it was before that.
            if !unit.isPending || former[name] == unit.key { add(name, unit.key) }
        }
    }
}
