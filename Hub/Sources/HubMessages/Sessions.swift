import FoundationEssentials
import Sync

/// `POST /v1/sessions/challenge`: asks for what the device has to sign.
public struct ChallengeRequest: Sendable, Hashable, Codable {
    /// The space.
    public var space: UUID
    /// The device.
    public var device: DeviceNumber

    /// A request.
    public init(space: UUID, device: UInt64) {
        self.space = space
        self.device = DeviceNumber(device)
    }
}

/// The answer to a `ChallengeRequest`.
public struct ChallengeAnswer: Sendable, Hashable, Codable {
    /// What to sign, with `SessionRequest.signedMessage`; valid for a minute and once.
    public var challenge: Data
    /// The hub's clock, in microseconds since 1970.
    public var time: Int64

    /// An answer.
    public init(challenge: Data, time: Int64) {
        self.challenge = challenge
        self.time = time
    }
}

/// `POST /v1/sessions`: proves that the device has its signing key.
public struct SessionRequest: Sendable, Hashable, Codable {
    /// The space.
    public var space: UUID
    /// The device.
    public var device: DeviceNumber
    /// The hub's challenge.
    public var challenge: Data
    /// The Ed25519 signature of `signedMessage`.
    public var signature: Data

    /// A request.
    public init(space: UUID, device: UInt64, challenge: Data, signature: Data) {
        self.space = space
        self.device = DeviceNumber(device)
        self.challenge = challenge
        self.signature = signature
    }

    /// What the device signs: the purpose, the space, the device and the challenge, so that a signature is of no use for
    /// anything else.
    public static func signedMessage(space: UUID, device: UInt64, challenge: Data) -> Data {
        var message = Data("daybook session 1\n".utf8)
        message.append(contentsOf: space.bytes)
        for shift in stride(from: 56, through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: device >> shift))
        }
        message.append(challenge)
        return message
    }
}

/// The answer to a `SessionRequest`.
public struct SessionAnswer: Sendable, Hashable, Codable {
    /// The bearer token: an EdDSA JWT.
    public var token: String
    /// How many seconds the token is valid.
    public var seconds: Int
    /// The hub's clock, in microseconds since 1970.
    public var time: Int64

    /// An answer.
    public init(token: String, seconds: Int, time: Int64) {
        self.token = token
        self.seconds = seconds
        self.time = time
    }
}
