/// A file in a folder of snapshots.
public struct SnapshotListing: Sendable, Equatable {
    /// What could be learned from its beginning.
    public enum State: Sendable, Equatable {
        /// Its header.
        case readable(SnapshotHeader)
        /// Why it has none.
        case unreadable(reason: String)
    }

    /// The file's name.
    public let name: String
    /// Its size.
    public let bytes: Int
    /// Whether it is a snapshot.
    public let state: State
    /// The name of the file in the same folder that it continues; nil when it is whole, or that file is not there.
    public internal(set) var base: String?

    /// Its header, if it has one.
    public var header: SnapshotHeader? {
        guard case .readable(let header) = state else { return nil }
        return header
    }
}
