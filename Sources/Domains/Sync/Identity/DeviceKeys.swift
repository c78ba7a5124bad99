import CivilTime
import Crypto
import FoundationEssentials
import SystemErrors

/// The private keys of a device: one signs (Ed25519), the other receives new keys of the space (X25519).
public struct DeviceKeys: Sendable, Hashable {
    let signingSecret: Secret
    let receivingSecret: Secret
    /// The public key that others check signatures with: 32 bytes.
    public let signingKey: [UInt8]
    /// The public key that others seal for: 32 bytes.
    public let receivingKey: [UInt8]

    /// Draws new keys. The source must be unpredictable, but in tests.
    public init(random: any RandomSource) throws(IdentityError) {
        try self.init(signing: Secret(count: 32, random: random), receiving: Secret(count: 32, random: random))
    }

    init(signing: Secret, receiving: Secret) throws(IdentityError) {
        do {
            signingKey = Array(
                try Curve25519.Signing.PrivateKey(rawRepresentation: signing.bytes).publicKey.rawRepresentation)
            receivingKey = Array(
                try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: receiving.bytes).publicKey.rawRepresentation)
        } catch {
            throw .invalidKey
        }
        signingSecret = signing
        receivingSecret = receiving
    }

    /// Signs a message: 64 bytes. Every message begins with its purpose, so that a signature is of no use for another
    /// one.
    public func sign(_ message: [UInt8]) throws(IdentityError) -> [UInt8] {
        do {
            return Array(
                try Curve25519.Signing.PrivateKey(rawRepresentation: signingSecret.bytes).signature(for: message))
        } catch {
            throw .invalidKey
        }
    }

    /// Whether the device with this public key has signed the message.
    public static func isValid(_ signature: [UInt8], of message: [UInt8], by signingKey: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: signingKey) else { return false }
        return key.isValidSignature(signature, for: message)
    }
}

/// A device that is about to join a space. It is drawn before the hub is asked, so that a request whose answer was lost
/// can be sent again.
public struct NewDevice: Sendable, Hashable {
    /// The number that it will have.
    public let device: UInt64
    /// Its keys.
    public let keys: DeviceKeys
    /// What a person calls it.
    public let name: String

    /// Draws a number and keys. The source must be unpredictable, but in tests.
    public init(name: String, random: any RandomSource) throws(IdentityError) {
        device = random.device()
        keys = try DeviceKeys(random: random)
        self.name = name
    }
}

/// Why a space cannot be created, joined, or read from its file.
public enum IdentityError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The store's folder has no `sync.json`.
    case notJoined
    /// `sync.json` is not one, or of a later version.
    case invalidFile
    /// The file cannot be read or written: the system's error number.
    case file(code: Int32)
    /// A key has the wrong length.
    case invalidKey
    /// The text is no invite.
    case invalidInvite
    /// The recovery key has a typo.
    case invalidRecoveryKey
    /// What the hub keeps was not sealed with this invite or recovery key.
    case wrongSecret

    /// What happened, and what to do next.
    public var description: String {
        switch self {
        case .notJoined: "The store does not take part in sync. Create a space for it, or join one."
        case .invalidFile: "The file sync.json cannot be read. Restore it, or join the space again."
        case .file(let code):
            "The file sync.json cannot be read or written: \(SystemCondition(code)). Check the store's folder."
        case .invalidKey: "A key is not valid."
        case .invalidInvite: "The text is not an invite. Copy its whole line."
        case .invalidRecoveryKey: "The recovery key has a typo. Compare it with the printed one."
        case .wrongSecret: "The hub's copy of the keys does not belong to this invite or recovery key."
        }
    }
}
