import FoundationEssentials
import Records

/// A unit that a device has, without its value: for simulations, which compare what devices and hub have.
package struct HeldUnit: Sendable, Hashable {
    /// The name of the record, and the number of the unit.
    package let record: UUID
    package let unit: UInt16
    /// The bytes of its key.
    package let key: [UInt8]
    /// Whether the hub has not acknowledged it.
    package let isPending: Bool
    /// Whether it can be sent: its value is here.
    package let hasValue: Bool
}

extension SyncReplica {
    /// The units that this device has: those of its digest.
    package func heldUnits() throws -> [HeldUnit] {
        try read { transaction, collections, sealing in
            var units: [HeldUnit] = []
            for collection in collections.all {
                try StampTable(collection: collection).forEach(of: transaction) { key, stamps in
                    let name = sealing.name(ofRecord: key, in: collection.number)
                    let hasContent =
                        try transaction.storedBytes(ofKey: key, in: collection.number) != nil || !stamps.remains.isEmpty
                    for (number, stamp) in stamps.units {
                        units.append(
                            HeldUnit(
                                record: name, unit: number, key: stamp.key.bytes, isPending: stamp.isPending,
                                hasValue: hasContent || number == SyncUnit.existence))
                    }
                    return true
                }
            }
            try transaction[WaitingUnit.self].forEach { waiting in
                if waiting.isCounted {
                    units.append(
                        HeldUnit(
                            record: waiting.id.record, unit: waiting.id.unit, key: waiting.key, isPending: false,
                            hasValue: false))
                }
                return true
            }
            return units
        }
    }
}
