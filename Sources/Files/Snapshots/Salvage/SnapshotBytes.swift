import ByteStreams
import FileSystem

/// The bytes of a snapshot that may be damaged, decrypted if it is encrypted, read at any place. What the disk or the key
/// does not give is zeros.
final class SnapshotBytes {
    /// The path in errors.
    let path: String
    /// The length of the file, of an encrypted one that of the decrypted file.
    private(set) var count: Int
    /// The first 64 bytes, fewer of a shorter file.
    private(set) var header: [UInt8] = []
    private let descriptor: FileDescriptor
    private let fileCount: Int
    private var cipher: ChunkCipher?
    /// The chunk that was decrypted last, and its number.
    private var chunk: (number: Int, bytes: [UInt8])?

    /// Opens a file.
    ///
    /// - Throws: `passphraseNeeded`; `notDecryptable` when no part of it can be decrypted.
    init(_ path: String, passphrase: Passphrase?) throws(FileError) {
        self.path = path
        descriptor = try SnapshotFront.open(path)
        let status = try FileError.naming(path, descriptor.status)
        guard status.kind == .file else { throw .notASnapshot(path: path) }
        fileCount = status.size
        count = fileCount
        header = stored(at: 0, SnapshotHeader.byteCount)
        if let known = try? SnapshotHeader(header, path: path), known.isEncrypted { try decrypt(passphrase) }
    }

    deinit { descriptor.close() }

    /// Returns some bytes, fewer where the file ends.
    func read(at offset: Int, _ length: Int) -> [UInt8] {
        let end = min(offset + length, count)
        guard offset < end else { return [] }
        guard let cipher else { return stored(at: offset, end - offset) }
        var bytes = offset < SnapshotHeader.byteCount ? Array(header[offset..<min(end, header.count)]) : []
        while offset + bytes.count < end {
            let place = offset + bytes.count - SnapshotHeader.byteCount
            let number = place / EncryptionHead.chunkSize
            let plain = decrypted(number, by: cipher)
            let start = place - number * EncryptionHead.chunkSize
            bytes += plain[start..<min(plain.count, start + end - offset - bytes.count)]
        }
        return bytes
    }

    // MARK: The file

    /// The bytes as they are in the file. Where the disk refuses them there are zeros.
    private func stored(at offset: Int, _ length: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, min(length, fileCount - offset)))
        var done = 0
        while done < bytes.count {
            // After an error in smaller parts, so that a bad sector hides no more than itself.
            let part = min(bytes.count - done, 1 << 20)
            var piece = [UInt8](repeating: 0, count: part)
            var read = try? descriptor.read(into: &piece, at: offset + done)
            if read == nil {
                piece = [UInt8](repeating: 0, count: min(part, 4096 - (offset + done) % 4096))
                read = try? descriptor.read(into: &piece, at: offset + done)
            }
            // What cannot be read stays zeros.
            let count = read ?? piece.count
            guard count > 0 else { break }
            bytes.replaceSubrange(done..<done + count, with: piece[..<count])
            done += count
        }
        return bytes
    }

    // MARK: Encryption

    private static let bodyStart = SnapshotHeader.byteCount + EncryptionHead.byteCount
    private static let storedChunkSize = EncryptionHead.chunkSize + ChunkCipher.tagSize

    private var chunkCount: Int { (fileCount - Self.bodyStart + Self.storedChunkSize - 1) / Self.storedChunkSize }

    private func decrypt(_ passphrase: Passphrase?) throws(FileError) {
        guard let passphrase else { throw .passphraseNeeded(path: path) }
        let head = stored(at: SnapshotHeader.byteCount, EncryptionHead.byteCount)
        guard fileCount > Self.bodyStart, let known = EncryptionHead(head) else { throw .notDecryptable(path: path) }
        let last = fileCount - Self.bodyStart - (chunkCount - 1) * Self.storedChunkSize
        count =
            SnapshotHeader.byteCount + (chunkCount - 1) * EncryptionHead.chunkSize + max(0, last - ChunkCipher.tagSize)
        for form in passphrase.forms {
            let cipher = ChunkCipher(key: try known.key(from: form, path: path), front: header + head)
            guard (0..<chunkCount).contains(where: { opened($0, by: cipher) != nil }) else { continue }
            self.cipher = cipher
            return
        }
        // A wrong passphrase, or a damaged header, which is part of every chunk, opens none.
        throw .notDecryptable(path: path)
    }

    private func decrypted(_ number: Int, by cipher: ChunkCipher) -> [UInt8] {
        if let chunk, chunk.number == number { return chunk.bytes }
        let start = SnapshotHeader.byteCount + number * EncryptionHead.chunkSize
        let zeros = [UInt8](repeating: 0, count: min(EncryptionHead.chunkSize, count - start))
        let bytes = opened(number, by: cipher) ?? zeros
        chunk = (number, bytes)
        return bytes
    }

    /// Nil when the chunk is damaged. The last one of a file that was cut short may be one from its middle.
    private func opened(_ number: Int, by cipher: ChunkCipher) -> [UInt8]? {
        let stored = stored(at: Self.bodyStart + number * Self.storedChunkSize, Self.storedChunkSize)
        guard stored.count >= ChunkCipher.tagSize else { return nil }
        return [number == chunkCount - 1, false].lazy.compactMap {
            cipher.opened(stored, at: UInt64(number), isLast: $0)
        }.first
    }
}
