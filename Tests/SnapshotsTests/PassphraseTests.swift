import CivilTime
import Testing

@testable import ByteStreams
@testable import Snapshots

/// The same passphrase from keyboards, editors and files of different systems.
@Suite struct PassphraseTests {
    /// "Grüße" with one scalar for `ü`, and with two.
    private static let composed: [UInt8] = [0x47, 0x72, 0xC3, 0xBC, 0xC3, 0x9F, 0x65]
    private static let decomposed: [UInt8] = [0x47, 0x72, 0x75, 0xCC, 0x88, 0xC3, 0x9F, 0x65]
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// A file that an earlier version, which took the bytes as they were, has encrypted.
    private func file(encryptedWith bytes: [UInt8]) throws -> [UInt8] {
        let head = EncryptionHead(random: SeededRandomSource(seed: 1), cost: 10)
        let header: [UInt8] = [1, 2, 3]
        var cipher = ChunkCipher(key: try head.key(from: bytes, path: "f"), front: header + head.encoded)
        return try header + head.encoded + cipher.seal([9, 9], isLast: true)
    }

    private func opens(_ file: [UInt8], _ passphrase: Passphrase?) throws -> Bool {
        var source = DecryptedSource(
            header: Array(file.prefix(3)), passphrase: try #require(passphrase), path: "f",
            source: byteSource(of: Array(file.dropFirst(3))))
        do throws(FileError) {
            return try source.next() == [9, 9]
        } catch .notDecryptable {
            return false
        }
    }

    @Test("A file opens with either normalization, with or without a byte order mark and a line break")
    func forms() throws {
        let texts = [Self.composed, Self.decomposed]
        let utf16: [UInt8] = [0xFF, 0xFE, 0x47, 0, 0x72, 0, 0xFC, 0, 0xDF, 0, 0x65, 0, 0x0D, 0, 0x0A, 0]
        var contents = texts + texts.map { Self.mark + $0 } + texts.map { Self.mark + $0 + [0x0D, 0x0A] } + [utf16]
        contents += texts.map { $0 + [0x0A] }
        for text in texts {
            let file = try file(encryptedWith: text)
            #expect(try opens(file, Passphrase(text)))
            for content in contents { #expect(try opens(file, Passphrase(fileContent: content)), "\(content)") }
            #expect(try !opens(file, Passphrase(Array("Grusse".utf8))))
            #expect(try !opens(file, Passphrase(Array("Gru\u{308}sse".utf8))))
        }
    }

    @Test("A file that an earlier version encrypted with the byte order mark opens with that file")
    func markedFile() throws {
        let content = Self.mark + Self.composed + [0x0A]
        let file = try file(encryptedWith: Self.mark + Self.composed)
        #expect(try opens(file, Passphrase(fileContent: content)))
        #expect(try !opens(file, Passphrase(fileContent: Self.composed)))
    }

    @Test("New files are encrypted with the composed form, whatever was typed")
    func new() throws {
        for content in [Self.composed, Self.decomposed, Self.mark + Self.decomposed] {
            #expect(Passphrase(fileContent: content)?.bytes == Self.composed)
        }
        #expect(Passphrase(Self.composed) == Passphrase(Self.decomposed))
        #expect(Passphrase(Self.composed) != Passphrase(Array("Grusse".utf8)))
    }

    @Test("Bytes that are not text are taken as they are, and plain text is tried once")
    func others() {
        let bytes: [UInt8] = [0xFF, 0xFE, 0x00, 0xD8, 0xC3]
        #expect(Passphrase(fileContent: bytes)?.forms == [bytes])
        // Half a surrogate pair is not UTF-16.
        #expect(Passphrase(fileContent: [0xFF, 0xFE, 0x00, 0xD8])?.forms == [[0xFF, 0xFE, 0x00, 0xD8]])
        #expect(Passphrase(Array("secret".utf8))?.forms.count == 1)
        #expect(Passphrase(fileContent: Self.mark) == nil)
        #expect(Passphrase(fileContent: Self.mark + [0x0A]) == nil)
        #expect(Passphrase([]) == nil)
    }
}
