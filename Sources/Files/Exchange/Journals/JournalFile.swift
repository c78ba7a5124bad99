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
    /// The entries that were left out, in the order of the file.
    package var skipped: [SkippedEntry] = []

    /// Reads a file whose format shows in its content.
    ///
    /// - Parameter zone: the zone of times without one.
    /// - Throws: `FileError`: `unknownFormat`, `malformed`; `invalidRecord` unless invalid entries are skipped.
    package init(_ bytes: [UInt8], zone: Zone, options: JournalImportOptions = JournalImportOptions()) throws {
        let text = bytes.drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF || $0 == 0x20 || (0x09...0x0D).contains($0) }
        if text.first == UInt8(ascii: "{") {
            try self.init(json: bytes, zone: zone, options: options)
        } else if String(decoding: text.prefix(6), as: UTF8.self).uppercased() == "BEGIN:" {
            try self.init(calendar: Array(text), zone: zone, options: options)
        } else {
            let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            guard let text = String(validating: bytes[mark...], as: UTF8.self) else {
                throw FileError.malformed(format: "jrnl", line: 1, reason: "it is not valid UTF-8")
            }
            try self.init(jrnlText: text, zone: zone, options: options)
        }
    }

    init() {}

    /// Adds an entry; one without text is skipped.
    ///
    /// - Parameter reason: why it has no text.
    mutating func add(
        _ entry: ImportedEntry, number: Int, line: Int, id: UUID? = nil, reason: String = "it has no text"
    ) {
        if entry.content.allSatisfy(\.isWhitespace) { return skip(number, line: line, id: id, reason) }
        if entry.content.utf8.contains(0) {
            return skip(number, line: line, id: id, "its text contains a NUL character")
        }
        entries.append(entry)
    }

    mutating func skip(_ number: Int, line: Int, id: UUID? = nil, _ reason: String) {
        skipped.append(SkippedEntry(number: number, line: line, id: id, reason: reason))
    }

    /// Skips an invalid entry if that was asked for.
    mutating func leaveOut(
        _ number: Int, line: Int, id: UUID? = nil, _ problem: RecordProblem, _ options: JournalImportOptions
    ) throws(FileError) {
        guard options.skipInvalid else { throw .invalidRecord(line: line, reason: problem.reason) }
        skip(number, line: line, id: id, problem.reason)
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
    private init(json bytes: [UInt8], zone: Zone, options: JournalImportOptions) throws {
        self.init()
        let (value, lines) = try Self.json(bytes)
        guard case .array(let entries)? = value["entries"] else { throw Self.unknownFormat() }
        if let thread = value["thread"] { title = thread["title"]?.text }
        for (index, entry) in entries.enumerated() {
            let (number, line) = (index + 1, index < lines.count ? lines[index] : 1)
            let id = (entry["id"] ?? entry["uuid"])?.text.flatMap(Self.id)
            do throws(RecordProblem) {
                if entry["timestamp"] != nil {
                    add(try Self.daybook(entry), number: number, line: line, id: id)
                } else if entry["creationDate"] != nil {
                    add(
                        try Self.dayOne(entry), number: number, line: line, id: id,
                        reason: Self.reasonWithoutText(entry))
                } else if entry["date"] != nil {
                    add(try Self.jrnl(entry, zone: zone), number: number, line: line, id: id)
                } else {
                    throw RecordProblem("it has no time")
                }
            } catch {
                let problem = RecordProblem("entry \(number)\(id.map { " (\($0.lowercased))" } ?? ""): \(error.reason)")
                try leaveOut(number, line: line, id: id, options.skipInvalid ? error : problem, options)
            }
        }
    }

    /// The value of a file, and the line on which each of its `entries` begins.
    private static func json(_ bytes: [UInt8]) throws(FileError) -> (value: JSONValue, lines: [Int]) {
        func line(_ offset: Int) -> Int { 1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") } }
        do throws(JSONParser.Failure) {
            var parser = JSONParser(bytes)
            let value = try parser.value()
            var lines: [Int] = []
            var (counted, last) = (0, 1)
            parser = JSONParser(bytes)
            try parser.beginObject()
            var isFirstKey = true
            while let key = try parser.nextKey(isFirst: isFirstKey) {
                isFirstKey = false
                guard key == "entries", parser.peek() == UInt8(ascii: "["), lines.isEmpty else {
                    try parser.skipValue()
                    continue
                }
                try parser.beginArray()
                while try parser.nextElement(isFirst: lines.isEmpty) {
                    _ = parser.peek()
                    last += bytes[counted..<parser.position].count { $0 == UInt8(ascii: "\n") }
                    counted = parser.position
                    lines.append(last)
                    try parser.skipValue()
                }
            }
            return (value, lines)
        } catch {
            throw .malformed(format: "JSON", line: line(error.offset), reason: "it is not valid JSON")
        }
    }

    /// The id of a text, also without hyphens.
    private static func id(_ text: String) -> UUID? {
        var digits = Array(text)
        if digits.count == 32 { for place in [8, 13, 18, 23] { digits.insert("-", at: place) } }
        return UUID(uuidString: String(digits))
    }

    private static func daybook(_ value: JSONValue) throws(RecordProblem) -> ImportedEntry {
        let timestamp = try instant(value, "timestamp")
        let content = value["content"]?.text ?? ""
        var entry = ImportedEntry(
            id: value["id"]?.text.flatMap { UUID(uuidString: $0) } ?? id(timestamp, content), content: content,
            timestamp: timestamp)
        if value["editedAt"]?.text != nil { entry.editedAt = try instant(value, "editedAt") }
        entry.place = value["place"]?.text.map { EntryPlace($0) }
        entry.zone = value["zone"]?.text
        if case .object(let members)? = value["fields"] {
            for member in members { entry.values[member.key] = .some(member.value.text) }
        }
        return entry
    }

    /// Of Day One's entries, text, times, zone and place; tags, the star and where the files of photographs and other media are, as
    /// custom fields. Coordinates, devices and weather are left out.
    private static func dayOne(_ value: JSONValue) throws(RecordProblem) -> ImportedEntry {
        let timestamp = try instant(value, "creationDate")
        let content = value["text"]?.text ?? ""
        var entry = ImportedEntry(
            id: value["uuid"]?.text.flatMap(id) ?? id(timestamp, content), content: content, timestamp: timestamp)
        if value["modifiedDate"]?.text != nil {
            let modified = try instant(value, "modifiedDate")
            if modified > timestamp { entry.editedAt = modified }
        }
        entry.zone = value["timeZone"]?.text.flatMap { (try? Zone($0))?.identifier }
        if case .array(let tags)? = value["tags"], !tags.isEmpty {
            entry.values["Tags"] = .some(NameList.text(of: tags.compactMap(\.text)))
        }
        if value["starred"] == .bool(true) { entry.values["Starred"] = .some("yes") }
        for (kind, name) in media where !files(of: value, kind).isEmpty {
            entry.values[name] = .some(files(of: value, kind).joined(separator: ", "))
        }
        if let place = value["location"] {
            let city = place["localityName"]?.text
            let state = place["administrativeArea"]?.text ?? place["country"]?.text
            if city != nil || state != nil { entry.place = EntryPlace(city: city, state: state) }
        }
        return entry
    }

    /// The kinds of media of Day One, with the names of the fields that say where they are.
    private static let media = [
        ("photos", "Photos"), ("videos", "Videos"), ("audios", "Audios"), ("pdfAttachments", "Attachments"),
    ]

    /// The places of the files of a kind in the archive that Day One exports: `photos/<md5>.jpeg`.
    private static func files(of value: JSONValue, _ kind: String) -> [String] {
        guard case .array(let files)? = value[kind] else { return [] }
        let folder = kind == "pdfAttachments" ? "pdfs" : kind
        return files.map { file in
            guard let sum = file["md5"]?.text else { return "\(folder)/\(file["identifier"]?.text ?? "?")" }
            return "\(folder)/\(sum)" + (file["type"]?.text.map { ".\($0)" } ?? "")
        }
    }

    /// Why an entry of Day One has no text: what it has instead is not read.
    private static func reasonWithoutText(_ value: JSONValue) -> String {
        if value["richText"]?.text?.isEmpty == false { return "it has no text, only rich text, which is not read" }
        return media.contains { !files(of: value, $0.0).isEmpty }
            ? "it has no text, only media, which are not read" : "it has no text"
    }

    /// Of jrnl's entries, title and body, in a local time.
    private static func jrnl(_ value: JSONValue, zone: Zone) throws(RecordProblem) -> ImportedEntry {
        var moment = JrnlMoment()
        let words = [value["date"]?.text ?? "", value["time"]?.text ?? "00:00"].flatMap { $0.split(separator: " ") }
        guard words.allSatisfy({ moment.take($0, isBracketed: true) }), moment.hasDate else {
            throw RecordProblem("its date and time are not valid")
        }
        let (title, body) = (value["title"]?.text ?? "", value["body"]?.text ?? "")
        let content = [title, body].filter { !$0.isEmpty }.joined(separator: "\n")
        let timestamp = try moment.instant(nil, in: zone)
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
