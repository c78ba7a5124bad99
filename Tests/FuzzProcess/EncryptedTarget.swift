import Crypto
import CryptoExtras
import Snapshots

/// Encrypted snapshots, which are made here by Documentation/Format.md with the cheapest key that is taken.
struct EncryptedTarget: FuzzTarget {
    private static let passphrase = Array("correct horse".utf8)
    private static let chunkSize = 1 << 16

    private let corpus: [[UInt8]]
    private let mutator: Mutator
    private let folder: String

    init(seed: UInt64, in folder: String) async throws {
        self.folder = folder
        var random = FuzzRandom(seed: seed ^ 0xC0DE)
        var records = try await StoreRecords.random(3, seed: seed, in: folder)
        var files: [[UInt8]] = []
        for level in [0, 3] {
            files.append(try Self.encrypted(try SnapshotSeeds(records, level: level, &random).baseFile, &random))
        }
        // One of several chunks, and one whose last chunk is full.
        for length in [150_000, 100_000] {
            records.records.removeAll { $0.collection == "zz" }
            let value = (0..<length).map { _ in random.byte() }
            records.records.append(StoreRecords.Record(collection: "zz", key: [1], value: value))
            files.append(try Self.encrypted(try SnapshotSeeds(records, level: 0, &random).baseFile, &random))
        }
        corpus = files
        mutator = Mutator(others: files, tokens: SnapshotCorpus.tokens)
    }

    private static func encrypted(_ plain: [UInt8], _ random: inout FuzzRandom) throws -> [UInt8] {
        var parts = SnapshotParts(plain)
        parts.header[10] |= 2
        let file = parts.file
        // scrypt with N = 2^10, r = 1 and p = 1; chunks of 64 KiB; the salt.
        let head = [1, 10, 1, 1] + SnapshotParts.bytes(UInt32(chunkSize)) + (0..<16).map { _ in random.byte() }
        let front = Array(file.prefix(64)) + head
        let key = try KDF.Scrypt.deriveKey(
            from: passphrase, salt: head.suffix(16), outputByteCount: 32, rounds: 1 << 10, blockSize: 1, parallelism: 1)
        var sealed = front
        var rest = file.dropFirst(64)
        var number: UInt64 = 0
        while true {
            let chunk = rest.prefix(chunkSize)
            rest = rest.dropFirst(chunkSize)
            let nonce = [0, 0, 0] + SnapshotParts.bytes(number.bigEndian) + [rest.isEmpty ? 1 : 0]
            let box = try AES.GCM.seal(
                chunk, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: front)
            sealed += Array(box.ciphertext) + Array(box.tag)
            number += 1
            if rest.isEmpty { return sealed }
        }
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] {
        mutator.mutate(corpus[random.pick([0, 1, 1, 2, 3])], &random)
    }

    func read(_ input: [UInt8], _ random: inout FuzzRandom) throws -> Verdict {
        try ScratchFolder.write(input, to: "\(folder)/secret.snapshot")
        let verdict = try judge(quoting: []) {
            let reader = try SnapshotFile.open("\(folder)/secret.snapshot", passphrase: Passphrase(Self.passphrase))
            while try reader.next() {}
        }
        if verdict == .accepted, !corpus.contains(input) {
            throw Finding("damage", "a file that nobody sealed passes for sound")
        }
        return verdict
    }
}
