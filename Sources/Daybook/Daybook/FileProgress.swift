/// How far an export or an import has come.
public struct FileProgress: Sendable, Equatable {
    /// How much is done: tasks of an export; bytes of an import, which reads its file twice as a rule.
    public var done = 0
    /// How much there is in all, where that is known.
    public var total: Int?
    /// How many records an import has brought in or found unchanged so far: with the last batch, durable.
    public var report = ImportReport()

    /// Nothing yet.
    public init() {}

    /// The done part, from 0 to 1; nil where that is not known.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(Double(done) / Double($0), 1) : 1 }
    }

    /// Nothing is done yet, or as much as is said.
    public init(done: Int = 0, total: Int? = nil) {
        self.done = done
        self.total = total
    }
}
