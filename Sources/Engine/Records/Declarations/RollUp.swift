import CivilTime

/// Counts of records by time, kept in the same transaction: a day of UTC and its quarters of an hour.
///
/// A count over any range costs a few small reads, however much is stored (decision D3). It is declared over an index
/// of the instants, which settles the ends that do not fall on a quarter of an hour:
///
///     static let perDay = RollUp("perDay", over: byTime)
public struct RollUp<R: Record>: Sendable {
    let name: String
    let index: Index<R, Instant>

    /// Counts the entries of an index by time. Shared between collections if the index is.
    public init(_ name: String, over index: Index<R, Instant>) {
        self.name = name
        self.index = index
    }

    /// The table that holds the counts.
    public var tableName: String { index.isShared ? name : "\(R.collection.name).\(name)" }
}
