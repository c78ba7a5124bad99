/// Pairs of a snapshot and one that continues it.
struct SnapshotCorpus {
    let pairs: [SnapshotSeeds]
    /// What means something in a block.
    static let tokens: [[UInt8]] = [
        [0], [1], [2], [3], [0x80, 0x01], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        [0xFF, 0xFF, 0x03],
        [0x28, 0xB5, 0x2F, 0xFD], [0, 0, 0, 0], [8], [63, 6], [1, 5], [0x80, 0x80, 0x04],
    ]

    init(seed: UInt64, in folder: String) async throws {
        var random = FuzzRandom(seed: seed ^ 0x5EED)
        var pairs: [SnapshotSeeds] = []
        for (count, level) in [(2, 0), (2, 3), (9, 0), (24, 0), (24, 1), (24, 19)] {
            var records = try await StoreRecords.random(count, seed: random.next(), in: folder)
            if count == 9 { records.records += Self.odd(&random) }
            pairs.append(try SnapshotSeeds(records, level: level, &random))
        }
        self.pairs = pairs
    }

    /// Records that are no rows of fields, and a collection that no program of ours knows.
    private static func odd(_ random: inout FuzzRandom) -> [StoreRecords.Record] {
        let values: [[UInt8]] = [[], [0], [1], [1, 1, 5, 200], Array("Geburtstagsfeier\nx\ny\nx\n".utf8), [1, 63, 3]]
        return values.indices.map {
            StoreRecords.Record(collection: "zz", key: [UInt8($0)] + (random.chance(2) ? [7] : []), value: values[$0])
        }
    }

    /// The texts that no error may quote.
    static func text(of seeds: SnapshotSeeds) -> [UInt8] {
        Array(seeds.base.records.map(\.value).joined(separator: [0]))
    }
}
