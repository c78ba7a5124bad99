import Snapshots

/// What is behind the checksums of a snapshot: a part of it is changed, and everything that guards it made right again.
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

    /// Which pair it is of, whether it is the second of the two, and the file.
    func input(_ random: inout FuzzRandom) -> [UInt8] {
        let number = random.below(corpus.pairs.count)
        let isNext = random.chance(2)
        let seeds = corpus.pairs[number]
        var parts = SnapshotParts(isNext ? seeds.nextFile : seeds.baseFile)
        let index = random.chance(8) ? 0 : random.below(parts.sections.count)
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

    func read(_ input: [UInt8], _ random: inout FuzzRandom) throws -> Verdict {
        let seeds = corpus.pairs[Int(input[0])]
        let isNext = input[1] == 1
        let file = Array(input.dropFirst(2))
        var files = isNext ? [seeds.baseFile, file] : [file]
        if !isNext, random.chance(2) { files.append(seeds.nextFile) }
        var found = StoreRecords()
        let verdict = try judge(quoting: SnapshotCorpus.text(of: seeds)) {
            var readers: [SnapshotReader] = []
            for file in files {
                let body = chunked(Array(file.dropFirst(64)), &random)
                readers.append(
                    try SnapshotReader(path: "a", header: SnapshotHeader(Array(file.prefix(64)), path: "a"), body: body)
                )
            }
            // What is shown of them, and how progress is told.
            for reader in readers { _ = "\(reader.manifest.recordCount) \(reader.manifest.instant)" }
            let chain = try SnapshotChain(readers)
            while try chain.next() {
                found.records.append(
                    StoreRecords.Record(collection: chain.names[chain.collection], key: chain.key, value: chain.value))
            }
        }
        // Behind the same manifest stand the same records, however they are coded.
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
