import FoundationEssentials

/// Units that devices write for each other. They travel and count like all others, and are about no record of the
/// store.
///
/// Their record begins with 8 zero bytes, which the name of a real one does not (chance 2^-64), followed by the device
/// that writes it; 0 for what any device writes.
extension SyncUnit {
    /// The card of a device: its name and public keys, sealed.
    static let card: UInt16 = 2
    /// The key ring, in a box for the recovery key. Of record 0.
    static let recovery: UInt16 = 3
    /// What is decided for the space as a whole. Of record 0.
    static let settings: UInt16 = 4
    /// The first key that the device has announced; the next ones follow.
    static let firstAnnouncement: UInt16 = 16

    /// Whether the unit belongs to the space, not to a record of the store: see `SpaceIdentity.receive`.
    public var isReserved: Bool { record.bigEndianHalves.high == 0 }

    /// The record of a device's own units.
    static func reservedRecord(of device: UInt64) -> UUID { UUID(high: 0, low: device) }

    /// The record of what any device may write: the all-zero id.
    static let commonRecord = reservedRecord(of: 0)

    /// The device whose unit a reserved one is.
    var reservedDevice: UInt64 { record.bigEndianHalves.low }
}
