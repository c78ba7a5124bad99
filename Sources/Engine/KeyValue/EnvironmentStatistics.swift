/// Sizes and counts of an environment, as LMDB keeps them. Read in constant time.
public struct EnvironmentStatistics: Sendable, Equatable {
    /// Address space reserved for the store, in bytes.
    public let mapSize: Int
    /// Bytes of the file that hold pages, free ones included.
    public let usedBytes: Int
    /// Bytes a page.
    public let pageSize: Int
    /// The number of the last committed transaction.
    public let lastTransaction: UInt64
    /// Reader slots in use, over all processes.
    public let readersInUse: Int
    /// Reader slots there are.
    public let readerSlots: Int
}
