/// What `verify` found.
public struct VerificationReport: Sendable, Equatable {
    /// Records that were read.
    public internal(set) var records = 0
    /// Index entries that were found to belong to a record.
    public internal(set) var indexEntries = 0
    /// Rows of the change log that were read.
    public internal(set) var changes = 0
    /// What is wrong, one line each, without any content of a record.
    public internal(set) var problems: [String] = []

    /// Adds what a layer above found; its line must hold nothing of a record's content.
    public mutating func add(_ problem: String) {
        problems.append(problem)
    }

    /// Whether nothing is wrong.
    public var isClean: Bool { problems.isEmpty }
}
