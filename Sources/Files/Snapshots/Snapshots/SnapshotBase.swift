import CivilTime

/// The snapshot that an incremental one continues.
public struct SnapshotBase: Sendable, Equatable {
    /// Which one it is.
    public var id: SnapshotID
    /// The last change that it has.
    public var sequence: UInt64
    /// When it was made.
    public var instant: Instant
    /// What its file was called then. It may have been renamed since: the id tells.
    public var fileName: String
    /// What the store was then, by collection.
    public var collections: [SnapshotCollection]

    /// The base that a snapshot is for a later one.
    public init(_ manifest: SnapshotManifest, fileName: String) {
        id = manifest.id
        sequence = manifest.sequence
        instant = manifest.instant
        self.fileName = fileName
        collections = manifest.collections
    }

    init(
        id: SnapshotID, sequence: UInt64, instant: Instant, fileName: String, collections: [SnapshotCollection]
    ) {
        self.id = id
        self.sequence = sequence
        self.instant = instant
        self.fileName = fileName
        self.collections = collections
    }
}
