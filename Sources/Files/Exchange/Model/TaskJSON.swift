import ByteStreams
import CivilTime
import FoundationEssentials
import Records
import Tasks

// A field of a task is declared in `TaskItem` and appears once in each of the three lists of this file: what is written,
// what is read, and how any field is reached by its name. A test compares all three with the declaration.

extension ImportedTask: JSONWritable {
    /// Writes the task as an object: eight fields always, the others unless they have their default value.
    package func write(to writer: inout JSONWriter) {
        writer.object { writeFields(to: &$0) }
    }

    /// Writes the fields into an open object.
    func writeFields(to writer: inout JSONWriter) {
        writer.field("id", task.id)
        writer.field("text", task.text)
        writer.field("state", JSONChoice(task.state))
        writer.field("createdAt", task.createdAt)
        writer.field("updatedAt", task.updatedAt)
        writer.field("completedAt", task.completedAt)
        writer.field("scheduledDate", task.scheduledDate)
        writer.field("sortOrder", sortOrder)
        writeOptionalFields(to: &writer, unless: Self.standard)
        writer.field("blockedBy", blockedBy, unless: [])
        writer.field("listName", listName, unless: nil)
    }

    /// Writes the task as the command line shows it: as files have it, but with `dueDate` and `reminderDate` as they were
    /// given, and with the rule as `recurrence`.
    ///
    /// - Parameter zone: The zone of whoever asks.
    package func writeShown(to writer: inout JSONWriter, in zone: Zone) {
        var rest = withShiftedExtra(in: zone)
        (rest.task.dueAt, rest.task.dueIsAllDay, rest.task.dueDay) = (nil, true, nil)
        (rest.task.reminderAt, rest.task.reminderDay, rest.task.reminderSecondsIntoDay) = (nil, nil, nil)
        let rule = task.recurrence
        if rule != nil { rest.task.recurringPattern = nil }
        writer.object { writer in
            rest.writeFields(to: &writer)
            if let rule { writer.field("recurrence", rule.rrule) }
            if let due = task.due(in: zone) { writer.field("dueDate", due.text(in: zone)) }
            switch task.reminder {
            case .at(let instant): writer.field("reminderDate", instant)
            case .time(let day, let seconds):
                writer.key("reminderDate")
                writer.object { writer in
                    writer.field("day", day)
                    writer.field("time", TimeOfDay.text(seconds))
                }
            case nil: break
            }
        }
    }

    /// Writes those of the other fields that differ from another task.
    func writeOptionalFields(to writer: inout JSONWriter, unless other: TaskItem) {
        writer.field("note", task.notes, unless: other.notes)
        writer.field("category", task.category, unless: other.category)
        writer.field("completedZone", task.completedZone, unless: other.completedZone)
        writer.field("completedOffsetSeconds", task.completedOffsetSeconds, unless: other.completedOffsetSeconds)
        writer.field("completionEpoch", task.completionEpoch, unless: other.completionEpoch)
        writer.field("dueAt", task.dueAt, unless: other.dueAt)
        writer.field("dueIsAllDay", task.dueIsAllDay, unless: other.dueIsAllDay)
        writer.field("reminderDate", task.reminderAt, unless: other.reminderAt)
        writer.field("list", task.listID, unless: other.listID)
        writer.field("listOrder", task.listOrder, unless: other.listOrder)
        writer.field("region", JSONChoice(task.region), unless: JSONChoice(other.region))
        writer.field("bucket", JSONChoice(task.bucket), unless: JSONChoice(other.bucket))
        writer.field("planOrder", task.planOrder, unless: other.planOrder)
        writer.field("autoCarry", task.autoCarry, unless: other.autoCarry)
        writer.field("isSticky", task.isSticky, unless: other.isSticky)
        writer.field("expiresAt", task.expiresAt, unless: other.expiresAt)
        writer.field("archivedAt", task.archivedAt, unless: other.archivedAt)
        writer.field("isRecurring", task.isRecurring, unless: other.isRecurring)
        writer.field("recurringPattern", task.recurringPattern, unless: other.recurringPattern)
        writer.field("parent", task.parentRecurringID, unless: other.parentRecurringID)
        writer.field("carriedFrom", task.carriedFromDay, unless: other.carriedFromDay)
        writer.field("carryCount", task.carryCount, unless: other.carryCount)
        if let extra = task.extra, extra != other.extra {
            writer.key("extra")
            writer.raw(extra)
        }
        writer.field("dueDay", task.dueDay, unless: other.dueDay)
        writer.field("reminderDay", task.reminderDay, unless: other.reminderDay)
        writer.field("reminderSecondsIntoDay", task.reminderSecondsIntoDay, unless: other.reminderSecondsIntoDay)
        writer.field("occurrenceDay", task.occurrenceDay, unless: other.occurrenceDay)
        writer.field("dueZone", task.dueZone, unless: other.dueZone)
        writer.field("dueSecondsIntoDay", task.dueSecondsIntoDay, unless: other.dueSecondsIntoDay)
        writer.field("expirySecondsIntoDay", task.expirySecondsIntoDay, unless: other.expirySecondsIntoDay)
    }

    /// Sets the field of a key; returns false if there is none of that name.
    mutating func apply(_ member: JSONMember) throws(RecordProblem) -> Bool {
        let (key, value) = (member.key, member.value)
        switch key {
        case "id": task.id = try value.id(key)
        case "text": task.text = try value.text(key)
        case "state": task.state = try value.choice(key)
        case "createdAt": task.createdAt = try value.instant(key)
        case "updatedAt": task.updatedAt = try value.instant(key)
        case "completedAt": task.completedAt = try value.optional(key, JSONValue.instant)
        case "scheduledDate": task.scheduledDate = try value.optional(key, JSONValue.day)
        case "sortOrder": sortOrder = try value.integer(key)
        case "blockedBy": blockedBy = try value.ids(key)
        case "listName": listName = try value.optional(key, JSONValue.text).withoutEmpty
        case "note", "notes": task.notes = try value.optional(key, JSONValue.text)
        case "category": task.category = try value.optional(key, JSONValue.text)
        case "completedZone": task.completedZone = try value.optional(key, JSONValue.text)
        case "completedOffsetSeconds": task.completedOffsetSeconds = try value.optional(key, JSONValue.integer)
        case "completionEpoch": task.completionEpoch = try value.integer(key)
        case "dueAt": task.dueAt = try value.optional(key, JSONValue.instant)
        case "dueIsAllDay": task.dueIsAllDay = try value.bool(key)
        case "dueDate", "recurrence": try applyShown(member)
        case "reminderDate":
            if case .object = value { try applyShown(member) } else { fallthrough }
        case "reminderAt": task.reminderAt = try value.optional(key, JSONValue.instant)
        case "list", "listID": task.listID = try value.optional(key, JSONValue.id)
        case "listOrder": task.listOrder = try value.integer(key)
        case "region": task.region = try value.choice(key)
        case "bucket": task.bucket = try value.choice(key)
        case "planOrder": task.planOrder = try value.integer(key)
        case "autoCarry": task.autoCarry = try value.bool(key)
        case "isSticky": task.isSticky = try value.bool(key)
        case "expiresAt": task.expiresAt = try value.optional(key, JSONValue.instant)
        case "archivedAt": task.archivedAt = try value.optional(key, JSONValue.instant)
        case "isRecurring": task.isRecurring = try value.bool(key)
        case "recurringPattern": task.recurringPattern = try value.optional(key, JSONValue.text)
        case "parent", "parentRecurringID": task.parentRecurringID = try value.optional(key, JSONValue.id)
        case "carriedFrom", "carriedFromDay": task.carriedFromDay = try value.optional(key, JSONValue.day)
        case "carryCount": task.carryCount = try value.integer(key)
        case "dueDay": task.dueDay = try value.optional(key, JSONValue.day)
        case "reminderDay": task.reminderDay = try value.optional(key, JSONValue.day)
        case "reminderSecondsIntoDay": task.reminderSecondsIntoDay = try value.optional(key, JSONValue.integer)
        case "occurrenceDay": task.occurrenceDay = try value.optional(key, JSONValue.day)
        case "dueZone": task.dueZone = try value.optional(key, JSONValue.text)
        case "dueSecondsIntoDay": task.dueSecondsIntoDay = try value.optional(key, JSONValue.integer)
        case "expirySecondsIntoDay": task.expirySecondsIntoDay = try value.optional(key, JSONValue.integer)
        case "extra":
            guard case .object(let members) = value else { throw RecordProblem("`extra` must be an object") }
            try addExtra(members)
        default: return false
        }
        return true
    }

    /// Sets the fields of a key as the command line shows it: each stands for several fields of a file.
    private mutating func applyShown(_ member: JSONMember) throws(RecordProblem) {
        switch (member.key, member.value) {
        case ("dueDate", .null): (task.dueAt, task.dueIsAllDay, task.dueDay) = (nil, true, nil)
        case ("dueDate", let value):
            if let day = try? value.day("dueDate") {
                (task.dueAt, task.dueIsAllDay, task.dueDay) = (nil, true, day)
            } else if let instant = try? value.instant("dueDate") {
                (task.dueAt, task.dueIsAllDay, task.dueDay) = (instant, false, nil)
            } else {
                throw RecordProblem("`dueDate` must be a day or an instant that exists")
            }
        case ("recurrence", .null): (task.isRecurring, task.recurringPattern) = (false, nil)
        case ("recurrence", let value):
            let pattern = try value.text("recurrence")
            guard (try? RecurrenceRule(rrule: pattern)) != nil else {
                throw RecordProblem("`recurrence` must be an RRULE such as FREQ=DAILY")
            }
            (task.isRecurring, task.recurringPattern) = (true, pattern)
        case ("reminderDate", .object(let members)):
            guard let day = try members["day"]?.day("reminderDate.day"),
                let seconds = TimeOfDay.seconds(try members["time"]?.text("reminderDate.time") ?? "")
            else {
                throw RecordProblem("`reminderDate` must be an instant, or have a `day` and a `time` such as 09:00")
            }
            (task.reminderAt, task.reminderDay, task.reminderSecondsIntoDay) = (nil, day, seconds)
        default: break
        }
    }

    /// The fields of a file for which a key stands, as the command line shows it.
    static func fields(shownAs key: String) -> [String] {
        switch key {
        case "dueDate": ["dueAt", "dueIsAllDay", "dueDay", "dueZone", "dueSecondsIntoDay"]
        case "recurrence": ["isRecurring", "recurringPattern"]
        case "reminderDate": ["reminderDate", "reminderDay", "reminderSecondsIntoDay"]
        case "listName": ["list"]
        default: [key]
        }
    }

    /// A task with the default value in every optional field.
    static let standard = TaskItem(
        id: ContentIdentifier.placeholder, text: "", createdAt: Instant(secondsSince1970: 0))
}

/// A time of day as JSON has it.
private enum TimeOfDay {
    /// Returns `09:00`, with seconds unless they are zero.
    static func text(_ secondsIntoDay: Int) -> String {
        let parts = [secondsIntoDay / 3600, secondsIntoDay / 60 % 60, secondsIntoDay % 60]
        return (parts[2] == 0 ? parts.prefix(2) : parts[...]).map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    /// Returns the seconds from midnight of such a text; nil if it is none.
    static func seconds(_ text: String) -> Int32? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count == 2 ? UInt8($0) : nil }.map(Int32.init)
        guard 2...3 ~= parts.count, numbers.count == parts.count, numbers[0] < 24,
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
    }
}

/// A choice as JSON has it: its name, or its number if only a newer version knows the name.
struct JSONChoice<Choice: TaskChoice>: JSONWritable, Equatable {
    let value: Choice

    init(_ value: Choice) {
        self.value = value
    }

    func write(to writer: inout JSONWriter) {
        if value.isUnknown { writer.int(value.rawValue) } else { writer.string(value.name) }
    }
}

extension JSONValue {
    /// The ids of an array, or of a text with commas, each once, ascending. Null is none.
    func ids(_ field: String) throws(RecordProblem) -> [UUID] {
        let values: [JSONValue]
        switch self {
        case .null: return []
        case .array(let elements): values = elements
        case .string(let text): values = text.split(separator: ",").map { .string(String($0)) }
        default: throw RecordProblem("`\(field)` must be an array of UUIDs")
        }
        var ids: Set<UUID> = []
        for value in values { ids.insert(try value.id(field)) }
        return ids.sorted { $0.lowercased < $1.lowercased }
    }

    /// The choice of a name, or of a number that this version does not know.
    func choice<Choice: TaskChoice>(_ field: String) throws(RecordProblem) -> Choice {
        switch self {
        case .string(let name):
            if let value = Choice(name: name) { return value }
        case .number(let digits):
            if let value = UInt8(digits).map(Choice.init(rawValue:)), value.isUnknown { return value }
        default: break
        }
        let choices = Choice.allCases.map(\.name).joined(separator: ", ")
        throw RecordProblem("`\(field)` must be one of \(choices)")
    }
}

/// A field of a task as files have it.
struct TaskField: Sendable {
    /// The key in JSON: the name in the declaration.
    let name: String
    /// The kind of its value in the declaration.
    let kind: FieldKind
    /// Appends the value as a cell of CSV.
    let appendCell: @Sendable (ImportedTask, inout [UInt8], _ isRaw: Bool) -> Void
    /// Takes the value from a file unless it is as an export of the task says.
    let revise: @Sendable (inout TaskItem, _ file: TaskItem, _ exported: TaskItem) -> Void

    /// All fields in the order of JSON and CSV: those that are always written, then in the order of the declaration.
    static let all: [TaskField] = {
        let first = [
            "id", "text", "state", "createdAt", "updatedAt", "completedAt", "scheduledDate", "sortOrder", "note",
            "category",
        ]
        let declared = TaskItem.collection.fields.map { $0.name == "position" ? "sortOrder" : $0.name }
        return (first + declared.filter { !first.contains($0) }).compactMap { byName[$0] } + beyondTask
    }()

    /// The fields that a file may revise: all but the identity, the time of the last change, the position and `extra`.
    static let revisable = all.filter { !["id", "updatedAt", "sortOrder", "extra"].contains($0.name) }

    /// The names of the fields that a line of text states if it names no list.
    static let namesBesidesList = Set(revisable.map(\.name)).subtracting(["list"])

    /// What other records say of a task: its links and its list.
    private static let beyondTask = [
        TaskField(
            name: "blockedBy", kind: .text,
            appendCell: { task, bytes, isRaw in
                guard !task.blockedBy.isEmpty else { return }
                task.blockedBy.map(\.lowercased).joined(separator: ",").appendCell(to: &bytes, isRaw: isRaw)
            }, revise: { _, _, _ in }),
        TaskField(
            name: "listName", kind: .text,
            appendCell: { $0.listName.appendCell(to: &$1, isRaw: $2) }, revise: { _, _, _ in }),
    ]

    /// The names that files of earlier versions have for some fields. Imports accept both, exports write the present ones.
    static let formerNames = [
        "notes": "note", "reminderAt": "reminderDate", "listID": "list", "parentRecurringID": "parent",
        "carriedFromDay": "carriedFrom",
    ]

    private static let byName: [String: TaskField] = {
        let fields = [
            field("id", \.id), field("text", \.text), field("state", \.state), field("createdAt", \.createdAt),
            field("updatedAt", \.updatedAt), field("completedAt", \.completedAt),
            field("completedZone", \.completedZone), field("completedOffsetSeconds", \.completedOffsetSeconds),
            field("scheduledDate", \.scheduledDate), field("note", \.notes), field("category", \.category),
            field("completionEpoch", \.completionEpoch), field("dueAt", \.dueAt),
            field("dueIsAllDay", \.dueIsAllDay), field("reminderDate", \.reminderAt), field("list", \.listID),
            field("listOrder", \.listOrder), field("region", \.region), field("bucket", \.bucket),
            field("planOrder", \.planOrder), field("autoCarry", \.autoCarry), field("isSticky", \.isSticky),
            field("expiresAt", \.expiresAt), field("archivedAt", \.archivedAt),
            field("isRecurring", \.isRecurring), field("recurringPattern", \.recurringPattern),
            field("parent", \.parentRecurringID), field("carriedFrom", \.carriedFromDay),
            field("carryCount", \.carryCount), field("extra", \.extra), field("dueDay", \.dueDay),
            field("reminderDay", \.reminderDay), field("reminderSecondsIntoDay", \.reminderSecondsIntoDay),
            field("occurrenceDay", \.occurrenceDay), field("dueZone", \.dueZone),
            field("dueSecondsIntoDay", \.dueSecondsIntoDay), field("expirySecondsIntoDay", \.expirySecondsIntoDay),
            TaskField(
                name: "sortOrder", kind: .integer, appendCell: { $0.sortOrder.appendCell(to: &$1, isRaw: $2) },
                revise: { _, _, _ in }),
        ]
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0) })
    }()

    private static func field<Value: Equatable & CSVValue & SendableMetatype>(
        _ name: String, _ path: WritableKeyPath<TaskItem, Value> & Sendable
    ) -> TaskField {
        // The id is no declared field, and `extra` is JSON, which no spreadsheet takes for a formula.
        TaskField(
            name: name, kind: TaskItem.collection.fields.first { $0.name == name }?.kind ?? .uuid,
            appendCell: { task, bytes, isRaw in
                task.task[keyPath: path].appendCell(to: &bytes, isRaw: isRaw || name == "extra")
            },
            revise: { task, file, exported in
                if file[keyPath: path] != exported[keyPath: path] { task[keyPath: path] = file[keyPath: path] }
            })
    }
}
