import DiskImages

/// What a program did to a folder: the content before, every change, and the content after.
struct ProgramRecording {
    /// The content before the run, which counts as durable.
    let before: FolderTree
    let inodes: [Int: Int]
    /// The events of the run.
    let events: [TraceEvent]
    /// The content after the run, as the system shows it.
    let after: FolderTree
    /// The program's exit code, or the negative number of a signal.
    let status: Int
    let microseconds: Int
    /// The largest memory that one of its processes had at its end, in bytes.
    let peakMemory: Int
    /// Why the program cannot be recorded; empty if it can.
    let refusal: String

    /// Reads a recording; nil if it was not completed.
    init?(folder: String, names: NameTable, name: String = "recording") throws(ProgramCrashError) {
        let log = try ReportFiles.bytes(of: "\(folder)/\(name).log")
        let data = try ReportFiles.bytes(of: "\(folder)/\(name).data")
        var all: [TraceEvent] = []
        for line in log.split(separator: UInt8(ascii: "\n")) {
            guard var event = TraceEvent(line: line) else { return nil }
            if event.kind == .write {
                guard event.dataStart >= 0, event.length >= 0, event.dataStart + event.length <= data.count else {
                    return nil
                }
                event.bytes = data[event.dataStart..<event.dataStart + event.length]
            }
            all.append(event)
        }
        guard all.last?.kind == .complete, let begin = all.firstIndex(where: { $0.kind == .begin }),
            let end = all.firstIndex(where: { $0.kind == .end })
        else { return nil }
        (before, inodes) = FolderTree.reading(all[..<begin], names: names)
        let first = all[begin].number
        events = all[(begin + 1)..<end].map { event in
            var event = event
            event.number -= first
            return event
        }
        let root = all.prefix { $0.kind == .root }
        (after, _) = FolderTree.reading(root + all[end...], names: names)
        status = all[end].status
        microseconds = all[end].microseconds
        peakMemory = all[end].peakMemory
        refusal =
            all.first { $0.kind == .refusal }.map {
                "\(String(decoding: $0.path, as: UTF8.self)): \(String(decoding: $0.other, as: UTF8.self))"
            } ?? ""
    }

    /// The lines that the run acknowledged.
    var acknowledgments: [[UInt8]] { events.filter { $0.kind == .acknowledgment }.map(\.other) }

    /// Why the recording does not reproduce the folder; nil if it does.
    ///
    /// A change by a process that was not traced, such as a daemon, or by a call that the recorder does not know, is found here.
    func incompleteness() -> String? {
        let disk = ProgramDisk(.killed, of: self)
        for event in events { disk.apply(event) }
        let differing = disk.cache.differences(from: after).map { String(decoding: $0, as: UTF8.self) }
        if !differing.isEmpty {
            let more = differing.count > 5 ? " and \(differing.count - 5) more" : ""
            return differing.prefix(5).joined(separator: ", ") + more
        }
        return disk.strayEvents.first.map { "\($0.words) is about an unknown file" }
    }
}
