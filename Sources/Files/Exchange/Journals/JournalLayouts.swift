import ByteStreams
import CivilTime
import FoundationEssentials
import Journals

/// A format that a thread is exported in.
public enum JournalFormat: String, Sendable, CaseIterable {
    /// A row for each entry, a column for each custom field.
    case csv
    /// One object with the thread, its fields and its entries.
    case json
    /// A heading for each entry.
    case markdown

    /// The media type of such a file.
    public var mediaType: String {
        switch self {
        case .csv: "text/csv"
        case .json: "application/json"
        case .markdown: "text/markdown"
        }
    }

    /// The suffix of such a file, with its dot.
    public var fileSuffix: String { self == .markdown ? ".md" : ".\(rawValue)" }

    /// Returns the name of the file of a thread: `ThreadJournal-<title>-<day>.csv`, with the letters and digits of the title.
    public func fileName(of thread: JournalThread, on day: Day) -> String {
        let words = thread.title.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let slug = words.isEmpty ? "thread" : words.joined(separator: "-")
        return "ThreadJournal-\(slug.prefix(60))-\(day)\(fileSuffix)"
    }
}

/// Writes a thread in one format, entry by entry.
protocol JournalLayout {
    /// What comes before the first entry of a file.
    func head() -> [UInt8]
    /// An entry.
    func entry(_ filled: FilledEntry, isFirst: Bool) -> [UInt8]
    /// What comes after the last entry.
    func tail() -> [UInt8]
}

/// The names of fields in a file, no two of which are equal: a deleted field can have the name of another one.
struct FieldNames {
    private var names: [UUID: String] = [:]

    /// - Parameters:
    ///   - fields: the fields with the names that they should have; the first ones keep them.
    ///   - limit: how many characters a name can have.
    init(_ fields: [(field: CustomField, name: String)], limit: Int = .max) {
        var taken: Set<String> = []
        for (field, name) in fields {
            var (unique, number) = (name, 1)
            while !taken.insert(unique).inserted {
                number += 1
                let mark = field.isDeleted ? "deleted\(number == 2 ? "" : " \(number - 1)")" : "\(number)"
                unique = "\(name.prefix(limit - mark.count - 3)) (\(mark))"
            }
            names[field.id] = unique
        }
    }

    subscript(field: CustomField) -> String { names[field.id] ?? field.name }
}

/// A row for each entry: time, content, time of the edit, place, then the fields.
struct JournalCSV: JournalLayout {
    private let columns: [CustomField]
    private let names: FieldNames
    /// Whether text is written as it is, even if a spreadsheet would take it for a formula.
    private let isRaw: Bool

    /// - Parameters:
    ///   - columns: the fields that have columns.
    ///   - fields: the live fields with their groups.
    init(columns: [FieldSummary], fields: [FieldSummary], isRaw: Bool) {
        self.columns = columns.map(\.field)
        names = FieldNames(columns.map { ($0.field, Self.path(of: $0, in: fields)) })
        self.isRaw = isRaw
    }

    func head() -> [UInt8] {
        var bytes = Array("Timestamp,Content,Edited At,Location".utf8)
        for column in columns {
            bytes.append(UInt8(ascii: ","))
            names[column].appendCell(to: &bytes, isRaw: isRaw)
        }
        bytes += "\r\n".utf8
        return bytes
    }

    func entry(_ filled: FilledEntry, isFirst: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        filled.entry.timestamp.appendCell(to: &bytes, isRaw: isRaw)
        bytes.append(UInt8(ascii: ","))
        filled.entry.content.appendCell(to: &bytes, isRaw: isRaw)
        bytes.append(UInt8(ascii: ","))
        filled.entry.lastEditedAt.appendCell(to: &bytes, isRaw: isRaw)
        bytes.append(UInt8(ascii: ","))
        (filled.entry.place?.description).appendCell(to: &bytes, isRaw: isRaw)
        for column in columns {
            bytes.append(UInt8(ascii: ","))
            let value = filled.values.first { $0.field.id == column.id }?.value
            value.appendCell(to: &bytes, isRaw: isRaw)
        }
        bytes += "\r\n".utf8
        return bytes
    }

    func tail() -> [UInt8] { [] }

    /// The name of a field after those of its groups.
    private static func path(of field: FieldSummary, in fields: [FieldSummary]) -> String {
        var (names, above) = ([field.field.name], field.groupID)
        while let id = above, let group = fields.first(where: { $0.field.id == id }), names.count <= fields.count {
            names.insert(group.field.name, at: 0)
            above = group.groupID
        }
        return names.joined(separator: " › ")
    }
}

/// One object: the thread, its fields, its entries in their order.
struct JournalJSON: JournalLayout {
    let thread: JournalThread
    let fields: [FieldSummary]
    let names: FieldNames

    func head() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("id", thread.id)
            writer.field("title", thread.title)
            writer.field("createdAt", thread.createdAt)
            writer.field("updatedAt", thread.updatedAt)
        }
        var list = JSONWriter()
        list.array { list in
            for summary in fields {
                list.object { list in
                    list.field("id", summary.field.id)
                    list.field("name", summary.field.name)
                    list.field("order", summary.order)
                    list.field("group", summary.groupID)
                    list.field("isGroup", summary.field.isGroup)
                }
            }
        }
        return Array("{\"thread\":".utf8) + writer.bytes + Array(",\"fields\":".utf8) + list.bytes
            + Array(",\"entries\":[".utf8)
    }

    func entry(_ filled: FilledEntry, isFirst: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("id", filled.entry.id)
            writer.field("content", filled.entry.content)
            writer.field("timestamp", filled.entry.timestamp)
            if let zone = filled.entry.zone { writer.field("zone", zone) }
            writer.field("editedAt", filled.entry.lastEditedAt)
            writer.field("place", filled.entry.place?.description)
            writer.object("fields") { writer in
                for value in filled.values { writer.field(names[value.field], value.value) }
            }
        }
        return Array((isFirst ? "\n" : ",\n").utf8) + writer.bytes
    }

    func tail() -> [UInt8] { Array("\n]}\n".utf8) }
}

/// A heading for each entry, and its content as it is, which is Markdown already or text.
struct JournalMarkdown: JournalLayout {
    let thread: JournalThread
    let zone: Zone

    func head() -> [UInt8] { Array("# \(Self.line(thread.title))\n".utf8) }

    func entry(_ filled: FilledEntry, isFirst: Bool) -> [UInt8] {
        var text = "\n## \(filled.entry.displayTime(in: filled.entry.zone.flatMap { try? Zone($0) } ?? zone))\n\n"
        if let place = filled.entry.place { text += "*\(Self.line(place.description))*\n\n" }
        text += filled.entry.content
        if text.utf8.last != UInt8(ascii: "\n") { text += "\n" }
        let values = filled.values.filter { $0.value != nil }
        if !values.isEmpty { text += "\n" }
        for value in values { text += "- \(Self.line(value.field.name)): \(Self.line(value.value ?? ""))\n" }
        return Array(text.utf8)
    }

    func tail() -> [UInt8] { [] }

    /// The text on one line.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
