/// How much of the change log is kept. Whatever is said here, the last 64 changes stay.
public struct ChangeLogRetention: Sendable, Equatable {
    /// Bytes that the log may take.
    public var maximumBytes: Int
    /// Days after which a change is forgotten.
    public var maximumAgeInDays: Int

    /// 4 MiB and 400 days: some ten thousand changes of a task list.
    public init(maximumBytes: Int = 4 << 20, maximumAgeInDays: Int = 400) {
        self.maximumBytes = maximumBytes
        self.maximumAgeInDays = maximumAgeInDays
    }
}
