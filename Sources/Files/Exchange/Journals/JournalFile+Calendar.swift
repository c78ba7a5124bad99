import ByteStreams
import CivilTime
import FoundationEssentials
import Journals

extension JournalFile {
    /// The VJOURNAL components of a calendar: the summary and the description, at the time that they begin.
    init(calendar bytes: [UInt8], zone: Zone, options: JournalImportOptions) throws {
        var file = Self()
        let zones = ICalendarZones()
        var unfolder = ICalendarUnfolder()
        var properties: [ICalendarProperty]?
        var depth = 0
        var (number, first) = (0, 0)
        var problem: RecordProblem?
        func take(_ found: (ICalendarLine, RecordProblem?)?) throws {
            guard let (line, damage) = found else { return }
            let property: ICalendarProperty
            do throws(RecordProblem) {
                if let damage { throw damage }
                property = try ICalendarProperty(line)
            } catch {
                guard options.skipInvalid, properties != nil else {
                    throw FileError.invalidRecord(line: line.number, reason: error.reason)
                }
                problem = problem ?? error
                return
            }
            let component = property.value.uppercased()
            switch property.name {
            case "BEGIN":
                depth += 1
                if component == "VJOURNAL" {
                    (properties, problem, first) = ([], nil, line.number)
                    number += 1
                }
            case "END":
                depth -= 1
                guard component == "VJOURNAL", let complete = properties else { return }
                properties = nil
                let id = complete.first { $0.name == "UID" }.flatMap { UUID(uuidString: $0.value) }
                do throws(RecordProblem) {
                    if let problem { throw problem }
                    if let entry = try Self.entry(complete, zones, zone) {
                        file.add(entry, number: number, line: first, id: id)
                    } else {
                        file.skip(number, line: first, id: id, "it has no time")
                    }
                } catch {
                    try file.leaveOut(number, line: first, id: id, error, options)
                }
            default: properties?.append(property)
            }
        }
        var splitter = LineSplitter()
        try splitter.take(bytes) { (line) throws(FileError) in try Self.files { try take(unfolder.take(line)) } }
        try splitter.end { (line) throws(FileError) in try Self.files { try take(unfolder.take(line)) } }
        try take(unfolder.end())
        guard depth == 0 else {
            throw FileError.malformed(format: "iCalendar", line: 1, reason: "a component does not end")
        }
        self = file
    }

    /// Passes errors of files through where no other can be thrown.
    private static func files(_ body: () throws -> Void) throws(FileError) {
        do {
            try body()
        } catch let error as FileError {
            throw error
        } catch {
            throw .malformed(format: "iCalendar", line: 1, reason: "it cannot be read")
        }
    }

    /// Nil without a time.
    private static func entry(
        _ properties: [ICalendarProperty], _ zones: ICalendarZones, _ zone: Zone
    ) throws(RecordProblem) -> ImportedEntry? {
        func instant(_ name: String) throws(RecordProblem) -> Instant? {
            guard let property = properties.first(where: { $0.name == name }) else { return nil }
            guard let date = ICalendarDate(property.value) else { throw RecordProblem("its `\(name)` is not a time") }
            return date.instant(in: property.parameters["TZID"].flatMap(zones.zone) ?? zone)
        }
        func texts(_ name: String) -> [String] {
            properties.filter { $0.name == name }.map { ICalendarText.plain($0.value) }
        }
        var found = try instant("DTSTART")
        for name in ["CREATED", "DTSTAMP"] where found == nil { found = try instant(name) }
        guard let timestamp = found else { return nil }
        let content = (texts("SUMMARY").prefix(1) + texts("DESCRIPTION")).filter { !$0.isEmpty }.joined(
            separator: "\n\n")
        let uid = texts("UID").first ?? ""
        let id =
            UUID(uuidString: uid) ?? (uid.isEmpty ? id(timestamp, content) : UUID(derivedFrom: "journal \(uid)".utf8))
        var entry = ImportedEntry(id: id, content: content, timestamp: timestamp)
        if let modified = try instant("LAST-MODIFIED"), modified > timestamp { entry.editedAt = modified }
        return entry
    }
}
