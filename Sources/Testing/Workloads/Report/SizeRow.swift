/// A size in bytes that has a budget: of a store on the disk, of a process in memory.
public struct SizeRow: Sendable, Equatable, Codable {
    /// A short name, and what it is, for people.
    public let name, title: String
    /// Bytes that were measured.
    public let bytes: Int
    /// Bytes that it may be at most.
    public let budget: Int

    /// A measured size.
    public init(name: String, title: String, bytes: Int, budget: Int) {
        self.name = name
        self.title = title
        self.bytes = bytes
        self.budget = budget
    }

    /// Whether the budget holds.
    public var holds: Bool { bytes <= budget }
}
