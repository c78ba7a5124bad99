/// Where the bytes of a snapshot went, by what they tell.
public struct SnapshotSizes: Sendable, Equatable {
    /// What a part of a snapshot tells.
    public enum Part: Sendable, Hashable, Comparable {
        /// Which fields the records have.
        case shapes
        /// The records' keys.
        case keys
        /// A field, by its number.
        case field(Int)
        /// Records that are no rows of fields, as they are.
        case rawRows
        /// Header, manifest, the heads of sections, footer.
        case frame
    }

    /// The bytes of each part in the file.
    public private(set) var bytes: [Part: Int] = [:]

    /// All of them.
    public var total: Int { bytes.values.reduce(0, +) }

    mutating func add(_ count: Int, to part: Part) {
        bytes[part, default: 0] += count
    }

    mutating func add(_ other: SnapshotSizes) {
        for (part, count) in other.bytes { add(count, to: part) }
    }
}
