import ByteStreams

/// The formats of exports and imports.
public enum TaskFormat: String, CaseIterable, Sendable {
    /// One indented object with `exportDate`, `appVersion` and `tasks`.
    case json
    /// Lossless: one record on each line, after a first line with the version of the format.
    case ndjson
    /// The format of `task export` and `task import`.
    case taskwarrior
    /// todo.txt: one task on each line.
    case todotxt
    /// iCalendar: one VTODO for each task (RFC 5545).
    case ics
    /// Check boxes in Markdown, with the date symbols of Obsidian Tasks.
    case markdown
    /// A table for spreadsheets (RFC 4180).
    case csv

    /// The suffix of the name of a file of this format.
    public var fileSuffix: String {
        switch self {
        case .json: ".json"
        case .ndjson: ".ndjson"
        case .taskwarrior: ".taskwarrior.json"
        case .todotxt: ".txt"
        case .ics: ".ics"
        case .markdown: ".md"
        case .csv: ".csv"
        }
    }
}

extension TaskFormat {
    /// Detects the format of a file by its content, then by its name.
    ///
    /// - Complexity: reads to the first key that identifies a format, usually in the first line; of free text all lines.
    ///
    /// - Throws: `FileError.unknownFormat`, which lists the formats.
    public static func detect(_ bytes: [UInt8], name: String? = nil) throws(FileError) -> ImportFormat {
        try detect(beginning: bytes, name: name) { () throws(FileError) in [] }
    }

    /// Detects the format of a file by its beginning, then by its lines, then by its name.
    ///
    /// - Parameter rest: The bytes after the beginning.
    static func detect(beginning: [UInt8], name: String?, rest: ByteSource) throws(FileError) -> ImportFormat {
        if let format = byFirstLine(beginning) ?? byFirstKey(beginning) { return format }
        let named = name.flatMap(byName)
        let isOrg = name?.lowercased().hasSuffix(".org") == true
        var detector = TextFormatDetector()
        detector.take(beginning)
        // A file of another kind whose name says so need not be read to its end.
        while named == nil || named == .markdown || named == .todotxt {
            let part = try rest()
            if part.isEmpty { break }
            detector.take(part)
        }
        let found = detector.result(named: named)
        if isOrg || found == .org { return .org }
        if case .format(let format) = found { return ImportFormat(format) }
        // A name is no reason to take prose with some boxes for a list of tasks.
        guard let named, found == nil || named != .todotxt else { throw .unknownFormat(name: name) }
        return ImportFormat(named)
    }

    /// Detects the formats that are identified by their first line.
    private static func byFirstLine(_ bytes: [UInt8]) -> ImportFormat? {
        let mark: [UInt8] = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [0xEF, 0xBB, 0xBF] : []
        let isLineEnd: (UInt8) -> Bool = { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        // The length limit of a header.
        let start = bytes.dropFirst(mark.count).drop(while: isLineEnd)
        let line = String(decoding: start.prefix(16_384).prefix { !isLineEnd($0) }, as: UTF8.self)
        if line.uppercased().hasPrefix("BEGIN:V") { return .ics }
        if let table = foreignTable(start.prefix(16_384)) { return table }
        return CSVHeader.recognises(line) ? .csv : nil
    }

    /// The table of another program, by the names of the columns in one of its first rows.
    private static func foreignTable(_ beginning: ArraySlice<UInt8>) -> ImportFormat? {
        let lines = beginning.split(separator: UInt8(ascii: "\n"), maxSplits: 20).prefix(20)
        for line in lines where line.contains(UInt8(ascii: ",")) || line.contains(UInt8(ascii: ";")) {
            let cells = line.split { ",;".utf8.contains($0) }.map { cell in
                String(decoding: cell.filter { $0 != UInt8(ascii: "\"") && $0 != 0x0D }, as: UTF8.self).trimmingBlanks
            }
            let names = Set(cells)
            if TodoistTable.marks.isSubset(of: names) { return .todoist }
            if TickTickTable.marks.isSubset(of: names) { return .ticktick }
            if MicrosoftToDoTable.marks.isSubset(of: names) { return .microsoftToDo }
        }
        return nil
    }

    private static func byFirstKey(_ bytes: [UInt8]) -> ImportFormat? {
        var parser = JSONParser(bytes)
        do {
            let isArray = parser.skip(UInt8(ascii: "["))
            try parser.beginObject()
            var isFirst = true
            while let key = try parser.nextKey(isFirst: isFirst) {
                if isArray, key == "type" || key == "attributes" { return .things }
                if !isArray, key == "kind" { return .googleTasks }
                if let format = isArray ? byTaskKey(key) : byTopKey(key) { return ImportFormat(format) }
                try parser.skipValue()
                isFirst = false
            }
        } catch {
            // Not JSON, or incomplete: the name decides, and the reader reports the problem.
        }
        return nil
    }

    private static func byTopKey(_ key: String) -> TaskFormat? {
        switch key {
        case "exportDate", "appVersion", "tasks": .json
        case "format", "collection": .ndjson
        // A task alone, as `task export` and `daybook show --json` print it.
        default: byTaskKey(key)
        }
    }

    private static func byTaskKey(_ key: String) -> TaskFormat? {
        switch key {
        case "description", "entry", "modified", "status", "uuid": .taskwarrior
        case "text", "state", "createdAt", "updatedAt", "scheduledDate", "sortOrder": .json
        default: nil
        }
    }

    private static func byName(_ name: String) -> TaskFormat? {
        let name = name.lowercased()
        if name.hasSuffix(".md") || name.hasSuffix(".markdown") { return .markdown }
        if name.hasSuffix(".txt") { return .todotxt }
        if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") { return .ndjson }
        if name.hasSuffix(".taskwarrior") || name.hasSuffix(".taskwarrior.json") { return .taskwarrior }
        if name.hasSuffix(".json") { return .json }
        if name.hasSuffix(".ics") || name.hasSuffix(".ical") || name.hasSuffix(".icalendar") { return .ics }
        if name.hasSuffix(".csv") || name.hasSuffix(".tsv") { return .csv }
        return nil
    }
}

extension FileError {
    static func unknownFormat(name: String?) -> FileError {
        .unknownFormat(name: name, formats: ImportFormat.allCases.map(\.rawValue))
    }

    static func malformed(format: TaskFormat, line: Int, reason: String) -> FileError {
        .malformed(format: format.rawValue, line: line, reason: reason)
    }
}

extension RecordProblem {
    /// Attributes that have to be kept in `extra` and would not be readable from there.
    static let tooComplex = RecordProblem("attributes without a field are nested too deeply or are too many")
}
