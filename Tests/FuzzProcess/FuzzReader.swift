import Exchange

/// The readers, by their names.
struct FuzzReader: Equatable {
    let name: String
    /// Its part of all mutations: less for those that take files, keys or stores.
    let share: Int

    static let all: [FuzzReader] =
        TaskFormat.allCases.map { FuzzReader(name: $0.rawValue, share: 110) } + [
            FuzzReader(name: "zstd", share: 70), FuzzReader(name: "snapshot", share: 40),
            FuzzReader(name: "blocks", share: 110), FuzzReader(name: "encrypted", share: 9),
            FuzzReader(name: "restore", share: 1),
        ]

    init(name: String, share: Int) {
        self.name = name
        self.share = share
    }

    init?(_ name: String) {
        guard let reader = Self.all.first(where: { $0.name == name }) else { return nil }
        self = reader
    }

    /// With its corpus, which the seed determines.
    func target(seed: UInt64, in folder: String) async throws -> any FuzzTarget {
        switch name {
        case "zstd": return try ZstdTarget(seed: seed)
        case "snapshot": return try await SnapshotTarget(seed: seed, in: folder)
        case "blocks": return try await BlockTarget(seed: seed, in: folder)
        case "encrypted": return try await EncryptedTarget(seed: seed, in: folder)
        case "restore": return try await RestoreTarget(seed: seed, in: folder)
        default: return try ImportTarget(TaskFormat(rawValue: name) ?? .json, seed: seed)
        }
    }
}
