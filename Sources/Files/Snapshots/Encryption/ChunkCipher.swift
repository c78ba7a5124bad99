import Crypto
import FoundationEssentials

/// Seals and opens the chunks of one file with AES-256-GCM.
///
/// A chunk's nonce is its number and whether it is the last, and everything in front of the chunks is authenticated with
/// each: so a chunk that was changed, moved, left out, added or taken from another file does not open.
struct ChunkCipher {
    static let tagSize = 16

    private let key: SymmetricKey
    private let front: [UInt8]
    private var number: UInt64 = 0

    /// - Parameter front: the bytes of the file before its first chunk.
    init(key: SymmetricKey, front: [UInt8]) {
        self.key = key
        self.front = front
    }

    mutating func seal(_ chunk: [UInt8], isLast: Bool) throws -> [UInt8] {
        let box = try AES.GCM.seal(chunk, using: key, nonce: try nonce(isLast: isLast), authenticating: front)
        number += 1
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// Throws when the chunk is not what was sealed in this place.
    mutating func open(_ chunk: ArraySlice<UInt8>, isLast: Bool) throws -> [UInt8] {
        let box = try AES.GCM.SealedBox(
            nonce: try nonce(isLast: isLast), ciphertext: chunk.dropLast(Self.tagSize), tag: chunk.suffix(Self.tagSize))
        let opened = try AES.GCM.open(box, using: key, authenticating: front)
        number += 1
        return Array(opened)
    }

    /// Three zeros, the number, big-endian, and 1 for the last chunk.
    private func nonce(isLast: Bool) throws -> AES.GCM.Nonce {
        let digits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return try AES.GCM.Nonce(data: [0, 0, 0] + digits + [isLast ? 1 : 0])
    }
}
