import ByteStreams
import CivilTime
import FoundationEssentials
import Journals
import Records

/// A journal that was read from a file: of Daybook, Day One, jrnl or iCalendar.
package struct JournalFile: Sendable, Equatable {
    /// The title that the file gives it; nil for none.
    package var title: String?
    /// The entries in the order of the file.
    package var entries: [ImportedEntry] = []
    /// How many entries had no content, or no time.
    package var skipped = 0

    /// Reads a file whose format shows in its content.
    ///
    /// - Parameter zone: the zone of times without one.
    /// - Throws: `FileError`: `unknownFormat`, `malformed`, `invalidRecord`.
    package init(_ bytes: [UInt8], zone: Zone) throws {
        let text = bytes.drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF || $0 == 0x20 || (0x09...0x0D).contains($0) }
        if text.first == UInt8(ascii: "{") {
            try self.init(json: Array(text), zone: zone)
        } else if String(decoding: text.prefix(6), as: UTF8.self).uppercased() == "BEGIN:" {
            try self.init(calendar: Array(text), zone: zone)
        } else {
            guard let text = String(validating: Array(text), as: UTF8.self) else {
                throw FileError.malformed(format: "jrnl", line: 1, reason: "it is not valid UTF-8")
            }
            try self.init(jrnlText: text, zone: zone)
        }
    }

    /// Adds an entry; one without content is skipped.
    mutating func add(_ entry: ImportedEntry) {
        guard !entry.content.allSatisfy(\.isWhitespace), !entry.content.utf8.contains(0) else {
            skipped += 1
            return
        }
        entries.append(entry)
    }

    /// An id for an entry that has none in its file: the same content at the same time has the same.
    static func id(_ timestamp: Instant, _ content: String) -> UUID {
        UUID(derivedFrom: "journal \(timestamp)\n\(content)".utf8)
    }

    static func unknownFormat() -> FileError {
        .unknownFormat(
            name: nil, formats: ["Daybook JSON", "Day One JSON", "jrnl JSON", "jrnl text", "iCalendar VJOURNAL"])
    }
}

// MARK: JSON

extension JournalFile {
    private init(json bytes: [UInt8], zone: Zone) throws {
        self.init()
        var parser = JSONParser(bytes)
        let value: JSONValue
        do {
            value = try parser.value()
        } catch {
            throw FileError.malformed(format: "JSON", line: 1, reason: "it is not valid JSON")
        }
        guard case .array(let entries)? = value["entries"] else { throw Self.unknownFormat() }
        if let thread = value["thread"] { title = thread["title"]?.text }
        for (index, entry) in entries.enumerated() {
            do throws(RecordProblem) {
                if entry["timestamp"] != nil {
                    add(try Self.daybook(entry))
                } else if entry["creationDate"] != nil {
                    add(try Self.dayOne(entry))
                } else if entry["date"] != nil {
                    add(try Self.jrnl(entry, zone: zone))
                } else {
                    throw RecordProblem("it has no time")
                }
            } catch {
                throw FileError.invalidRecord(line: index + 1, reason: error.reason)
            }
        }
    }

    private init() {}

    private static func daybook(_ value: JSONValue) throws(RecordProblem) -> ImportedEntry {
        let timestamp = try instant(value, "timestamp")
        let content = value["content"]?.text ?? ""
        var entry = ImportedEntry(
            id: value["id"]?.text.flatMap { UUID(uuidString: $0) } ?? id(timestamp, content), content: content,
            timestamp: timestamp)
        if value["editedAt"]?.text != nil { entry.editedAt = try instant(value, "editedAt") }
        entry.place = value["place"]?.text.map { EntryPlace($0) }
        if case .object(let members)? = value["fields"] {
            for member in members { entry.values[member.key] = .some(member.value.text) }
        }
        return entry
    }

    /// Of Day One's entries, text, times and place. Coordinates, devices, weather and photographs are left out.
    private static func dayOne(_ value: JSONValue) throws(RecordProblem) -> ImportedEntry {
        let timestamp = try instant(value, "creationDate")
        let content = value["text"]?.text ?? ""
        var digits = Array(value["uuid"]?.text ?? "")
        if digits.count == 32 { for place in [8, 13, 18, 23] { digits.insert("-", at: place) } }
        var entry = ImportedEntry(
            id: UUID(uuidString: String(digits)) ?? id(timestamp, content), content: content, timestamp: timestamp)
        if value["modifiedDate"]?.text != nil {
            let modified = try instant(value, "modifiedDate")
            if modified > timestamp { entry.editedAt = modified }
        }
        if let place = value["location"] {
            let city = place["localityName"]?.text
            let state = place["administrativeArea"]?.text ?? place["country"]?.text
            if city != nil || state != nil { entry.place = EntryPlace(city: city, state: state) }
        }
        return entry
    }

    /// Of jrnl's entries, title and body, in a local time.
    private static func jrnl(_ value: JSONValue, zone: Zone) throws(RecordProblem) -> ImportedEntry {
        let moment = "\(value["date"]?.text ?? "") \(value["time"]?.text ?? "00:00")"
        guard let time = JournalTime(moment[...]) else { throw RecordProblem("its date and time are not valid") }
        let (title, body) = (value["title"]?.text ?? "", value["body"]?.text ?? "")
        let content = [title, body].filter { !$0.isEmpty }.joined(separator: "\n")
        let timestamp = time.instant(in: zone)
        return ImportedEntry(id: id(timestamp, content), content: content, timestamp: timestamp)
    }

    private static func instant(_ value: JSONValue, _ field: String) throws(RecordProblem) -> Instant {
        guard let text = value[field]?.text, let instant = try? Instant(text) else {
            throw RecordProblem("`\(field)` is not an instant")
        }
        return instant
    }
}

extension JSONValue {
    /// The value of a key of an object; nil for anything else.
    fileprivate subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The text of a string; nil for anything else.
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
