/// What a restore did.
public struct RestoreReport: Sendable, Equatable {
    /// How many records the store has, all of which were checked.
    public var records: Int
    /// The number of the last change that the snapshot had.
    public var sequence: UInt64
    /// Where the store is now that was in the place before.
    public var replaced: String?
}
