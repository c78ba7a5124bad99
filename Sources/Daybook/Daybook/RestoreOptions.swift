import Snapshots

/// How a snapshot is brought back.
public struct RestoreOptions: Sendable {
    /// Whether a store that is in the place is replaced; it is kept under another name.
    public var replacing: Bool
    /// Opens the snapshot and those that it continues, where they are encrypted.
    public var passphrase: Passphrase?
    /// Hears how far it has come; what it throws ends the work, and nothing is changed.
    public var progress: @Sendable (FileProgress) throws -> Void

    /// Into a new place, from a snapshot that is not encrypted.
    public init(
        replacing: Bool = false, passphrase: Passphrase? = nil,
        progress: @escaping @Sendable (FileProgress) throws -> Void = { _ in }
    ) {
        self.replacing = replacing
        self.passphrase = passphrase
        self.progress = progress
    }
}
