import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// A task of a file of another program while it is read: what has a field becomes that field, all else is kept.
struct ForeignTask {
    let format: ImportFormat
    let context: ReadingContext
    private(set) var document: ImportedTask
    /// What has no field, by the names of the other program.
    private var rest: [JSONMember] = []

    /// - Parameter identity: What identifies the task in every export of the other program, or its content.
    init(_ text: String, identity: String, of format: ImportFormat, in context: ReadingContext) {
        self.format = format
        self.context = context
        let time = context.now ?? Instant(secondsSince1970: 0)
        document = ImportedTask(
            id: ForeignTask.id(of: identity, in: format), text: text, createdAt: time, updatedAt: time)
        document.isUndated = true
        document.gaps.createdAt = true
    }

    /// The id of a task of another program.
    static func id(of identity: String, in format: ImportFormat) -> UUID {
        UUID(strict: identity) ?? ContentIdentifier.id(of: "\(format.rawValue)\n\(identity)")
    }

    subscript<Value>(path: WritableKeyPath<ImportedTask, Value>) -> Value {
        get { document[keyPath: path] }
        set { document[keyPath: path] = newValue }
    }

    /// Keeps a value that has no field, unless it is empty.
    mutating func keep(_ name: String, _ value: String?) {
        if let value, !value.isEmpty { keep(name, .string(value)) }
    }

    mutating func keep(_ name: String, _ value: JSONValue) {
        if value != .null { rest.append(JSONMember(key: name, value: value)) }
    }

    /// Sets the times of creation and of the last change.
    mutating func set(createdAt: Instant?, updatedAt: Instant? = nil) {
        if let createdAt {
            document.createdAt = createdAt
            document.gaps.createdAt = false
        }
        document.updatedAt = max(updatedAt ?? document.createdAt, document.createdAt)
        document.isUndated = updatedAt == nil
    }

    mutating func complete(at time: Instant?) {
        document.state = .completed
        document.completedAt = time ?? document.updatedAt
        document.gaps.completedAt = time == nil
    }

    mutating func archive() {
        document.archivedAt = document.updatedAt
        document.gaps.archivedAt = true
    }

    mutating func set(due: CivilMoment?, clock: Zone? = nil) {
        guard let due else { return }
        document.task.set(TaskDue(due), in: context.zone, clock: clock)
    }

    /// Sets the rule by which it recurs, as an RRULE.
    mutating func set(rule: String?) {
        guard let rule, !rule.isEmpty else { return }
        document.recurringPattern = rule
        guard (try? RecurrenceRule(rrule: rule)) != nil else { return }
        document.isRecurring = true
    }

    /// The finished task, or its problem.
    var result: ReadTask { ReadTask { () throws(RecordProblem) in try finished() } }

    /// Returns the task with what has no field.
    func finished() throws(RecordProblem) -> ImportedTask {
        var document = document
        if !rest.isEmpty { try document.addExtra([JSONMember(key: format.rawValue, value: .object(rest))]) }
        try document.settle()
        return document
    }
}

/// The tasks above the next one of an outline, each on a deeper level than the one before.
struct Outline {
    private var above: [(level: Int, id: UUID)] = []

    /// Returns the parent of a task on a level, which is then above those that follow.
    mutating func parent(of id: UUID, onLevel level: Int) -> UUID? {
        above.removeAll { $0.level >= level }
        defer { above.append((level, id)) }
        return above.last?.id
    }

    /// Begins again below nothing.
    mutating func end(ofLevel level: Int = 0) { above.removeAll { $0.level >= level } }
}
