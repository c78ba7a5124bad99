import CivilTime
import Crypto
import FoundationEssentials

/// Content that only the holder of one X25519 key can open: the public half of a key that is used once (32 bytes), then
/// the content sealed with the secret that both halves share.
///
/// Anyone can make a box. Who made it, a signature says, or that the public key is known to the members of a space
/// only.
enum KeyBox {
    private static let keySize = 32

    /// - Parameter context: what the box is for; it opens in the same context only.
    static func seal(
        _ content: [UInt8], for recipient: [UInt8], context: [UInt8], random: any RandomSource
    ) throws(SealingError) -> [UInt8] {
        guard let once = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: random.bytes(keySize)),
            let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: recipient),
            let shared = try? once.sharedSecretFromKeyAgreement(with: key)
        else { throw .forged }
        let front = Array(once.publicKey.rawRepresentation)
        return front + (try sealer(shared, front, recipient).seal(content, metadata: context))
    }

    static func open(
        _ box: [UInt8], with secret: some ContiguousBytes, context: [UInt8]
    ) throws(SealingError) -> [UInt8] {
        let front = Array(box.prefix(keySize))
        guard let own = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret),
            let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: front),
            let shared = try? own.sharedSecretFromKeyAgreement(with: key)
        else { throw .forged }
        return try sealer(shared, front, Array(own.publicKey.rawRepresentation))
            .open(Array(box.dropFirst(keySize)), metadata: context)
    }

    private static func sealer(_ shared: SharedSecret, _ front: [UInt8], _ recipient: [UInt8]) -> Sealer {
        Sealer(
            shared.hkdfDerivedSymmetricKey(
                using: SHA256.self, salt: Array("daybook sync 1 box".utf8), sharedInfo: front + recipient,
                outputByteCount: 32),
            purpose: "boxes")
    }
}
