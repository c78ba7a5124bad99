/// Writes tasks in one format, as bytes at the end of a buffer that somebody else empties.
protocol TaskLayout {
    /// Writes what comes before the first task.
    mutating func begin(_ bytes: inout [UInt8])

    /// Writes a task.
    mutating func append(_ task: TaskDocument, to bytes: inout [UInt8])

    /// Writes what comes after the last task.
    mutating func end(_ bytes: inout [UInt8])
}
