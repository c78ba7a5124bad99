import ByteStreams
import CivilTime
import FoundationEssentials
import Records
import Tasks

/// A field of a task as files have it: all that JSON, CSV and revisions by a file need to know of it.
struct TaskField: Sendable {
    /// The key in JSON: the name in the declaration.
    let name: String
    /// The kind of its value in the declaration.
    let kind: FieldKind
    /// Writes the key and the value, unless another task has the same value.
    let write: @Sendable (ImportedTask, _ other: ImportedTask?, inout JSONWriter) -> Void
    /// Sets the value that a file has under a key.
    let read: @Sendable (inout ImportedTask, JSONValue, _ key: String) throws(RecordProblem) -> Void
    /// Appends the value as a cell of CSV.
    let appendCell: @Sendable (ImportedTask, inout [UInt8], _ isRaw: Bool) -> Void
    /// Takes the value from a file unless it is as an export of the task says.
    let revise: @Sendable (inout ImportedTask, _ file: ImportedTask, _ exported: ImportedTask) -> Void

    /// Whether JSON has the field also if it has its default value.
    var isAlwaysWritten: Bool { Self.first.contains(name) }

    /// All fields in the order of JSON and CSV: those that are always written, then in the order of the declaration, then what other
    /// records say of a task: its links and its list.
    static let all: [TaskField] = {
        let declared = TaskItem.collection.fields.map { $0.name == "position" ? "sortOrder" : $0.name }
        let front = first + ["note", "category"]
        return (front + declared.filter { !front.contains($0) } + ["blockedBy", "listName"]).compactMap { byName[$0] }
    }()

    private static let first = [
        "id", "text", "state", "createdAt", "updatedAt", "completedAt", "scheduledDate", "sortOrder",
    ]

    /// The fields that differ from what a format says of a task: all but its identity and its position.
    static let own = all.filter { !["id", "sortOrder"].contains($0.name) }

    /// The fields that a file may revise: all but the identity, the time of the last change, the position, `extra`, and what other
    /// records say.
    static let revisable = all.filter {
        !["id", "updatedAt", "sortOrder", "extra", "blockedBy", "listName"].contains($0.name)
    }

    /// The names of the fields that a line of text states if it names no list.
    static let namesBesidesList = Set(revisable.map(\.name)).union(["blockedBy", "listName"]).subtracting(["list"])

    /// Returns the field of a key, which may be one of an earlier version.
    static func named(_ key: String) -> TaskField? { byName[key] ?? formerNames[key].flatMap { byName[$0] } }

    /// The names that files of earlier versions have for some fields. Imports accept both, exports write the present ones.
    static let formerNames = [
        "notes": "note", "reminderAt": "reminderDate", "listID": "list", "parentRecurringID": "parent",
        "carriedFromDay": "carriedFrom",
    ]

    private static let byName: [String: TaskField] = {
        let fields = [
            field("id", kind: .uuid, \.task.id) { $0.task.id = $1 },
            field("text", \.task.text) { $0.task.text = $1 },
            field("state", \.task.state) { $0.task.state = $1 },
            field("createdAt", \.task.createdAt) { $0.task.createdAt = $1 },
            field("updatedAt", \.task.updatedAt) { $0.task.updatedAt = $1 },
            field("completedAt", \.task.completedAt) { $0.task.completedAt = $1 },
            field("completedZone", \.task.completedZone) { $0.task.completedZone = $1 },
            field("completedOffsetSeconds", \.task.completedOffsetSeconds) { $0.task.completedOffsetSeconds = $1 },
            field("scheduledDate", \.task.scheduledDate) { $0.task.scheduledDate = $1 },
            field("note", \.task.notes) { $0.task.notes = $1 },
            field("category", \.task.category) { $0.task.category = $1 },
            field("completionEpoch", \.task.completionEpoch) { $0.task.completionEpoch = $1 },
            field("dueAt", \.task.dueAt) { $0.task.dueAt = $1 },
            field("dueIsAllDay", \.task.dueIsAllDay) { $0.task.dueIsAllDay = $1 },
            field("reminderDate", \.task.reminderAt) { $0.task.reminderAt = $1 },
            field("list", \.task.listID) { $0.task.listID = $1 },
            field("listOrder", \.task.listOrder) { $0.task.listOrder = $1 },
            field("region", \.task.region) { $0.task.region = $1 },
            field("bucket", \.task.bucket) { $0.task.bucket = $1 },
            field("planOrder", \.task.planOrder) { $0.task.planOrder = $1 },
            field("autoCarry", \.task.autoCarry) { $0.task.autoCarry = $1 },
            field("isSticky", \.task.isSticky) { $0.task.isSticky = $1 },
            field("expiresAt", \.task.expiresAt) { $0.task.expiresAt = $1 },
            field("archivedAt", \.task.archivedAt) { $0.task.archivedAt = $1 },
            field("isRecurring", \.task.isRecurring) { $0.task.isRecurring = $1 },
            field("recurringPattern", \.task.recurringPattern) { $0.task.recurringPattern = $1 },
            field("parent", \.task.parentRecurringID) { $0.task.parentRecurringID = $1 },
            field("carriedFrom", \.task.carriedFromDay) { $0.task.carriedFromDay = $1 },
            field("carryCount", \.task.carryCount) { $0.task.carryCount = $1 },
            field("dueDay", \.task.dueDay) { $0.task.dueDay = $1 },
            field("reminderDay", \.task.reminderDay) { $0.task.reminderDay = $1 },
            field("reminderSecondsIntoDay", \.task.reminderSecondsIntoDay) { $0.task.reminderSecondsIntoDay = $1 },
            field("occurrenceDay", \.task.occurrenceDay) { $0.task.occurrenceDay = $1 },
            field("dueZone", \.task.dueZone) { $0.task.dueZone = $1 },
            field("dueSecondsIntoDay", \.task.dueSecondsIntoDay) { $0.task.dueSecondsIntoDay = $1 },
            field("expirySecondsIntoDay", \.task.expirySecondsIntoDay) { $0.task.expirySecondsIntoDay = $1 },
            field("tags", \.task.tags) { $0.task.tags = $1 },
            field("priority", \.task.priority) { $0.task.priority = $1 },
            field("waitUntil", \.task.waitUntil) { $0.task.waitUntil = $1 },
            field("parentTask", \.task.parentTaskID) { $0.task.parentTaskID = $1 },
            field("subtaskOrder", \.task.subtaskOrder) { $0.task.subtaskOrder = $1 },
            field("sortOrder", kind: .integer, \.sortOrder) { $0.sortOrder = $1 },
            field("listName", kind: .text, \.listName) { $0.listName = $1.withoutEmpty },
            extra, blockedBy,
        ]
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0) })
    }()

    private static func field<Value: TaskFieldValue>(
        _ name: String, kind: FieldKind? = nil, _ get: @escaping @Sendable (ImportedTask) -> Value,
        _ set: @escaping @Sendable (inout ImportedTask, Value) -> Void
    ) -> TaskField {
        TaskField(
            name: name, kind: kind ?? TaskItem.collection.fields.first { $0.name == name }?.kind ?? .text,
            write: { task, other, writer in
                let value = get(task)
                if let other, get(other) == value { return }
                writer.field(name, value)
            },
            read: { (task, value, key) throws(RecordProblem) in set(&task, try Value.read(value, key)) },
            appendCell: { get($0).appendCell(to: &$1, isRaw: $2) },
            revise: { task, file, exported in
                let value = get(file)
                if value != get(exported) { set(&task, value) }
            })
    }

    /// It is JSON, which no spreadsheet takes for a formula.
    private static let extra = TaskField(
        name: "extra", kind: .text,
        write: { task, other, writer in
            guard let extra = task.task.extra, extra != other?.task.extra else { return }
            writer.key("extra")
            writer.raw(extra)
        },
        read: { (task, value, _) throws(RecordProblem) in
            guard case .object(let members) = value else { throw RecordProblem("`extra` must be an object") }
            try task.addExtra(members)
        },
        appendCell: { task, bytes, _ in task.task.extra.appendCell(to: &bytes, isRaw: true) },
        revise: { _, _, _ in })

    private static let blockedBy = TaskField(
        name: "blockedBy", kind: .text,
        write: { task, other, writer in
            if task.blockedBy != other?.blockedBy { writer.field("blockedBy", task.blockedBy) }
        },
        read: { (task, value, key) throws(RecordProblem) in task.blockedBy = try value.ids(key) },
        appendCell: { task, bytes, isRaw in
            guard !task.blockedBy.isEmpty else { return }
            task.blockedBy.map(\.lowercased).joined(separator: ",").appendCell(to: &bytes, isRaw: isRaw)
        },
        revise: { _, _, _ in })
}

/// A value that a field of a task can have.
private protocol TaskFieldValue: Equatable, JSONWritable, CSVValue, SendableMetatype {
    /// Returns the value that a file has under a key.
    static func read(_ value: JSONValue, _ key: String) throws(RecordProblem) -> Self
}

extension TaskFieldValue where Self: FixedWidthInteger {
    static func read(_ value: JSONValue, _ key: String) throws(RecordProblem) -> Self { try value.integer(key) }
}

extension TaskFieldValue where Self: TaskChoice {
    static func read(_ value: JSONValue, _ key: String) throws(RecordProblem) -> Self { try value.choice(key) }
}

extension Int: TaskFieldValue {}
extension Int32: TaskFieldValue {}
extension Int64: TaskFieldValue {}
extension UInt32: TaskFieldValue {}
extension TaskState: TaskFieldValue {}
extension TaskRegion: TaskFieldValue {}
extension TaskBucket: TaskFieldValue {}
extension TaskPriority: TaskFieldValue {}

/// Tags: an array in JSON, one text with commas in CSV. A tag with a comma or a quotation mark is in quotation marks there.
extension Array: TaskFieldValue where Element == String {
    static func read(_ value: JSONValue, _ key: String) throws(RecordProblem) -> [String] {
        switch value {
        case .null: return []
        case .string(let text): return NameList.names(in: text)
        case .array(let values):
            var names: [String] = []
            for value in values { names.append(try value.text(key)) }
            return names
        default: throw RecordProblem("`\(key)` must be an array of texts")
        }
    }
}

extension String: TaskFieldValue {
    static func read(_ value: JSONValue, _ key: String) throws(RecordProblem) -> String { try value.text(key) }
}

extension Bool: TaskFieldValue {
    static func read(_ value: JSONValue, _ key: String) throws(RecordProblem) -> Bool { try value.bool(key) }
}

extension UUID: TaskFieldValue {
    static func read(_ value: JSONValue, _ key: String) throws(RecordProblem) -> UUID { try value.id(key) }
}

extension Instant: TaskFieldValue {
    static func read(_ value: JSONValue, _ key: String) throws(RecordProblem) -> Instant { try value.instant(key) }
}

extension Day: TaskFieldValue {
    static func read(_ value: JSONValue, _ key: String) throws(RecordProblem) -> Day { try value.day(key) }
}

extension Optional: TaskFieldValue where Wrapped: TaskFieldValue {
    static func read(_ value: JSONValue, _ key: String) throws(RecordProblem) -> Wrapped? {
        value == .null ? nil : try Wrapped.read(value, key)
    }
}

/// A choice as JSON has it: its name, or its number if only a newer version defines the name.
extension JSONWritable where Self: TaskChoice {
    package func write(to writer: inout JSONWriter) {
        if isUnknown { writer.int(rawValue) } else { writer.string(name) }
    }
}
