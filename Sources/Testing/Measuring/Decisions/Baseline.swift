import FoundationEssentials

/// Agreed counts, kept in a file in the repository.
///
/// A count is the same on every machine, so any difference means that the program has changed. It fails until the file
/// is updated in a review. The file has one value a line, so that a review shows what changed.
public struct Baseline: Sendable, Equatable, Codable {
    /// The counts of one operation.
    public struct Entry: Sendable, Equatable, Codable {
        /// The number of counted runs.
        public var runs: Int
        /// The sums over those runs.
        public var counts: [ExactCounts.Kind: Int]
    }

    /// The file format that this program writes, and the newest that it reads.
    static let newestFormat = 2

    /// The file format.
    public let format: Int
    /// The size of the counted store, such as the number of tasks in its history; 0 without a store.
    public let size: Int
    /// The seed of the store's content.
    public let seed: UInt64
    /// The page size of the store in bytes; nil without a store.
    public let pageSize: Int?
    /// The version of LMDB; nil without a store.
    public let lmdb: String?
    /// The size of the store's pages before any operation, in bytes for each thousand of its size; nil without a store.
    public let storeBytesPerThousand: Int?
    /// The size of a snapshot of that store in bytes, by version of zstd.
    public let snapshotBytes: [String: Int]
    /// The counts that are the same on every machine, by operation.
    public let operations: [String: Entry]
    /// The counts that depend on the toolchain, by toolchain and operation.
    public let toolchains: [String: [String: Entry]]

    /// Creates the baseline of a run. What the run did not count is taken from an older baseline: other toolchains, and
    /// the other operations if only some were counted.
    public init(_ run: CountedRun, keeping older: Baseline? = nil) {
        // Counts of another version of LMDB or another page size cannot be merged.
        let older = older.flatMap { $0.reasonNotToCompare(run) == nil ? $0 : nil }
        format = Self.newestFormat
        size = run.size
        seed = run.seed
        pageSize = run.pageSize
        lmdb = run.lmdb
        storeBytesPerThousand = run.storeBytesPerThousand
        snapshotBytes = (older?.snapshotBytes ?? [:]).merging(run.snapshotBytes.map { [run.zstd: $0] } ?? [:]) { $1 }
        let kept = run.isComplete ? [:] : older?.operations ?? [:]
        operations = kept.merging(Self.entries(of: run) { $0.isUniversal }) { $1 }
        var toolchains = older?.toolchains ?? [:]
        // Not every run counts allocations and instructions.
        let own = (toolchains[run.toolchain] ?? [:]).merging(Self.entries(of: run) { !$0.isUniversal }) { old, new in
            old.runs == new.runs
                ? Entry(runs: new.runs, counts: old.counts.merging(new.counts) { $1 }) : new
        }
        toolchains[run.toolchain] = own.isEmpty ? nil : own
        self.toolchains = toolchains
    }

    private enum CodingKeys: String, CodingKey {
        case format, size, seed, pageSize, lmdb, storeBytesPerThousand, snapshotBytes, operations, toolchains
    }

    /// The names of the first format, whose stores had nothing but tasks.
    private enum FormerKeys: String, CodingKey {
        case taskCount, storeBytesPerThousandTasks
    }

    /// Decodes a file of any format up to the newest.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let former = try decoder.container(keyedBy: FormerKeys.self)
        format = try container.decode(Int.self, forKey: .format)
        if format == 1 {
            size = try former.decode(Int.self, forKey: .taskCount)
            storeBytesPerThousand = try former.decode(Int.self, forKey: .storeBytesPerThousandTasks)
        } else {
            size = try container.decode(Int.self, forKey: .size)
            storeBytesPerThousand = try container.decodeIfPresent(Int.self, forKey: .storeBytesPerThousand)
        }
        seed = try container.decode(UInt64.self, forKey: .seed)
        pageSize = try container.decodeIfPresent(Int.self, forKey: .pageSize)
        lmdb = try container.decodeIfPresent(String.self, forKey: .lmdb)
        snapshotBytes = try container.decode([String: Int].self, forKey: .snapshotBytes)
        operations = try container.decode([String: Entry].self, forKey: .operations)
        toolchains = try container.decode([String: [String: Entry]].self, forKey: .toolchains)
    }

    /// Decodes the output of ``contents()``.
    public init(reading bytes: [UInt8]) throws(BaselineError) {
        struct Head: Decodable { let format: Int }
        let decoder = JSONDecoder()
        let data = Data(bytes)
        guard let head = try? decoder.decode(Head.self, from: data) else { throw .malformed }
        guard head.format <= Self.newestFormat else { throw .newerFormat(head.format) }
        guard let baseline = try? decoder.decode(Baseline.self, from: data) else { throw .malformed }
        self = baseline
    }

    /// Returns the bytes of the file: equal counts produce equal bytes.
    public func contents() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return Array(try encoder.encode(self)) + [0x0A]
    }

    private static func entries(
        of run: CountedRun, where isMeant: (ExactCounts.Kind) -> Bool
    ) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for counts in run.counts {
            let values = counts.values.filter { isMeant($0.key) }
            if !values.isEmpty { entries[counts.operation] = Entry(runs: counts.runs, counts: values) }
        }
        return entries
    }
}

extension CountedRun {
    /// The size of the store's pages before any operation, in bytes for each thousand of its size.
    var storeBytesPerThousand: Int? { storeBytes.map { $0 * 1000 / max(size, 1) } }
}

/// Why a file is not a usable baseline.
public enum BaselineError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It is not a baseline in JSON.
    case malformed
    /// It was written by a newer version.
    case newerFormat(Int)

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .malformed: "It is not a baseline. Write a new one with --write-baseline."
        case .newerFormat(let format):
            "It has the format \(format), which is newer than this program. Use a newer build of daybook."
        }
    }
}

/// The counts of one run, and everything that they depend on.
public struct CountedRun: Sendable, Equatable {
    /// The size of the counted store, such as the number of tasks in its history; 0 without a store.
    public var size: Int
    /// The seed of the store's content.
    public var seed: UInt64
    /// The page size of the store in bytes; nil without a store.
    public var pageSize: Int?
    /// The version of LMDB; nil without a store.
    public var lmdb: String?
    /// The toolchain, as ``Toolchain/current`` names it.
    public var toolchain: String
    /// The size of the store's pages before any operation, in bytes; nil without a store.
    public var storeBytes: Int?
    /// The size of a snapshot at the default level, in bytes; nil without a store.
    public var snapshotBytes: Int?
    /// The version of zstd, which the bytes of a snapshot depend on.
    public var zstd: String
    /// The counts.
    public var counts: [ExactCounts]
    /// Whether all operations were counted.
    public var isComplete: Bool

    /// Creates a run of this program.
    public init(
        size: Int, seed: UInt64, pageSize: Int?, lmdb: String?, toolchain: String = Toolchain.current,
        storeBytes: Int?, snapshotBytes: Int?, zstd: String, counts: [ExactCounts], isComplete: Bool = true
    ) {
        self.size = size
        self.seed = seed
        self.pageSize = pageSize
        self.lmdb = lmdb
        self.toolchain = toolchain
        self.storeBytes = storeBytes
        self.snapshotBytes = snapshotBytes
        self.zstd = zstd
        self.counts = counts
        self.isComplete = isComplete
    }
}
