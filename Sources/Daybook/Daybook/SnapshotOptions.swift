import Snapshots

/// How a snapshot is made.
public struct SnapshotOptions: Sendable {
    /// How hard zstd compresses, from 1 to 19.
    public var level: Int
    /// Whether a file that is there may be replaced.
    public var overwrite: Bool
    /// An earlier snapshot of this store: only what changed since is written, and both are needed to restore it.
    public var since: String?
    /// Encrypts the snapshot, and opens the earlier one if that is encrypted.
    public var passphrase: Passphrase?
    /// Hears how far it has come; what it throws ends the work, and nothing is left of the file.
    public var progress: @Sendable (FileProgress) throws -> Void

    /// A whole snapshot, not encrypted.
    public init(
        level: Int = 3, overwrite: Bool = false, since: String? = nil, passphrase: Passphrase? = nil,
        progress: @escaping @Sendable (FileProgress) throws -> Void = { _ in }
    ) {
        self.level = level
        self.overwrite = overwrite
        self.since = since
        self.passphrase = passphrase
        self.progress = progress
    }
}
