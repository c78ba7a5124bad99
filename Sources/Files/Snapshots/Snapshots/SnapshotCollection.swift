/// What a snapshot holds of one collection.
public struct SnapshotCollection: Sendable, Equatable {
    /// The collection's name.
    public var name: String
    /// How many records it has.
    public var count: Int
    /// The sum of their hashes.
    public var digest: UInt64
}
