import Archive
import CivilTime

/// What was read from a format can be written in it, and is the same when it is read again.
struct RoundTrip {
    let format: TaskFormat
    let zone: Zone

    /// - Throws: ``Finding`` when it is not.
    func check(_ file: TaskImport) throws {
        let written = try ImportTarget.written(file, format, zone)
        var again = try read(written)
        if Plant.active == .change, let first = again.tasks.first { again.tasks[0].text = first.text + "." }
        guard again.tasks.count == file.tasks.count, again.tombstones == file.tombstones else {
            throw Finding("count", "\(file.tasks.count) tasks are \(again.tasks.count) when they are read again")
        }
        for (first, second) in zip(file.tasks, again.tasks) {
            if let difference = difference(first, second) { throw Finding("change", difference) }
        }
    }

    private func read(_ written: [UInt8]) throws -> TaskImport {
        do {
            return try TaskReader.read(written, format: format, zone: zone)
        } catch {
            throw Finding("unreadable", "what was written is refused: \(error)")
        }
    }

    /// The fields that differ.
    private func difference(_ first: TaskDocument, _ second: TaskDocument) -> String? {
        if first == second { return nil }
        var fields: [String] = []
        for (one, other) in zip(Mirror(reflecting: first).children, Mirror(reflecting: second).children) {
            let (before, after) = ("\(one.value)", "\(other.value)")
            if before != after { fields.append("\(one.label ?? ""): \(before.debugDescription) -> \(after.debugDescription)") }
        }
        return fields.isEmpty ? nil : fields.joined(separator: "; ")
    }
}
