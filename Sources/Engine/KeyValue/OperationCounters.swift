/// How much work a transaction did, counted exactly: what benchmarks and tests hold steady (requirement S-5).
public struct OperationCounters: Sendable, Equatable {
    /// Point look-ups of a key.
    public var gets = 0
    /// Entries that a cursor stood on.
    public var cursorSteps = 0
    /// Entries written.
    public var puts = 0
    /// Entries removed.
    public var deletes = 0

    /// Nothing done yet.
    public init() {}
}
