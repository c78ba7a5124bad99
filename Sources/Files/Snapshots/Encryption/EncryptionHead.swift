import CivilTime
import Crypto
import CryptoExtras

/// What an encrypted file says between its header and its first chunk: how the key comes from the passphrase.
///
/// scrypt (RFC 7914) with N = 2^15, r = 8 and p = 3, one of OWASP's recommended settings: 32 MiB and some 0.2 seconds for
/// each guess.
struct EncryptionHead: Equatable {
    static let byteCount = 24
    static let chunkSize = 64 * 1024
    private static let scrypt: UInt8 = 1

    /// The binary logarithm of scrypt's N, its r and its p.
    let cost: UInt8, blockSize: UInt8, parallelism: UInt8
    let salt: [UInt8]

    /// A new one. The salt is what makes each file's key its own, so that counting nonces are safe.
    ///
    /// - Parameter cost: lower in tests only.
    init(random: any RandomSource, cost: UInt8 = 15) {
        self.cost = cost
        blockSize = 8
        parallelism = 3
        salt = (0..<2).flatMap { _ in
            let number = random.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }

    /// Nil for what this version cannot open: another method, or a cost that would take more than 64 MiB or minutes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes[0] == Self.scrypt, bytes[4...7].elementsEqual(Self.sizeBytes),
            (10...20).contains(bytes[1]), (1...32).contains(bytes[2]), (1...16).contains(bytes[3]),
            128 * Int(bytes[2]) << Int(bytes[1]) <= 64 << 20
        else { return nil }
        cost = bytes[1]
        blockSize = bytes[2]
        parallelism = bytes[3]
        salt = Array(bytes[8...])
    }

    var encoded: [UInt8] { [Self.scrypt, cost, blockSize, parallelism] + Self.sizeBytes + salt }

    private static var sizeBytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: chunkSize >> (8 * $0)) }
    }

    /// The file's key. Slow on purpose.
    func key(from passphrase: Passphrase) throws -> SymmetricKey {
        try KDF.Scrypt.deriveKey(
            from: passphrase.bytes, salt: salt, outputByteCount: 32, rounds: 1 << Int(cost), blockSize: Int(blockSize),
            parallelism: Int(parallelism))
    }
}
