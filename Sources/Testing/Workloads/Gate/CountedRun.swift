/// What was counted in one run, and everything that the counts depend on.
public struct CountedRun: Sendable, Equatable {
    /// How many tasks the generated history has.
    public var taskCount: Int
    /// The seed that the history comes from.
    public var seed: UInt64
    /// Bytes a page of the store.
    public var pageSize: Int
    /// The version of LMDB.
    public var lmdb: String
    /// What the program was built with, as ``Toolchain/current`` names it.
    public var toolchain: String
    /// Bytes of the pages of the store before any operation.
    public var storeBytes: Int
    /// Bytes of a snapshot of it, at the usual level.
    public var snapshotBytes: Int
    /// The version of zstd, which the bytes of a snapshot depend on.
    public var zstd: String
    /// What was counted.
    public var counts: [ExactCounts]
    /// Whether every operation was to be counted.
    public var isComplete: Bool

    /// A run of this program.
    public init(
        taskCount: Int, seed: UInt64, pageSize: Int, lmdb: String, toolchain: String = Toolchain.current,
        storeBytes: Int, snapshotBytes: Int, zstd: String, counts: [ExactCounts], isComplete: Bool = true
    ) {
        self.taskCount = taskCount
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
