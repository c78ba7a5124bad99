/// How a file is imported.
public struct ImportOptions {
    /// The format; nil to tell it by the content, then by the name.
    public var format: TaskFormat?
    /// Whether records that break a rule are left out, instead of nothing being imported at all.
    public var skipInvalid = false
    /// Whether `DaybookStore.checkImport` has been through the file, so that nobody has to do it again.
    public var isChecked = false
    /// Takes each record that is left out.
    public var leftOut: (InvalidRecord) -> Void = { _ in }
    /// Is told how far it has come, a few times a second at least. What it throws ends the import between two batches:
    /// what was written stays, and the same import again completes it.
    public var progress: (FileProgress) throws -> Void = { _ in }

    /// All records or none, in the format that the content tells.
    public init() {}
}
