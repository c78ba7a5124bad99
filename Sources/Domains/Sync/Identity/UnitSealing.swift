import FoundationEssentials

/// Keeps content from the hub: record names without meaning, and sealed bodies.
///
/// `SpaceKeys` is the real one. The core asks for no more than this, so that a simulation can count and corrupt what it seals.
public protocol UnitSealing: Sendable {
    /// The name of a record on the wire: the same on every device of the space, and meaningless without the space's key.
    func name(ofRecord key: [UInt8], in collection: UInt32) -> UUID

    /// Seals a body, which may be empty, for exactly this record, unit, key and flags. Equal bodies give equal bytes.
    func seal(_ body: [UInt8], as unit: SyncUnit) throws(SealingError) -> [UInt8]

    /// Opens the body of a unit.
    ///
    /// - Throws: `unknownKey` for a unit that was sealed under a key epoch that this device does not have yet, `forged` when the
    ///   body or any of its metadata was changed.
    func open(_ unit: SyncUnit) throws(SealingError) -> [UInt8]
}

/// Why a body cannot be sealed or opened.
public enum SealingError: Error, Sendable, Hashable {
    /// The body was sealed under a key of the space that this device does not have.
    case unknownKey(epoch: UInt32)
    /// The body or its metadata is not what a device of the space has sealed.
    case forged
}
