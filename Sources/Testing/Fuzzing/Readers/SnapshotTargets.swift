import CivilTime
import Crypto
import CryptoExtras
import LabSupport
import Snapshots

/// Complete snapshot files, with their checksums.
struct SnapshotTarget: FuzzTarget {
    private let corpus: SnapshotCorpus
    private let mutator: Mutator
    private let folder: String

    init(seed: UInt64, in folder: String) async throws {
        corpus = try await SnapshotCorpus(seed: seed, in: folder)
        self.folder = folder
        mutator = Mutator(
            others: corpus.pairs.flatMap { [$0.baseFile, $0.nextFile] } + ImportSeeds.hostile,
            tokens: SnapshotCorpus.tokens)
    }

    /// Returns the index of the pair, and the file.
    func input(_ random: inout SeededGenerator) -> [UInt8] {
        let number = random.below(corpus.pairs.count)
        let seeds = corpus.pairs[number]
        return [UInt8(number)] + mutator.mutate(random.oneIn(2) ? seeds.nextFile : seeds.baseFile, &random)
    }

    func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Verdict {
        let seeds = corpus.pairs[Int(input[0])]
        let file = Array(input.dropFirst())
        // A changed base is found by its id, through an unchanged snapshot.
        let isBase = random.oneIn(4)
        try FuzzFile.write(isBase ? file : seeds.baseFile, to: "\(folder)/base.snapshot")
        try FuzzFile.write(isBase ? seeds.nextFile : file, to: "\(folder)/changed.snapshot")
        let verdict = try judge(quoting: SnapshotCorpus.text(of: seeds)) {
            let chain = try SnapshotFile.chain("\(folder)/changed.snapshot", passphrase: nil)
            while try chain.next() {}
        }
        if verdict == .accepted, !corpus.pairs.contains(where: { $0.baseFile == file || $0.nextFile == file }) {
            throw Finding("damage", "a modified file is accepted")
        }
        if random.oneIn(8) {
            _ = try judge(quoting: SnapshotCorpus.text(of: seeds)) {
                let listing = try SnapshotFolder(folder).listing()
                for entry in listing { _ = entry.header.map { SnapshotFile.name(at: $0.instant) } }
                let retention = SnapshotRetention(days: 1, weeks: 1, months: 1)
                let now = Instant(microsecondsSince1970: 1_900_000_000_000_000)
                _ = try SnapshotFolder(folder).plan(keeping: retention, now: now, zone: .utc, weekStart: .monday)
            }
        }
        return verdict
    }
}

/// Snapshots in which one part was changed and the checksums were recomputed.
struct BlockTarget: FuzzTarget {
    private let corpus: SnapshotCorpus
    private let mutator: Mutator

    init(seed: UInt64, in folder: String) async throws {
        corpus = try await SnapshotCorpus(seed: seed, in: folder)
        let sections = corpus.pairs.flatMap {
            SnapshotParts($0.nextFile).sections + SnapshotParts($0.baseFile).sections
        }
        mutator = Mutator(others: sections.map(\.content), tokens: SnapshotCorpus.tokens)
    }

    /// Returns the index of the pair, whether it is the second file of the pair, and the file.
    func input(_ random: inout SeededGenerator) -> [UInt8] {
        let number = random.below(corpus.pairs.count)
        let isNext = random.oneIn(2)
        let seeds = corpus.pairs[number]
        var parts = SnapshotParts(isNext ? seeds.nextFile : seeds.baseFile)
        let index = random.oneIn(8) ? 0 : random.below(parts.sections.count)
        switch random.below(24) {
        case 0: parts.sections.remove(at: index)
        case 1: parts.sections.insert(parts.sections[index], at: random.below(parts.sections.count))
        case 2: parts.sections.swapAt(index, random.below(parts.sections.count))
        case 3: parts.sections[index].count = UInt32(truncatingIfNeeded: random.next()) >> UInt32(random.below(32))
        case 4: parts.sections[index].collection = UInt16(random.below(4))
        case 5: parts.sections[index].kind = random.pick([0, 1, 2, 3, 255])
        case 6:
            let header = random.pick([8, 9, 10, 12, 16, 20, 40, 56])
            parts.header[header] = random.byte()
        default: parts.sections[index].content = mutator.mutate(parts.sections[index].content, &random)
        }
        return [UInt8(number), isNext ? 1 : 0] + parts.file
    }

    func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Verdict {
        let seeds = corpus.pairs[Int(input[0])]
        let isNext = input[1] == 1
        let file = Array(input.dropFirst(2))
        var files = isNext ? [seeds.baseFile, file] : [file]
        if !isNext, random.oneIn(2) { files.append(seeds.nextFile) }
        var found = StoreRecords()
        let verdict = try judge(quoting: SnapshotCorpus.text(of: seeds)) {
            var readers: [SnapshotReader] = []
            for file in files {
                let body = chunked(Array(file.dropFirst(64)), &random)
                readers.append(
                    try SnapshotReader(path: "a", header: SnapshotHeader(Array(file.prefix(64)), path: "a"), body: body)
                )
            }
            // Also exercises what is displayed, and progress.
            for reader in readers { _ = "\(reader.manifest.recordCount) \(reader.manifest.instant)" }
            let chain = try SnapshotChain(readers)
            while try chain.next() {
                found.records.append(
                    StoreRecords.Record(collection: chain.names[chain.collection], key: chain.key, value: chain.value))
            }
        }
        // Equal manifests must have equal records, whatever their encoding.
        let original = isNext ? seeds.nextFile : seeds.baseFile
        if verdict == .accepted, file.count > 64,
            SnapshotParts(file).sections[0].content == SnapshotParts(original).sections[0].content
        {
            let expected = files.count == 2 ? seeds.next : seeds.base
            if found.records != expected.records { throw Finding("records", "other records than the manifest says") }
        }
        return verdict
    }
}

/// Encrypted snapshots, written according to Documentation/Format.md with the cheapest key that is accepted.
struct EncryptedTarget: FuzzTarget {
    private static let passphrase = Array("correct horse".utf8)
    private static let chunkSize = 1 << 16

    private let corpus: [[UInt8]]
    private let mutator: Mutator
    private let folder: String

    init(seed: UInt64, in folder: String) async throws {
        self.folder = folder
        var random = SeededGenerator(seed: seed ^ 0xC0DE)
        var records = try await StoreRecords.random(3, seed: seed, in: folder)
        var files: [[UInt8]] = []
        for level in [0, 3] {
            files.append(try Self.encrypted(try SnapshotSeeds(records, level: level, &random).baseFile, &random))
        }
        // One file of several chunks, and one with a full last chunk.
        for length in [150_000, 100_000] {
            records.records.removeAll { $0.collection == "zz" }
            let value = (0..<length).map { _ in random.byte() }
            records.records.append(StoreRecords.Record(collection: "zz", key: [1], value: value))
            files.append(try Self.encrypted(try SnapshotSeeds(records, level: 0, &random).baseFile, &random))
        }
        corpus = files
        mutator = Mutator(others: files, tokens: SnapshotCorpus.tokens)
    }

    private static func encrypted(_ plain: [UInt8], _ random: inout SeededGenerator) throws -> [UInt8] {
        var parts = SnapshotParts(plain)
        parts.header[10] |= 2
        let file = parts.file
        // scrypt with N = 2^10, r = 1 and p = 1; chunks of 64 KiB; the salt.
        let head = [1, 10, 1, 1] + SnapshotParts.bytes(UInt32(chunkSize)) + (0..<16).map { _ in random.byte() }
        let front = Array(file.prefix(64)) + head
        let key = try KDF.Scrypt.deriveKey(
            from: passphrase, salt: head.suffix(16), outputByteCount: 32, rounds: 1 << 10, blockSize: 1, parallelism: 1)
        var encrypted = front
        var rest = file.dropFirst(64)
        var number: UInt64 = 0
        while true {
            let chunk = rest.prefix(chunkSize)
            rest = rest.dropFirst(chunkSize)
            let nonce = [0, 0, 0] + SnapshotParts.bytes(number.bigEndian) + [rest.isEmpty ? 1 : 0]
            let box = try AES.GCM.seal(
                chunk, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: front)
            encrypted += Array(box.ciphertext) + Array(box.tag)
            number += 1
            if rest.isEmpty { return encrypted }
        }
    }

    func input(_ random: inout SeededGenerator) -> [UInt8] {
        mutator.mutate(corpus[random.pick([0, 1, 1, 2, 3])], &random)
    }

    func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Verdict {
        try FuzzFile.write(input, to: "\(folder)/secret.snapshot")
        let verdict = try judge(quoting: []) {
            let reader = try SnapshotFile.open("\(folder)/secret.snapshot", passphrase: Passphrase(Self.passphrase))
            while try reader.next() {}
        }
        if verdict == .accepted, !corpus.contains(input) {
            throw Finding("damage", "a modified file is accepted")
        }
        return verdict
    }
}
