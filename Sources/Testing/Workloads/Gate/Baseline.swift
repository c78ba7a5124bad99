import FoundationEssentials

/// The counts that a project has agreed on, kept in a file beside the code.
///
/// A count is the same on every machine, so any difference from it is a change of the program: it fails until the file is
/// changed on purpose, in a review. The file has one value a line, so that the review can see what changed.
public struct Baseline: Sendable, Equatable, Codable {
    /// What one operation does.
    public struct Entry: Sendable, Equatable, Codable {
        /// How many runs were counted.
        public var runs: Int
        /// The sums over those runs.
        public var counts: [ExactCounts.Kind: Int]
    }

    /// The format that this program writes, and the newest that it reads.
    static let newestFormat = 1

    /// The format of this file.
    public let format: Int
    /// How many tasks the generated history has.
    public let taskCount: Int
    /// The seed that the history comes from.
    public let seed: UInt64
    /// Bytes a page of the store.
    public let pageSize: Int
    /// The version of LMDB.
    public let lmdb: String
    /// Bytes of the pages of the store before any operation, by a thousand tasks.
    public let storeBytesPerThousandTasks: Int
    /// Bytes of a snapshot of that store, by the version of zstd.
    public let snapshotBytes: [String: Int]
    /// The counts that are the same on every machine, by operation.
    public let operations: [String: Entry]
    /// The counts that are not, by the name of the toolchain and by operation.
    public let toolchains: [String: [String: Entry]]

    /// The baseline of a run. What it did not count is kept as an older one has it: other toolchains, and the other
    /// operations where only some were asked for.
    public init(_ run: CountedRun, keeping older: Baseline? = nil) {
        // Counts of another LMDB or of other pages would stand under a head that is not theirs.
        let older = older.flatMap { $0.reasonNotToCompare(run) == nil ? $0 : nil }
        format = Self.newestFormat
        taskCount = run.taskCount
        seed = run.seed
        pageSize = run.pageSize
        lmdb = run.lmdb
        storeBytesPerThousandTasks = run.storeBytesPerThousandTasks
        snapshotBytes = (older?.snapshotBytes ?? [:]).merging([run.zstd: run.snapshotBytes]) { $1 }
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

    /// Reads what `contents()` has given.
    public init(reading bytes: [UInt8]) throws(BaselineError) {
        struct Head: Decodable { let format: Int }
        let decoder = JSONDecoder()
        let data = Data(bytes)
        guard let head = try? decoder.decode(Head.self, from: data) else { throw .malformed }
        guard head.format <= Self.newestFormat else { throw .newerFormat(head.format) }
        guard let baseline = try? decoder.decode(Baseline.self, from: data) else { throw .malformed }
        self = baseline
    }

    /// The bytes of the file: the same for the same counts.
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
    /// Bytes of the pages of the store before any operation, by a thousand tasks.
    var storeBytesPerThousandTasks: Int { storeBytes * 1000 / max(taskCount, 1) }
}
