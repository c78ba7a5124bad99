/// Entries of an index, in the order of their keys, and the record of each.
public struct RawScan: Sendable, Equatable {
    /// The table of the index.
    let index: String
    /// The table of the records; nil to read the entries only.
    let records: String?
    /// The first key.
    let start: [UInt8]
    /// The key after the last.
    let end: [UInt8]
    /// How many at most.
    let limit: Int
}
