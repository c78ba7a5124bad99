/// What a file held.
public struct TaskImport: Sendable, Equatable {
    /// The tasks, in the order of the file.
    public var tasks: [TaskDocument] = []
    /// The tombstones, in the order of the file.
    public var tombstones: [TombstoneDocument] = []
    /// The records that were left out; always empty unless skipping was asked for.
    public var invalid: [InvalidRecord] = []

    /// Creates an import that holds nothing.
    public init() {}
}
