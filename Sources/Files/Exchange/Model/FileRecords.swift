import ByteStreams
import CivilTime
import Tasks

/// The records of a file.
public struct TaskImport: Sendable, Equatable {
    /// The lists that it describes, in the order of the file.
    public var lists: [CustomList] = []
    /// The tasks, in the order of the file.
    public var tasks: [ImportedTask] = []
    /// The tombstones, in the order of the file.
    public var tombstones: [Tombstone] = []
    /// The invalid records; always empty unless they are skipped.
    public var invalid: [InvalidRecord] = []

    /// Creates an empty import.
    public init() {}

    /// The open tasks that recur by the file and not here.
    var unsupported: [UnsupportedRule] {
        tasks.enumerated().compactMap { UnsupportedRule(.task($0.element), number: $0.offset + 1) }
    }
}

/// One record of a file.
public enum TaskRecord: Sendable, Equatable {
    /// A list of tasks.
    case list(CustomList)
    /// A task.
    case task(ImportedTask)
    /// A tombstone.
    case tombstone(Tombstone)
    /// An invalid record.
    case invalid(InvalidRecord)
}

/// An invalid record of a file.
public struct InvalidRecord: Sendable, Equatable {
    /// The line on which the record starts, from 1.
    public var line: Int
    /// The reason, without the record's text.
    public var reason: String
    /// The number and the id of a record of JSON, of which many can begin in one line.
    public var place: RecordPlace?

    /// Creates a description of an invalid record.
    public init(line: Int, reason: String, place: RecordPlace? = nil) {
        self.line = line
        self.reason = reason
        self.place = place
    }
}

/// A record that is an object of a file.
protocol JSONRecord: JSONWritable {
    /// Writes the fields into an object that is open.
    func writeFields(to writer: inout JSONWriter)
}

extension JSONRecord {
    /// Writes the record as an object.
    package func write(to writer: inout JSONWriter) { writer.object { writeFields(to: &$0) } }
}

extension CustomList: JSONRecord {
    func writeFields(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("name", name)
        writer.field("color", color)
        writer.field("createdAt", createdAt)
        writer.field("updatedAt", updatedAt)
    }

    /// Reads a list from the members of an object.
    init(json members: [JSONMember]) throws(RecordProblem) {
        func required(_ key: String) throws(RecordProblem) -> JSONValue {
            guard let value = members[key] else { throw RecordProblem("`\(key)` is missing") }
            return value
        }
        let name = try required("name").text("name")
        if name.allSatisfy(\.isWhitespace) || name.utf8.count > 1 << 16 {
            throw RecordProblem("`name` must be a name of a list")
        }
        guard let color = CustomList.color(parsing: try members["color"]?.text("color") ?? CustomList.defaultColor)
        else {
            throw RecordProblem("`color` must be six hexadecimal digits")
        }
        let createdAt = try members["createdAt"]?.instant("createdAt") ?? Instant(secondsSince1970: 0)
        self.init(
            id: try required("id").id("id"), name: name, color: color, createdAt: createdAt,
            updatedAt: max(createdAt, try members["updatedAt"]?.instant("updatedAt") ?? createdAt))
        try self.createdAt.checkYear("createdAt")
        try updatedAt.checkYear("updatedAt")
    }
}

extension Tombstone: JSONRecord {
    /// Writes the fields that are known.
    func writeFields(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("deletedAt", deletedAt)
        writer.field("completedAt", completedAt, unless: nil)
        writer.field("completedZone", completedZone, unless: nil)
        writer.field("completedOffsetSeconds", completedOffsetSeconds, unless: nil)
    }

    /// Reads a tombstone from the members of an object.
    init(json members: [JSONMember]) throws(RecordProblem) {
        guard let id = members["id"] else { throw RecordProblem("`id` is missing") }
        guard let deletedAt = members["deletedAt"] else { throw RecordProblem("`deletedAt` is missing") }
        self.init(id: try id.id("id"), deletedAt: try deletedAt.instant("deletedAt"))
        completedAt = try members["completedAt"]?.optional("completedAt", JSONValue.instant)
        completedZone = try members["completedZone"]?.optional("completedZone", JSONValue.text)
        completedOffsetSeconds = try members["completedOffsetSeconds"]?.optional(
            "completedOffsetSeconds", JSONValue.integer)
        try self.deletedAt.checkYear("deletedAt")
        try completedAt?.checkYear("completedAt")
    }
}
