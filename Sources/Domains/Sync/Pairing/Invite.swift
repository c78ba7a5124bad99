import CivilTime
import Crypto
import FoundationEssentials

// An invite is shown as a QR code.
@_exported import struct QRCodes.QRCode

/// Lets one device join a space within ten minutes.
///
/// The token lets it register at the hub, which keeps only the token's hash. The secret opens the key ring, which the
/// inviter leaves sealed at the hub, so that it need not stay online. Both travel in the URI only, from screen to
/// screen.
public struct Invite: Sendable, Hashable {
    /// The address of the hub.
    public let hub: String
    /// The space.
    public let space: UUID
    /// The pin of the hub's certificate; nil when a public authority vouches for it.
    public let pin: CertificatePin?
    private let token: Secret
    private let secret: Secret

    private static let start = "daybook://join?"
    private static let secretSize = 16

    /// A new invite to the space of a device.
    public init(to identity: SpaceIdentity, random: any RandomSource) {
        hub = identity.hub
        space = identity.space
        pin = identity.pin
        token = Secret(count: Self.secretSize, random: random)
        secret = Secret(count: Self.secretSize, random: random)
    }

    /// What the joining device shows to the hub, once: 16 bytes.
    public var tokenBytes: [UInt8] { token.bytes }

    /// What the hub keeps of the token: its SHA-256.
    public var tokenHash: [UInt8] { Array(SHA256.hash(data: token.bytes)) }

    /// The key ring as the hub keeps it for the joining device.
    public func seal(_ ring: KeyRing) throws(SealingError) -> [UInt8] {
        try Sealer(secret, purpose: "invites").seal(Padding.pad(ring.encoded), metadata: metadata)
    }

    /// Makes a new device of what the hub has kept.
    ///
    /// - Throws: `wrongSecret` when it was not sealed with this invite.
    public func join(_ device: NewDevice, sealedKeys: [UInt8]) throws(IdentityError) -> SpaceIdentity {
        guard let padded = try? Sealer(secret, purpose: "invites").open(sealedKeys, metadata: metadata),
            let content = Padding.unpad(padded), let ring = try? KeyRing(decoding: content)
        else { throw .wrongSecret }
        return SpaceIdentity(space: space, hub: hub, pin: pin, ring: ring, device: device)
    }

    private var metadata: [UInt8] { space.bytes + tokenHash }

    // MARK: URI

    /// The URI, to be shown to the joining device and to nobody else.
    public var uri: String {
        var parts = ["hub=\(PercentCoding.encode(hub))", "space=\(space.uuidString.lowercased())"]
        if let pin { parts.append("pin=\(pin.text)") }
        parts.append("token=\(Base64URL.encode(token.bytes))")
        parts.append("secret=\(Base64URL.encode(secret.bytes))")
        return Self.start + parts.joined(separator: "&")
    }

    /// Reads a URI. White space around it and parts of later versions are ignored.
    ///
    /// - Throws: `invalidInvite`.
    public init(uri: String) throws(IdentityError) {
        let text = String(uri.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard text.hasPrefix(Self.start) else { throw .invalidInvite }
        var parts: [String: String] = [:]
        for part in text.dropFirst(Self.start.count).split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, parts.updateValue(pair[1], forKey: pair[0]) == nil else { throw .invalidInvite }
        }
        guard let hub = parts["hub"].flatMap(PercentCoding.decode), !hub.isEmpty,
            let space = parts["space"].flatMap(UUID.init(uuidString:)),
            let token = parts["token"].flatMap(Base64URL.decode), token.count == Self.secretSize,
            let secret = parts["secret"].flatMap(Base64URL.decode), secret.count == Self.secretSize
        else { throw .invalidInvite }
        let pin = parts["pin"].flatMap(CertificatePin.init(text:))
        // An invite without its pin would trust any certificate of a public authority.
        guard (pin == nil) == (parts["pin"] == nil) else { throw .invalidInvite }
        self.hub = hub
        self.space = space
        self.pin = pin
        self.token = Secret(token)
        self.secret = Secret(secret)
    }
}

/// The SHA-256 of a public key as certificates have it (SubjectPublicKeyInfo, as in RFC 7469): it stays the same when a
/// hub renews its certificate with the same key.
public struct CertificatePin: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// A pin of its bytes; nil for another number than 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The pin of a public key in DER.
    public init(ofPublicKey key: some Sequence<UInt8>) {
        bytes = Array(SHA256.hash(data: Array(key)))
    }

    /// Reads `text`.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// The bytes in base64 for URIs: 43 characters.
    public var text: String { Base64URL.encode(bytes) }

    /// The text.
    public var description: String { text }
}
