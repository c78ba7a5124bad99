import CivilTime
import Exchange

/// What was read from a format can be written in it, is the same when it is read again, and is then written as the same
/// bytes.
struct RoundTrip {
    let format: TaskFormat
    let zone: Zone
    /// When a task was created that does not say so.
    let now: Instant?

    /// - Throws: ``Finding`` when it is not.
    func check(_ file: TaskImport) throws {
        let written = try ImportTarget.written(file, format, zone)
        var again = try read(written)
        if Plant.active == .change, let first = again.tasks.first { again.tasks[0].text = first.text + "." }
        guard again.tasks.count == file.tasks.count, again.tombstones == file.tombstones else {
            throw Finding("count", "\(file.tasks.count) tasks are \(again.tasks.count) when they are read again")
        }
        for (first, second) in zip(file.tasks, again.tasks) {
            if let difference = difference(comparable(first), comparable(second)) {
                throw Finding("change", difference)
            }
        }
        guard try ImportTarget.written(again, format, zone) == written else {
            throw Finding("bytes", "the second export is another one")
        }
    }

    private func read(_ written: [UInt8]) throws -> TaskImport {
        do {
            return try TaskReader.read(written, format: format, zone: zone, now: now)
        } catch {
            throw Finding("unreadable", "what was written is refused: \(error)")
        }
    }

    /// A task without what Documentation/Format.md says that the format does not keep.
    private func comparable(_ task: TaskDocument) -> TaskDocument {
        var task = task
        // What is kept as the file has it gets an id, if it had none. The bytes of the second export tell the rest.
        task.extra = nil
        task.isUndated = false
        switch format {
        case .json, .ndjson, .csv: break
        case .ics: task.sortOrder = 0
        case .taskwarrior:
            task.sortOrder = 0
            // Fractions of seconds.
            for path in [\TaskDocument.createdAt, \.updatedAt] {
                task[keyPath: path] = wholeSecond(task[keyPath: path])
            }
            for path in [\TaskDocument.completedAt, \.archivedAt, \.dueAt, \.expiresAt] {
                task[keyPath: path] = task[keyPath: path].map(wholeSecond)
            }
        case .todotxt, .markdown:
            task.sortOrder = 0
            // Times of day, and which line ends there are in texts.
            for path in [\TaskDocument.createdAt, \.updatedAt] { task[keyPath: path] = startOfDay(task[keyPath: path]) }
            for path in [\TaskDocument.completedAt, \.archivedAt, \.dueAt] {
                task[keyPath: path] = task[keyPath: path].map(startOfDay)
            }
            task.text = Self.withoutBlanks(task.text)
            task.notes = task.notes.map(Self.withoutBlanks)
            // A todo.txt whose notes are nothing but line ends has notes; in Markdown nothing is below the task then.
            if format == .markdown, task.notes == "" { task.notes = nil }
        }
        return task
    }

    private static func withoutBlanks(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 > 0x20 }, as: UTF8.self)
    }

    private func startOfDay(_ instant: Instant) -> Instant { zone.start(of: zone.day(of: instant)) }

    private func wholeSecond(_ instant: Instant) -> Instant {
        let fraction = instant.microsecondsSince1970 % 1_000_000
        return Instant(
            microsecondsSince1970: instant.microsecondsSince1970 - (fraction < 0 ? fraction + 1_000_000 : fraction))
    }

    /// The fields that differ.
    private func difference(_ first: TaskDocument, _ second: TaskDocument) -> String? {
        if first == second { return nil }
        var fields: [String] = []
        for (one, other) in zip(Mirror(reflecting: first).children, Mirror(reflecting: second).children) {
            let (before, after) = ("\(one.value)".debugDescription, "\(other.value)".debugDescription)
            if before != after { fields.append("\(one.label ?? ""): \(before) -> \(after)") }
        }
        return fields.joined(separator: "; ")
    }
}
