import ByteStreams
import CivilTime
import Crypto
import CryptoExtras
import FoundationEssentials

/// The part of an encrypted file between its header and its first chunk: how the key is derived from the passphrase.
///
/// scrypt (RFC 7914) with N = 2^15, r = 8 and p = 3, one of OWASP's recommended settings: 32 MiB and about 0.2 seconds
/// for each guess.
struct EncryptionHead: Equatable {
    static let byteCount = 24
    static let chunkSize = 64 * 1024
    private static let scrypt: UInt8 = 1

    /// The binary logarithm of scrypt's N, and its r and p.
    let cost: UInt8, blockSize: UInt8, parallelism: UInt8
    let salt: [UInt8]

    /// Creates a head with a new salt. The salt gives each file its own key, so that counting nonces are safe.
    ///
    /// - Parameter cost: lower only in tests.
    init(random: any RandomSource, cost: UInt8 = 15) {
        self.cost = cost
        blockSize = 8
        parallelism = 3
        salt = (0..<2).flatMap { _ in
            let number = random.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }

    /// Nil for a file that this version cannot open: another method, or a cost of more than 64 MiB or of minutes.
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

    /// Derives the file's key from one of the forms of a passphrase; slow on purpose.
    ///
    /// - Throws: `outOfMemory`, since nothing else can be wrong with a valid head.
    func key(from passphrase: [UInt8], path: String) throws(FileError) -> SymmetricKey {
        do {
            return try KDF.Scrypt.deriveKey(
                from: passphrase, salt: salt, outputByteCount: 32, rounds: 1 << Int(cost), blockSize: Int(blockSize),
                parallelism: Int(parallelism))
        } catch {
            throw .outOfMemory(path: path)
        }
    }
}

/// Encrypts and decrypts the chunks of one file with AES-256-GCM.
///
/// The nonce of a chunk is its number and whether it is the last, and each chunk authenticates everything before the
/// first one. A chunk that was changed, moved, removed, added or taken from another file cannot be decrypted.
struct ChunkCipher {
    static let tagSize = 16

    private let key: SymmetricKey
    private let front: [UInt8]
    private var number: UInt64 = 0

    /// - Parameter front: the bytes of the file before the first chunk.
    init(key: SymmetricKey, front: [UInt8]) {
        self.key = key
        self.front = front
    }

    mutating func seal(_ chunk: [UInt8], isLast: Bool) throws -> [UInt8] {
        let box = try AES.GCM.seal(chunk, using: key, nonce: try nonce(isLast: isLast), authenticating: front)
        number += 1
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// Decrypts a chunk; throws when it is not the chunk that was encrypted at this position.
    mutating func open(_ chunk: ArraySlice<UInt8>, isLast: Bool) throws -> [UInt8] {
        guard chunk.count >= Self.tagSize else { throw CryptoKitError.incorrectParameterSize }
        let box = try AES.GCM.SealedBox(
            nonce: try nonce(isLast: isLast), ciphertext: chunk.dropLast(Self.tagSize), tag: chunk.suffix(Self.tagSize))
        let opened = try AES.GCM.open(box, using: key, authenticating: front)
        number += 1
        return Array(opened)
    }

    /// Decrypts the chunk of a number, without the ones before it; nil when it is not the chunk that was encrypted there.
    func opened(_ chunk: [UInt8], at number: UInt64, isLast: Bool) -> [UInt8]? {
        var cipher = self
        cipher.number = number
        return try? cipher.open(chunk[...], isLast: isLast)
    }

    /// Three zeros, the number in big-endian order, and 1 for the last chunk.
    private func nonce(isLast: Bool) throws -> AES.GCM.Nonce {
        let digits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return try AES.GCM.Nonce(data: [0, 0, 0] + digits + [isLast ? 1 : 0])
    }
}
