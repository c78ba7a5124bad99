import ByteStreams
import CivilTime
import FoundationEssentials
import Journals

/// A local day and time as jrnl writes them: `2026-02-11 09:30`, `2026-02-11 09:30:00 AM`.
struct JournalTime {
    let day: Day
    let seconds: Int
    /// What follows the time.
    let rest: Substring

    init?(_ text: Substring) {
        let words = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].utf8.count == 10, let day = try? Day(String(words[0])) else { return nil }
        let numbers = words[1].split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= numbers.count else { return nil }
        let parts = numbers.compactMap { $0.utf8.count == 2 ? Int($0) : nil }
        guard parts.count == numbers.count, parts[0] < 24, parts[1] < 60, parts.last ?? 0 < 60 else { return nil }
        var hour = parts[0]
        var taken = words[0].count + 1 + words[1].count
        if words.count > 2, ["AM", "PM"].contains(words[2].uppercased()), 1...12 ~= hour {
            hour = hour % 12 + (words[2].uppercased() == "PM" ? 12 : 0)
            taken += 1 + words[2].count
        }
        self.day = day
        seconds = hour * 3600 + parts[1] * 60 + (parts.count == 3 ? parts[2] : 0)
        rest = text.dropFirst(taken)
    }

    func instant(in zone: Zone) -> Instant { zone.instant(day: day, secondsIntoDay: seconds) }
}

extension JournalFile {
    /// The text of jrnl: each entry begins with a line that begins with its time, in brackets or not.
    init(jrnlText text: String, zone: Zone) throws {
        var current: (time: JournalTime, lines: [Substring])?
        var file = Self(entries: [])
        func finish() {
            guard let (time, found) = current else { return }
            var lines = found
            while lines.last?.allSatisfy(\.isWhitespace) ?? false { lines.removeLast() }
            let content = lines.joined(separator: "\n")
            let timestamp = time.instant(in: zone)
            file.add(ImportedEntry(id: Self.id(timestamp, content), content: content, timestamp: timestamp))
        }
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if let (time, first) = Self.beginning(of: line) {
                finish()
                current = (time, [first])
            } else if current != nil {
                current?.lines.append(line)
            } else if !line.allSatisfy(\.isWhitespace) {
                throw Self.unknownFormat()
            }
        }
        finish()
        guard current != nil else { throw Self.unknownFormat() }
        self = file
    }

    private init(entries: [ImportedEntry]) {
        self.entries = entries
    }

    /// The time at the beginning of a line and what follows it; nil for a line of text.
    private static func beginning(of line: Substring) -> (JournalTime, Substring)? {
        if line.first == "[", let end = line.firstIndex(of: "]") {
            let inside = line[line.index(after: line.startIndex)..<end]
            guard let time = JournalTime(inside), time.rest.isEmpty else { return nil }
            return (time, line[line.index(after: end)...].drop { $0 == " " })
        }
        guard let time = JournalTime(line), time.rest.isEmpty || time.rest.first == " " else { return nil }
        return (time, time.rest.drop { $0 == " " })
    }
}

// MARK: iCalendar

extension JournalFile {
    /// The VJOURNAL components of a calendar: the summary and the description, at the time that they begin.
    init(calendar bytes: [UInt8], zone: Zone) throws {
        var file = Self(entries: [])
        let zones = ICalendarZones()
        var unfolder = ICalendarUnfolder()
        var properties: [ICalendarProperty]?
        var depth = 0
        func take(_ found: (ICalendarLine, RecordProblem?)?) throws {
            guard let (line, problem) = found else { return }
            if let problem { throw FileError.invalidRecord(line: line.number, reason: problem.reason) }
            let property: ICalendarProperty
            do throws(RecordProblem) {
                property = try ICalendarProperty(line)
            } catch {
                throw FileError.invalidRecord(line: line.number, reason: error.reason)
            }
            let component = property.value.uppercased()
            switch property.name {
            case "BEGIN":
                depth += 1
                if component == "VJOURNAL" { properties = [] }
            case "END":
                depth -= 1
                guard component == "VJOURNAL", let complete = properties else { return }
                properties = nil
                if let entry = Self.entry(complete, zones, zone) { file.add(entry) } else { file.skipped += 1 }
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
    ) -> ImportedEntry? {
        func instant(_ name: String) -> Instant? {
            guard let property = properties.first(where: { $0.name == name }), let date = ICalendarDate(property.value)
            else { return nil }
            return date.instant(in: property.parameters["TZID"].flatMap(zones.zone) ?? zone)
        }
        func texts(_ name: String) -> [String] {
            properties.filter { $0.name == name }.map { ICalendarText.plain($0.value) }
        }
        guard let timestamp = instant("DTSTART") ?? instant("CREATED") ?? instant("DTSTAMP") else { return nil }
        let content = (texts("SUMMARY").prefix(1) + texts("DESCRIPTION")).filter { !$0.isEmpty }.joined(
            separator: "\n\n")
        let uid = texts("UID").first ?? ""
        let id =
            UUID(uuidString: uid) ?? (uid.isEmpty ? id(timestamp, content) : UUID(derivedFrom: "journal \(uid)".utf8))
        var entry = ImportedEntry(id: id, content: content, timestamp: timestamp)
        if let modified = instant("LAST-MODIFIED"), modified > timestamp { entry.editedAt = modified }
        return entry
    }
}
