import CivilTime
import Testing

@testable import ByteStreams
@testable import Snapshots

/// With a cheap key: a real one takes scrypt 0.2 seconds, and more without optimization.
@Suite struct EncryptionTests {
    private static let header = Array("the header is not secret, but must not change".utf8)
    private static let passphrase = Passphrase(Array("correct horse".utf8))!

    private static func encrypted(_ plain: [UInt8], piece: Int = 10_000, seed: UInt64 = 1, cost: UInt8 = 10) throws
        -> [UInt8]
    {
        let box = Box()
        var sink = EncryptedSink(
            header: header, passphrase: passphrase,
            head: EncryptionHead(random: SeededRandomSource(seed: seed), cost: cost), path: "f"
        ) { (bytes) throws(FileError) in box.bytes += bytes }
        for start in stride(from: 0, to: plain.count, by: piece) {
            try sink.write(Array(plain[start..<min(start + piece, plain.count)]))
        }
        try sink.finish()
        return box.bytes
    }

    private final class Box {
        var bytes: [UInt8] = []
    }

    /// The decrypted bytes after the header.
    private static func decrypted(
        _ file: [UInt8], piece: Int = 7_777, passphrase: Passphrase = passphrase
    ) throws(FileError) -> [UInt8] {
        var position = header.count
        var source = DecryptedSource(header: Array(file.prefix(header.count)), passphrase: passphrase, path: "f") {
            () throws(FileError) in
            let part = Array(file.dropFirst(position).prefix(piece))
            position += part.count
            return part
        }
        var plain: [UInt8] = []
        while true {
            let next = try source.next()
            if next.isEmpty { return plain }
            plain += next
        }
    }

    private static func plain(_ count: Int) -> [UInt8] {
        let random = SeededRandomSource(seed: UInt64(count))
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    @Test(
        "Decryption returns what was encrypted, for any length and any partition into parts [J-SE2]",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func roundTrip(count: Int) throws {
        let plain = Self.plain(count)
        let file = try Self.encrypted(plain, piece: 1 + count / 3)
        #expect(file.starts(with: Self.header))
        let chunks = max(1, (count + 65_535) / 65_536)
        #expect(file.count == Self.header.count + 24 + count + 16 * chunks)
        #expect(try Self.decrypted(file, piece: 1 + count / 2) == plain)
    }

    @Test(
        "A wrong passphrase, a changed header, a truncated file, and changed, moved, repeated or missing chunks give the same error"
    )
    func tampering() throws {
        let plain = Self.plain(200_000)
        let file = try Self.encrypted(plain)
        let other = Passphrase(Array("correct hors".utf8))!
        #expect(throws: FileError.notDecryptable(path: "f")) { try Self.decrypted(file, passphrase: other) }

        let front = Self.header.count + 24
        let chunk = 65_536 + 16
        var damaged: [[UInt8]] = []
        for position in [0, Self.header.count, Self.header.count + 4, Self.header.count + 9, front, file.count - 1] {
            var changed = file
            changed[position] ^= 1
            damaged.append(changed)
        }
        for length in [front - 1, front, front + 10, front + chunk, front + 2 * chunk, file.count - 1] {
            damaged.append(Array(file.prefix(length)))
        }
        let chunks = stride(from: front, to: file.count, by: chunk).map { file[$0..<min($0 + chunk, file.count)] }
        let prefix = file[..<front]
        damaged.append(Array(prefix + chunks[1] + chunks[0] + chunks[2] + chunks[3]))
        damaged.append(Array(prefix + chunks[0] + chunks[2] + chunks[3]))
        damaged.append(Array(prefix + chunks[0] + chunks[0] + chunks[1] + chunks[2] + chunks[3]))
        damaged.append(file + [0])
        damaged.append(file + chunks[3])
        for file in damaged {
            #expect(throws: FileError.notDecryptable(path: "f")) { try Self.decrypted(file) }
        }
    }

    @Test("The key is derived with N = 2^15, r = 8 and p = 3")
    func cost() throws {
        #expect(try Self.decrypted(try Self.encrypted([1, 2, 3], cost: 15)) == [1, 2, 3])
        #expect(EncryptionHead(random: SeededRandomSource(seed: 1)).encoded.prefix(4) == [1, 15, 8, 3])
    }

    @Test("Chunks of another file with the same passphrase are refused")
    func otherFile() throws {
        let plain = Self.plain(100_000)
        let first = try Self.encrypted(plain, seed: 1)
        let second = try Self.encrypted(plain, seed: 2)
        #expect(first != second)
        let mixed = first.prefix(Self.header.count + 24 + 65_552) + second.dropFirst(Self.header.count + 24 + 65_552)
        #expect(throws: FileError.notDecryptable(path: "f")) { try Self.decrypted(Array(mixed)) }
    }

    @Test("A file cannot request a key that takes too much memory or time")
    func hostileCost() {
        let valid = EncryptionHead(random: SeededRandomSource(seed: 1)).encoded
        #expect(EncryptionHead(valid) != nil)
        for (position, value) in [(0, 2), (1, 30), (1, 9), (2, 0), (2, 255), (3, 0), (3, 200), (5, 1)] {
            var bytes = valid
            bytes[position] = UInt8(value)
            #expect(EncryptionHead(bytes) == nil)
        }
    }

    @Test("A passphrase file may end in a line break, and must not be empty")
    func passphraseFile() {
        #expect(Passphrase(fileContent: Array("secret\n".utf8)) == Passphrase(Array("secret".utf8)))
        #expect(Passphrase(fileContent: Array("secret\r\n".utf8)) == Passphrase(Array("secret".utf8)))
        #expect(Passphrase(fileContent: Array(" secret\n\n".utf8)) == Passphrase(Array(" secret\n".utf8)))
        #expect(Passphrase(fileContent: Array("\n".utf8)) == nil)
    }
}
