import FoundationEssentials
import HubMessages
import Sync

/// A space as a hub keeps it.
public struct SpaceRow: Sendable, Hashable {
    /// The space.
    public let space: UUID
    /// Names this history of the space. It changes when the hub was restored.
    public var epoch: UUID
    /// The number of the last unit.
    public var head: Int64
    /// The sum of the digests of all units, modulo 2^64.
    public var digest: UInt64
    /// How much all units take up, by `UnitHeader.cost`.
    public var bytes: Int64

    /// A row.
    public init(space: UUID, epoch: UUID, head: Int64 = 0, digest: UInt64 = 0, bytes: Int64 = 0) {
        self.space = space
        self.epoch = epoch
        self.head = head
        self.digest = digest
        self.bytes = bytes
    }
}

/// A device as a hub keeps it.
public struct DeviceRow: Sendable, Hashable {
    /// Its space.
    public let space: UUID
    /// What it registered with.
    public var registration: DeviceRegistration
    /// What it is for.
    public var role: DeviceRole
    /// The number of its last push; 0 before the first.
    public var pushNumber: Int64
    /// The hash of the units of its last push.
    public var pushHash: [UInt8]
    /// Whether it was revoked.
    public var isRevoked: Bool

    /// A row.
    public init(
        space: UUID, registration: DeviceRegistration, role: DeviceRole, pushNumber: Int64 = 0, pushHash: [UInt8] = [],
        isRevoked: Bool = false
    ) {
        self.space = space
        self.registration = registration
        self.role = role
        self.pushNumber = pushNumber
        self.pushHash = pushHash
        self.isRevoked = isRevoked
    }

    /// Its number.
    public var device: UInt64 { registration.device.value }

    /// Whether a device introduces itself with the same keys.
    func hasKeys(of other: DeviceRegistration) -> Bool {
        registration.device == other.device && registration.signingKey == other.signingKey
            && registration.agreementKey == other.agreementKey
    }
}

/// An invite as a hub keeps it.
public struct InviteRow: Sendable, Hashable {
    /// The space.
    public let space: UUID
    /// The SHA-256 of the token.
    public let tokenHash: [UInt8]
    /// What the inviter has sealed for the newcomer.
    public var sealedKeys: [UInt8]
    /// When it expires, in microseconds since 1970.
    public var expires: Int64
    /// The device that has used it.
    public var usedBy: UInt64?

    /// A row.
    public init(space: UUID, tokenHash: [UInt8], sealedKeys: [UInt8], expires: Int64, usedBy: UInt64? = nil) {
        self.space = space
        self.tokenHash = tokenHash
        self.sealedKeys = sealedKeys
        self.expires = expires
        self.usedBy = usedBy
    }
}

/// Which unit of which record.
public struct UnitKey: Sendable, Hashable {
    /// The record.
    public let record: UUID
    /// The part of it.
    public let unit: UInt16

    /// A key.
    public init(record: UUID, unit: UInt16) {
        self.record = record
        self.unit = unit
    }
}

/// What decides about a unit: everything but its body.
public struct UnitHeader: Sendable, Hashable {
    /// Which unit.
    public let id: UnitKey
    /// Its number.
    public var sequence: Int64
    /// The bytes of its merge key.
    public var key: [UInt8]
    /// How many bytes its body has.
    public var bodySize: Int

    /// A header.
    public init(id: UnitKey, sequence: Int64, key: [UInt8], bodySize: Int) {
        self.id = id
        self.sequence = sequence
        self.key = key
        self.bodySize = bodySize
    }

    /// How much it takes up in an answer, and counts in the space: body, key, and what else is in a row.
    public var cost: Int { Self.cost(key: key.count, body: bodySize) }

    /// Returns the cost of a unit of these lengths.
    public static func cost(key: Int, body: Int) -> Int { key + body + 64 }

    var digest: UInt64 { SyncUnit.digest(record: id.record, unit: id.unit, key: key) }

    var isPurge: Bool { SyncUnit(record: id.record, unit: id.unit, key: key, body: []).isPurge }
}

extension SyncUnit {
    /// Which unit it is.
    public var id: UnitKey { UnitKey(record: record, unit: unit) }

    /// What it takes up.
    public var cost: Int { UnitHeader.cost(key: key.count, body: body.count) }
}

/// What a push needs to be decided, read under the lock of the space.
public struct PushState: Sendable {
    /// The space; nil when there is none.
    public var space: SpaceRow?
    /// The device that pushes; nil when the space does not have it.
    public var device: DeviceRow?
    /// All units of the records that the push names.
    public var headers: [UnitHeader]

    /// A state.
    public init(space: SpaceRow?, device: DeviceRow?, headers: [UnitHeader] = []) {
        self.space = space
        self.device = device
        self.headers = headers
    }
}

/// Some units in their order.
public struct UnitPage: Sendable {
    /// The units.
    public var units: [NumberedUnit]
    /// Whether these are all in the range.
    public var isComplete: Bool

    /// A page.
    public init(units: [NumberedUnit] = [], isComplete: Bool = true) {
        self.units = units
        self.isComplete = isComplete
    }
}

/// How much a hub keeps.
public struct HubSizes: Sendable, Hashable {
    /// The number of spaces.
    public var spaces: Int64
    /// The number of devices, revoked ones included.
    public var devices: Int64
    /// How much all units take up, by `UnitHeader.cost`.
    public var bytes: Int64

    /// Sizes.
    public init(spaces: Int64, devices: Int64, bytes: Int64) {
        self.spaces = spaces
        self.devices = devices
        self.bytes = bytes
    }
}
