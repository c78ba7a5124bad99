/// What a program does to a folder, in numbers that no machine changes.
package struct ProgramCounts: Codable, Equatable, Sendable {
    /// The calls that change the folder or flush it.
    package var calls: Int
    /// The flushes among them.
    package var flushes: Int
    /// The writes among them.
    package var writes: Int
    /// The bytes of all writes.
    package var bytes: Int
    /// The largest memory of one of its processes in bytes, which is not exact; nil in a file of an earlier version.
    package var memory: Int?

    package init(calls: Int, flushes: Int, writes: Int, bytes: Int, memory: Int? = nil) {
        (self.calls, self.flushes, self.writes, self.bytes) = (calls, flushes, writes, bytes)
        self.memory = memory
    }

    /// Records a command of the shell in a folder, which is its current folder and its `HOME`.
    ///
    /// - Parameters:
    ///   - report: a folder for the recording.
    ///   - checkpoint: throws when the work is interrupted.
    package init(
        of command: String, in folder: String, report: String, checkpoint: @escaping () throws -> Void
    ) throws {
        let tracer = ProgramTracer(folder: folder, report: report, checkpoint: checkpoint)
        let recording = try tracer.record(command, name: "counted", names: NameTable())
        if let ending = ProgramTracer.failure(recording.status) {
            throw ProgramCrashError.commandFailed(
                command: "that is measured", ending: ending,
                output: ReportFiles.firstLine(of: "\(report)/counted.errors"))
        }
        let calls = recording.events.filter(\.isCall)
        let writes = calls.filter { $0.kind == .write }
        self.init(
            calls: calls.count, flushes: calls.count(where: \.isFlush), writes: writes.count,
            bytes: writes.map(\.length).reduce(0, +), memory: recording.peakMemory)
    }

    /// The exact numbers by their names, in the order of a table.
    package var named: [(name: String, count: Int)] {
        [("calls", calls), ("flushes", flushes), ("writes", writes), ("bytes", bytes)]
    }

    /// The smaller number of each kind: some programs do more in one run than in another.
    package func lowest(with other: ProgramCounts) -> ProgramCounts {
        ProgramCounts(
            calls: min(calls, other.calls), flushes: min(flushes, other.flushes), writes: min(writes, other.writes),
            bytes: min(bytes, other.bytes), memory: [memory, other.memory].compactMap(\.self).min())
    }
}
