import CivilTime
import FoundationEssentials

/// A device's part in a space: which space, at which hub, under which number, and with which keys.
///
/// It is kept in `sync.json` in the store's folder, and neither in snapshots nor in dumps: who gets a backup does not
/// get the keys of the space.
public struct SpaceIdentity: Sendable, Hashable {
    /// The space.
    public let space: UUID
    /// The number of this device.
    public let device: UInt64
    /// The address of the hub, such as `https://sync.example.org`.
    public var hub: String
    /// The SHA-256 of the public key in the hub's certificate; nil when a public authority vouches for it.
    public var pin: CertificatePin?
    /// The private keys of this device.
    public let keys: DeviceKeys
    /// The keys of the space, and the other devices.
    public internal(set) var ring: KeyRing
    /// Devices that this one has begun to revoke: whoever reads the file after an interruption goes on with it.
    public var revoking: Set<UInt64> = []

    init(space: UUID, device: UInt64, hub: String, pin: CertificatePin?, keys: DeviceKeys, ring: KeyRing) {
        self.space = space
        self.device = device
        self.hub = hub
        self.pin = pin
        self.keys = keys
        self.ring = ring
    }

    /// Makes a new space, and the key to print.
    public static func create(
        hub: String, pin: CertificatePin?, name: String, random: any RandomSource
    ) throws(IdentityError) -> (identity: SpaceIdentity, recovery: RecoveryKey) {
        let recovery = RecoveryKey(random: random)
        let ring = KeyRing(first: .first(random: random), recoveryKey: try recovery.boxKey)
        let identity = SpaceIdentity(
            space: recovery.space, hub: hub, pin: pin, ring: ring, device: try NewDevice(name: name, random: random))
        return (identity, recovery)
    }

    /// A new device of a space whose keys are at hand.
    init(space: UUID, hub: String, pin: CertificatePin?, ring: KeyRing, device: NewDevice) {
        self.init(space: space, device: device.device, hub: hub, pin: pin, keys: device.keys, ring: ring)
        _ = self.ring.admit(DeviceCard(device: device.device, name: device.name, keys: device.keys))
    }

    /// The same space for a copy of this device, once the hub has registered it as another one.
    public func copied(as device: NewDevice) -> SpaceIdentity {
        var copy = SpaceIdentity(space: space, hub: hub, pin: pin, ring: ring, device: device)
        copy.revoking = revoking
        return copy
    }

    /// Seals and opens the bodies of units. Make it once for many units.
    public var sealing: SpaceKeys { SpaceKeys(space, ring) }

    /// Whether another device has revoked this one: it has no key for what is new.
    public var isRemoved: Bool { ring.removed.contains(device) }

    // MARK: Units for the other devices

    /// The card of this device, to be pushed once after it has joined, and when its name changes.
    public func cardUnit(stamp: Stamp) throws(SealingError) -> SyncUnit {
        guard let card = ring.member(device) else { throw .forged }
        var unit = SyncUnit(
            record: SyncUnit.reservedRecord(of: device), unit: SyncUnit.card, key: MergeKey.latest(stamp).bytes,
            body: [])
        unit.body = try sealing.seal(card.encoded, as: unit)
        return unit
    }

    /// The key ring for the recovery key, to be pushed when the space is new and when its keys have changed.
    public func recoveryUnit(stamp: Stamp, random: any RandomSource) throws(SealingError) -> SyncUnit {
        var writer = WireWriter()
        writer.put(UInt64(ring.keys.count))
        let box = try KeyBox.seal(
            Padding.pad(ring.encoded), for: ring.recoveryKey, context: RecoveryKey.context(space) + writer.bytes,
            random: random)
        return SyncUnit(
            record: SyncUnit.commonRecord, unit: SyncUnit.recovery, key: MergeKey.latest(stamp).bytes,
            body: writer.bytes + box)
    }

    /// What the hub lacks: the card of this device, all keys for the recovery key, and another key if a removed device has the
    /// current one. Empty nearly always.
    ///
    /// A device sends it when it has pulled everything and has the hub's time. So nothing is missing for long, whatever
    /// was interrupted, and however many devices have changed keys at once.
    ///
    /// - Parameter units: the reserved units that the hub has.
    public func missing(
        from units: [SyncUnit], stamp: Stamp, random: any RandomSource
    ) throws(SealingError) -> [SyncUnit] {
        if isRemoved { return [] }
        var missing: [SyncUnit] = []
        let own = SyncUnit.reservedRecord(of: device)
        if !units.contains(where: { $0.record == own && $0.unit == SyncUnit.card }) {
            missing.append(try cardUnit(stamp: stamp))
        }
        if ring.needsRotation { return missing + (try rotation(removing: [], stamp: stamp, random: random).units) }
        let recovery = units.first { $0.record == SyncUnit.commonRecord && $0.unit == SyncUnit.recovery }
        if recovery.flatMap(RecoveryKey.keyCount) ?? 0 < ring.keys.count {
            missing.append(try recoveryUnit(stamp: stamp, random: random))
        }
        return missing
    }

    /// Starts a new key that the given devices do not get. The hub must have revoked them before, which also
    /// ends open invites.
    ///
    /// - Parameters:
    ///   - devices: empty to replace a key that a removed device has, see `KeyRing.needsRotation`.
    ///   - stamp: of this device's clock.
    /// - Returns: the units to push, and the identity to use and keep once the hub has accepted them; `receive` of these
    ///   units gives the same. Before that, no body may be sealed with the new key: nobody else could open it.
    public func rotation(
        removing devices: Set<UInt64>, stamp: Stamp, random: any RandomSource
    ) throws(SealingError) -> (units: [SyncUnit], identity: SpaceIdentity) {
        let cards = ring.members.filter { !devices.contains($0.device) }
        let readers = cards.map(\.device)
        let key = SpaceKey.following(ring.keys, stamp: stamp, readers: readers, random: random)
        let own = ring.following.count { $0.stamp.device == device }
        let announcement = try KeyAnnouncement.unit(key, to: cards, number: own, by: self, random: random)
        var next = self
        next.ring.accept(key, readers: readers)
        return ([announcement, try next.recoveryUnit(stamp: stamp, random: random)], next)
    }

    /// Takes reserved units into account: cards of new devices, and announced keys. Others are ignored.
    ///
    /// Units whose author is not a member, or that were changed on their way, have no effect; the store keeps them as
    /// they are.
    ///
    /// - Returns: whether something changed, so that the file must be written and `sealing` be made anew.
    public mutating func receive(_ units: [SyncUnit]) -> Bool {
        let before = ring
        var last: KeyRing
        // A card can be of use only after the announcement that comes behind it.
        repeat {
            last = ring
            for unit in units where unit.isReserved { receive(unit) }
        } while ring != last
        return ring != before
    }

    private mutating func receive(_ unit: SyncUnit) {
        if unit.unit == SyncUnit.card {
            // A card under an earlier key can be made by a device that was revoked since, unless the device is vouched
            // for.
            let writer = unit.reservedDevice
            guard
                SpaceKeys.epoch(ofSealed: unit.body) == ring.current.epoch || ring.member(writer) != nil
                    || ring.current.readers.contains(writer),
                let card = try? DeviceCard(decoding: sealing.open(unit)), card.device == writer
            else { return }
            _ = ring.admit(card)
        } else if let announcement = KeyAnnouncement(unit, in: ring, of: space),
            !ring.keys.contains(where: { $0.epoch == announcement.epoch })
        {
            let isReader = announcement.readers.contains(device)
            let key = announcement.key(for: device, keys: keys, of: space)
            // A box that does not open was not made by an honest device.
            if isReader, key == nil { return }
            ring.accept(key, readers: announcement.readers)
        }
    }
}
