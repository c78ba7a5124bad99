import FoundationEssentials
import Sync

/// The limits of accounts.
public enum HubLimits {
    /// How many seconds an invite is valid.
    public static let inviteSeconds = 600
    /// How many seconds a challenge is valid.
    public static let challengeSeconds = 60
    /// How many seconds a session is valid.
    public static let sessionSeconds = 900
    /// How many bytes the keys have that an invite carries, at most.
    public static let sealedKeysLimit = 32 << 10
    /// How many bytes the label of a device has, at most.
    public static let labelLimit = 512
    /// How many devices a space has at most, revoked ones included.
    public static let deviceLimit = 256
    /// How many invites of a space are open at a time.
    public static let inviteLimit = 16
    /// How many records a `RecordsRequest` names, at most.
    public static let recordLimit = 512
    /// How many bytes a body in JSON has at most.
    public static let accountMessageLimit = 64 << 10
    /// Seconds between two signs of life on `watch`.
    public static let heartbeatSeconds = 25
}

/// What a device is for.
public enum DeviceRole: Int16, Sendable, Hashable, Codable, CaseIterable {
    /// A device that keeps the space's data.
    case member = 0
    /// The printed recovery key: it registers a new device, and keeps nothing.
    case recovery = 1
}

/// A device as it introduces itself to the hub.
public struct DeviceRegistration: Sendable, Hashable, Codable {
    /// The device's number, which it chose at random.
    public var device: DeviceNumber
    /// The Ed25519 key that its sessions are signed with, 32 bytes.
    public var signingKey: Data
    /// The X25519 key that others seal keys for it with, 32 bytes.
    public var agreementKey: Data
    /// Anything for the other devices, such as the sealed name; the hub cannot read it.
    public var label: Data

    /// A registration.
    public init(device: UInt64, signingKey: Data, agreementKey: Data, label: Data = Data()) {
        self.device = DeviceNumber(device)
        self.signingKey = signingKey
        self.agreementKey = agreementKey
        self.label = label
    }
}

/// A device's number. In JSON it is decimal text, since many readers of JSON keep 53 bits of a number.
public struct DeviceNumber: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The number.
    public var value: UInt64

    /// A number.
    public init(_ value: UInt64) { self.value = value }

    /// The decimal digits.
    public var description: String { "\(value)" }

    /// Reads decimal text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = try UInt64(container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a device number")
        }
        self.value = value
    }

    /// Writes decimal text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// `POST /v1/spaces`: creates a space whose id the first device has chosen.
public struct SpaceRequest: Sendable, Hashable, Codable {
    /// The space.
    public var space: UUID
    /// Its first device.
    public var device: DeviceRegistration
    /// The keys that follow from the printed recovery key.
    public var recovery: DeviceRegistration?

    /// A request.
    public init(space: UUID, device: DeviceRegistration, recovery: DeviceRegistration? = nil) {
        self.space = space
        self.device = device
        self.recovery = recovery
    }
}

/// The answer to a `SpaceRequest`.
public struct SpaceAnswer: Sendable, Hashable, Codable {
    /// The space.
    public var space: UUID
    /// The epoch of its history.
    public var epoch: UUID

    /// An answer.
    public init(space: UUID, epoch: UUID) {
        self.space = space
        self.epoch = epoch
    }
}

/// `POST /v1/spaces/{s}/invites`: lets one device join within ten minutes.
public struct InviteRequest: Sendable, Hashable, Codable {
    /// The SHA-256 of the token, 32 bytes. The hub never sees the token before it is used.
    public var tokenHash: Data
    /// The keys of the space, sealed with the secret of the invite; at most `HubLimits.sealedKeysLimit` bytes.
    public var sealedKeys: Data

    /// A request.
    public init(tokenHash: Data, sealedKeys: Data) {
        self.tokenHash = tokenHash
        self.sealedKeys = sealedKeys
    }
}

/// The answer to an `InviteRequest`.
public struct InviteAnswer: Sendable, Hashable, Codable {
    /// Until when the invite is valid, by the hub's clock, in microseconds since 1970.
    public var expires: Int64
    /// The hub's clock, in microseconds since 1970.
    public var time: Int64

    /// An answer.
    public init(expires: Int64, time: Int64) {
        self.expires = expires
        self.time = time
    }
}

/// `POST /v1/spaces/{s}/devices`: registers a device, with an invite's token or with a session of another device.
public struct JoinRequest: Sendable, Hashable, Codable {
    /// The token of the invite, 16 bytes; nil with a session.
    public var token: Data?
    /// The new device.
    public var device: DeviceRegistration

    /// A request.
    public init(token: Data?, device: DeviceRegistration) {
        self.token = token
        self.device = device
    }
}

/// The answer to a `JoinRequest`.
public struct JoinAnswer: Sendable, Hashable, Codable {
    /// The epoch of the space's history.
    public var epoch: UUID
    /// What the inviter has sealed; empty for a device that joins with a session.
    public var sealedKeys: Data

    /// An answer.
    public init(epoch: UUID, sealedKeys: Data) {
        self.epoch = epoch
        self.sealedKeys = sealedKeys
    }
}

/// `GET /v1/spaces/{s}/devices`.
public struct DeviceList: Sendable, Hashable, Codable {
    /// A device of the space.
    public struct Device: Sendable, Hashable, Codable {
        /// What it registered with.
        public var registration: DeviceRegistration
        /// What it is for.
        public var role: DeviceRole
        /// Whether it was revoked: it can neither push nor pull any more.
        public var isRevoked: Bool

        /// A device.
        public init(registration: DeviceRegistration, role: DeviceRole, isRevoked: Bool) {
            self.registration = registration
            self.role = role
            self.isRevoked = isRevoked
        }
    }

    /// The devices, by number.
    public var devices: [Device]

    /// A list.
    public init(devices: [Device]) { self.devices = devices }
}

/// The data of a watch: the highest number in the space.
public struct Head: Sendable, Hashable, Codable {
    /// The highest number.
    public var head: Int64

    /// A head.
    public init(head: Int64) { self.head = head }
}

/// `GET /health`.
public struct Health: Sendable, Hashable, Codable {
    /// `ok`, or `unavailable` when the storage does not answer.
    public var status: String
    /// The versions of the sync protocol that the hub speaks.
    public var protocols: [UInt16]

    /// A report.
    public init(status: String, protocols: [UInt16] = [SyncProtocol.version]) {
        self.status = status
        self.protocols = protocols
    }
}
