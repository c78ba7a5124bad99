import Snapshots

/// Snapshots as files, with everything that guards them.
struct SnapshotTarget: FuzzTarget {
    private let corpus: SnapshotCorpus
    private let mutator: Mutator
    private let folder: String

    init(seed: UInt64, in folder: String) async throws {
        corpus = try await SnapshotCorpus(seed: seed, in: folder)
        self.folder = folder
        mutator = Mutator(
            others: corpus.pairs.flatMap { [$0.baseFile, $0.nextFile] } + ImportSeeds.nasty,
            tokens: SnapshotCorpus.tokens)
    }

    /// Which pair it is of, and the file.
    func input(_ random: inout FuzzRandom) -> [UInt8] {
        let number = random.below(corpus.pairs.count)
        let seeds = corpus.pairs[number]
        return [UInt8(number)] + mutator.mutate(random.chance(2) ? seeds.nextFile : seeds.baseFile, &random)
    }

    func read(_ input: [UInt8], _ random: inout FuzzRandom) throws -> Verdict {
        let seeds = corpus.pairs[Int(input[0])]
        let file = Array(input.dropFirst())
        // A base that was changed is looked for by its id, from one that was not.
        let isBase = random.chance(4)
        try ScratchFolder.write(isBase ? file : seeds.baseFile, to: "\(folder)/base.snapshot")
        try ScratchFolder.write(isBase ? seeds.nextFile : file, to: "\(folder)/changed.snapshot")
        let verdict = try judge(quoting: SnapshotCorpus.text(of: seeds)) {
            let chain = try SnapshotFile.chain("\(folder)/changed.snapshot", passphrase: nil)
            while try chain.next() {}
        }
        if verdict == .accepted, !corpus.pairs.contains(where: { $0.baseFile == file || $0.nextFile == file }) {
            throw Finding("damage", "a file that nobody wrote passes for sound")
        }
        if random.chance(8) {
            _ = try judge(quoting: SnapshotCorpus.text(of: seeds)) {
                let listing = try SnapshotFolder(folder).listing()
                for entry in listing { _ = entry.header.map { SnapshotFile.name(at: $0.instant) } }
                let retention = SnapshotRetention(days: 1, weeks: 1, months: 1)
                _ = try SnapshotFolder(folder).plan(keeping: retention, zone: .utc, weekStart: .monday)
            }
        }
        return verdict
    }
}
