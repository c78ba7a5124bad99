/// A record that was left out of an import.
public struct InvalidRecord: Sendable, Equatable {
    /// The line on which the record starts, from 1.
    public var line: Int
    /// What is wrong with it, without its text.
    public var reason: String

    /// Creates the note about one record.
    public init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}
