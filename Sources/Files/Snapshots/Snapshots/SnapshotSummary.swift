/// A snapshot that was read from its first byte to its last and found to be right.
public struct SnapshotSummary: Sendable, Equatable {
    /// The file.
    public let path: String
    /// Its size.
    public let bytes: Int
    /// How much the keys and records in it take by themselves.
    public let uncompressedBytes: Int
    /// Whether it is encrypted.
    public let isEncrypted: Bool
    /// Whether the snapshot that it continues is in the same folder; true when it stands alone.
    public let isBasePresent: Bool
    /// What it says of itself.
    public let manifest: SnapshotManifest
}
