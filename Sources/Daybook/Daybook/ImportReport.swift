/// What an import did.
public struct ImportReport: Sendable, Equatable {
    /// Records that were written.
    public var imported = 0
    /// Records that were there already, as new or newer.
    public var unchanged = 0
    /// Records that could not be read and were left out on request.
    public var skipped = 0

    /// Nothing yet.
    public init() {}
}
