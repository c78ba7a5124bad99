import Crypto
import FoundationEssentials

/// Encrypts and authenticates with keys of one secret and one purpose: ChaCha20-Poly1305, with a subkey (HKDF-SHA256)
/// for each metadata and a nonce of the content.
///
/// The same metadata can be sealed again with another content: by a device that was restored, or that crashed before it
/// knew what it had sent. A counter or the metadata alone would then repeat a nonce. The nonce is therefore a keyed
/// hash of the content (8 bytes of HMAC-SHA256, as in SIV): equal contents give equal bytes, which makes a repeated
/// push the same push, and two contents under one metadata share a nonce with a chance of 2^-64. Nothing else shares a
/// subkey.
struct Sealer: Sendable {
    /// How many bytes a sealed content has beyond the content.
    static let overhead = nonceSize + tagSize
    private static let nonceSize = 8
    private static let tagSize = 16

    private let root: HashedAuthenticationCode<SHA256>

    init(_ secret: SymmetricKey, purpose: String) {
        root = HKDF<SHA256>.extract(inputKeyMaterial: secret, salt: Array("daybook sync 1 \(purpose)".utf8))
    }

    init(_ secret: Secret, purpose: String) {
        self.init(SymmetricKey(data: secret.bytes), purpose: purpose)
    }

    /// The nonce's bytes, the encrypted content, the tag. The metadata is authenticated and not included.
    func seal(_ content: [UInt8], metadata: [UInt8]) throws(SealingError) -> [UInt8] {
        let nonce = nonce(of: content, metadata)
        do {
            let box = try ChaChaPoly.seal(
                content, using: subkey(.content, metadata), nonce: ChaChaPoly.Nonce(data: [0, 0, 0, 0] + nonce),
                authenticating: metadata)
            return nonce + box.ciphertext + box.tag
        } catch {
            // The library refuses 256 GiB and more only.
            throw .forged
        }
    }

    /// Reverses `seal`.
    func open(_ sealed: [UInt8], metadata: [UInt8]) throws(SealingError) -> [UInt8] {
        guard sealed.count >= Self.overhead else { throw .forged }
        let nonce = Array(sealed.prefix(Self.nonceSize))
        do {
            let box = try ChaChaPoly.SealedBox(
                nonce: ChaChaPoly.Nonce(data: [0, 0, 0, 0] + nonce),
                ciphertext: sealed[Self.nonceSize..<(sealed.count - Self.tagSize)], tag: sealed.suffix(Self.tagSize))
            return Array(try ChaChaPoly.open(box, using: subkey(.content, metadata), authenticating: metadata))
        } catch {
            throw .forged
        }
    }

    /// A keyed hash for another use of the same secret.
    func hash(_ bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: subkey(.hash, [])))
    }

    /// A key for another use of the same secret.
    func derivedKey() -> SymmetricKey { subkey(.derived, []) }

    private func nonce(of content: [UInt8], _ metadata: [UInt8]) -> [UInt8] {
        let hash = HMAC<SHA256>.authenticationCode(for: content, using: subkey(.nonce, metadata))
        return Array(hash.prefix(Self.nonceSize))
    }

    private enum Use: UInt8 {
        case content = 1
        case nonce = 2
        case hash = 3
        case derived = 4
    }

    private func subkey(_ use: Use, _ metadata: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.expand(pseudoRandomKey: root, info: [use.rawValue] + metadata, outputByteCount: 32)
    }
}
