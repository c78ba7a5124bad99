/// How a file is exported.
public struct ExportOptions {
    /// Whether the file is compressed with zstd.
    public var isCompressed = false
    /// Whether `csv` has text as it is, also where a spreadsheet would take it for a formula.
    public var isRaw = false
    /// Is told how far it has come, after every thousand tasks. What it throws ends the export.
    public var progress: (FileProgress) throws -> Void = { _ in }

    /// A plain file.
    public init() {}
}
