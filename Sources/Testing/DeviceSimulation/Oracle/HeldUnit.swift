import FoundationEssentials
import Sync

/// A unit that a device has, without its value.
struct HeldUnit {
    let record: UUID
    let unit: UInt16
    /// The bytes of its key.
    let key: [UInt8]
    /// Whether the hub has not acknowledged it.
    let isPending: Bool
    /// Whether it can be sent: its value is here.
    let hasValue: Bool
}

extension SyncReplica {
    /// The units that this device has: those of its digest.
    func heldUnits() throws -> [HeldUnit] {
        try (content()?.units ?? [:]).map { name, unit in
            HeldUnit(
                record: name.record, unit: name.unit, key: unit.key, isPending: unit.isPending, hasValue: unit.hasValue)
        }
    }
}
