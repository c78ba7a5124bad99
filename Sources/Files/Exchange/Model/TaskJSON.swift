import ByteStreams
import CivilTime
import FoundationEssentials
import Records
import Tasks

extension ImportedTask: JSONRecord {
    /// Writes eight fields always, the others unless they have their default value.
    func writeFields(to writer: inout JSONWriter) {
        for field in TaskField.all { field.write(self, field.isAlwaysWritten ? nil : Self.standard, &writer) }
    }

    /// Sets the field of a key; returns false if there is none of that name.
    mutating func apply(_ member: JSONMember) throws(RecordProblem) -> Bool {
        switch (member.key, member.value) {
        case ("dueDate", _), ("recurrence", _), ("reminderDate", .object): try applyShown(member)
        default:
            guard let field = TaskField.named(member.key) else { return false }
            try field.read(&self, member.value, member.key)
        }
        return true
    }

    /// Writes the task as the command line shows it: as files have it, but with `dueDate` and `reminderDate` as they were
    /// given, and with the rule as `recurrence`.
    ///
    /// - Parameters:
    ///   - zone: The zone of whoever asks.
    ///   - subtasks: How far its subtasks are; nil if it has none.
    package func writeShown(to writer: inout JSONWriter, in zone: Zone, subtasks: SubtaskProgress? = nil) {
        var rest = withShiftedExtra(in: zone)
        (rest.task.dueAt, rest.task.dueIsAllDay, rest.task.dueDay) = (nil, true, nil)
        (rest.task.reminderAt, rest.task.reminderDay, rest.task.reminderSecondsIntoDay) = (nil, nil, nil)
        rest.task.subtaskOrder = 0
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
            if let subtasks {
                writer.field("subtasks", subtasks.ids)
                writer.field("subtasksDone", subtasks.completed)
            }
        }
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
    fileprivate static let standard = ImportedTask(
        TaskItem(id: ContentIdentifier.placeholder, text: "", createdAt: Instant(secondsSince1970: 0)))
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
