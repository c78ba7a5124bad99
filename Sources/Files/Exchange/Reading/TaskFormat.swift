import ByteStreams

/// The formats in which tasks leave and enter the store.
public enum TaskFormat: String, CaseIterable, Sendable {
    /// One object with `exportDate`, `appVersion` and `tasks`, laid out for people.
    case json
    /// Lossless: one record a line, the first line says the format's version.
    case ndjson
    /// What `task export` writes and `task import` reads.
    case taskwarrior
    /// One task a line, as todo.txt has them.
    case todotxt
    /// iCalendar: a VTODO a task (RFC 5545).
    case ics
    /// Check boxes in Markdown, with the date signs of Obsidian Tasks.
    case markdown
    /// A table for spreadsheets (RFC 4180).
    case csv

    /// What the name of a file of this format ends with.
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
    /// Tells the format of a file by its content, and where that does not say, by its name.
    ///
    /// Complexity: it reads to the first telling key, usually the first line.
    ///
    /// - Throws: ``FileError/unknownFormat(name:)``, which lists the formats.
    public static func detect(_ bytes: [UInt8], name: String? = nil) throws(FileError) -> TaskFormat {
        guard let format = byContent(bytes) ?? byLines(bytes) ?? name.flatMap(byName) else {
            throw .unknownFormat(name: name)
        }
        return format
    }

    private static func byContent(_ bytes: [UInt8]) -> TaskFormat? {
        byFirstLine(bytes) ?? byFirstKey(bytes)
    }

    /// The formats that say in their first line what they are.
    private static func byFirstLine(_ bytes: [UInt8]) -> TaskFormat? {
        let mark: [UInt8] = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [0xEF, 0xBB, 0xBF] : []
        let isLineEnd: (UInt8) -> Bool = { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        // A header of a table may have many columns; nobody's has more bytes than this.
        let start = bytes.dropFirst(mark.count).drop(while: isLineEnd)
        let line = String(decoding: start.prefix(16_384).prefix { !isLineEnd($0) }, as: UTF8.self)
        if line.uppercased().hasPrefix("BEGIN:V") { return .ics }
        return CSVHeader.recognises(line) ? .csv : nil
    }

    private static func byFirstKey(_ bytes: [UInt8]) -> TaskFormat? {
        var parser = JSONParser(bytes)
        do {
            let isArray = parser.skip(UInt8(ascii: "["))
            try parser.beginObject()
            var isFirst = true
            while let key = try parser.nextKey(isFirst: isFirst) {
                if let format = isArray ? byTaskKey(key) : byTopKey(key) { return format }
                try parser.skipValue()
                isFirst = false
            }
        } catch {
            // Not JSON, or not whole: then the name decides, and the reader says what is wrong.
        }
        return nil
    }

    private static func byTopKey(_ key: String) -> TaskFormat? {
        switch key {
        case "exportDate", "appVersion", "tasks": .json
        case "format", "collection": .ndjson
        default: byTaskKey(key) == .taskwarrior ? .taskwarrior : nil
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

extension TaskFormat {
    /// Tells the two formats that are free text by their lines: todo.txt by the first, Markdown by a box near the
    /// beginning.
    static func byLines(_ bytes: [UInt8]) -> TaskFormat? {
        var splitter = LineSplitter()
        var format: TaskFormat?
        var isFirst = true
        // Neither closure throws.
        try? splitter.take(Array(bytes.prefix(64 * 1024)) + "\n".utf8) { line in
            guard format == nil, !line.text.utf8.allSatisfy(\.isBlank) else { return }
            if isFirst, TodoTextLine(line.text).isTelling { format = .todotxt }
            if format == nil, MarkdownItem(line) != nil { format = .markdown }
            isFirst = false
        }
        return format
    }
}

extension TodoTextLine {
    /// Whether hardly anything but todo.txt has such a line: every text is one.
    fileprivate var isTelling: Bool {
        if priority != nil || isCompleted && completedOn != nil { return true }
        return createdOn != nil && (id != nil || due != nil || threshold != nil || category != nil)
    }
}

extension FileError {
    static func unknownFormat(name: String?) -> FileError {
        .unknownFormat(name: name, formats: TaskFormat.allCases.map(\.rawValue))
    }

    static func malformed(format: TaskFormat, line: Int, reason: String) -> FileError {
        .malformed(format: format.rawValue, line: line, reason: reason)
    }
}

extension RecordProblem {
    /// Attributes that have to be kept in `extra` and would not be readable from there.
    static let tooComplex = RecordProblem("attributes without a field are nested too deeply or are too many")
}
