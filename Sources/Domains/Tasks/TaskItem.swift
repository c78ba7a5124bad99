import CivilTime
import FoundationEssentials
import Records

/// A task, with all of its fields.
///
/// The fields that the planner, the lists and the reminders will work on are stored from the first version, so that no
/// store needs a migration when they come.
public struct TaskItem: Record, Hashable {
    /// The task's identity, a UUID of version 7 when Daybook made it.
    public let id: UUID
    /// What is to be done. Never blank; kept exactly as it was typed.
    public var text: String
    /// Where the task stands.
    public internal(set) var state: TaskState = .notStarted
    /// When it was written down.
    public var createdAt: Instant
    /// When it was changed last. Never decreases, also when the wall clock does.
    public internal(set) var updatedAt: Instant
    /// When it was completed: set exactly while the state is completed.
    public internal(set) var completedAt: Instant?
    /// The zone it was completed in.
    public internal(set) var completedZone: String?
    /// That zone's offset from UTC at that moment, in seconds.
    public internal(set) var completedOffsetSeconds: Int32?
    /// The day on which it is to be done; nil puts it into the Inbox.
    public internal(set) var scheduledDate: Day?
    /// The place within its day, or within the Inbox: smaller comes first, the numbers have gaps.
    public internal(set) var position: Int64 = 0

    /// Anything more to say.
    public var notes: String?
    /// A name that tasks of a kind share.
    public var category: String?
    /// How often it was reopened after being completed; sync will need it.
    public internal(set) var completionEpoch: UInt32 = 0
    /// When it is due.
    public var dueAt: Instant?
    /// Whether it is due by the end of that day rather than at that moment.
    public var dueIsAllDay = true
    /// When to remind of it. It stays when the task is completed, and counts again when the task is reopened.
    public var reminderAt: Instant?
    /// The list it belongs to.
    public var listID: UUID?
    /// The place within its list.
    public var listOrder: Int64 = 0
    /// The part of the day it is planned into.
    public var region: TaskRegion = .backlog
    /// Its weight within that part.
    public var bucket: TaskBucket = .none
    /// The place within region and bucket.
    public var planOrder: Int64 = 0
    /// Whether the planner may carry it over to the next day.
    public var autoCarry = false
    /// Whether the planner shows it on top.
    public var isSticky = false
    /// When it is to be archived by itself.
    public var expiresAt: Instant?
    /// When it was archived: kept, but in no view.
    public var archivedAt: Instant?
    /// Whether it is a template that others are made from.
    public var isRecurring = false
    /// How it recurs, as the application that made it says.
    public var recurringPattern: String?
    /// The template it was made from.
    public var parentRecurringID: UUID?
    /// The day it was carried over from last.
    public internal(set) var carriedFromDay: Day?
    /// How often it was carried over.
    public internal(set) var carryCount: UInt32 = 0
    /// What an imported file said that Daybook has no field for, as the text of one JSON object.
    public var extra: String?

    /// Whether it is done.
    public var isCompleted: Bool { state == .completed }

    /// Whether it is being worked on.
    public var isActive: Bool { state == .active }

    /// Whether nothing was done yet.
    public var isNotStarted: Bool { state == .notStarted }
}

extension TaskItem {
    /// A task with the defaults of a new one.
    public init(id: UUID, text: String, createdAt: Instant) {
        self.init(id: id, text: text, createdAt: createdAt, updatedAt: createdAt)
    }

    /// The storage of tasks: the table, the fields, the indexes and the roll-ups.
    public static let collection = RecordCollection<TaskItem>("tasks") {
        Field(1, "text", .text)
        Field(2, "state", .cases(of: TaskState.self))
        Field(3, "createdAt", .instant)
        Field(4, "updatedAt", .instant)
        Field(5, "completedAt", .instant)
        Field(6, "completedZone", .text)
        Field(7, "completedOffsetSeconds", .integer32)
        Field(8, "scheduledDate", .day)
        Field(9, "sortOrder", .integer)
        Field(10, "notes", .text)
        Field(11, "category", .text)
        Field(12, "completionEpoch", .unsigned32)
        Field(13, "dueAt", .instant)
        Field(14, "dueIsAllDay", .booleanDefaultingToTrue)
        Field(15, "reminderAt", .instant)
        Field(16, "listID", .uuid)
        Field(17, "listOrder", .integer)
        Field(18, "region", .cases(of: TaskRegion.self))
        Field(19, "bucket", .cases(of: TaskBucket.self))
        Field(20, "planOrder", .integer)
        Field(21, "autoCarry", .boolean)
        Field(22, "isSticky", .boolean)
        Field(23, "expiresAt", .instant)
        Field(24, "archivedAt", .instant)
        Field(25, "isRecurring", .boolean)
        Field(26, "recurringPattern", .text)
        Field(27, "parentRecurringID", .uuid)
        Field(28, "carriedFromDay", .day)
        Field(29, "carryCount", .unsigned32)
        Field(30, "extra", .text)
        byDay
        byState
        byReminder
        byCompletion
        completions
    }

    /// The views: day (the Inbox first), state, position. Archived tasks are in none.
    static let byDay = Index<TaskItem, DayKey>("byDay") { task in
        guard task.archivedAt == nil else { return nil }
        return DayKey(day: task.scheduledDate, rank: task.state.rank, position: task.position)
    }

    /// State, then time of creation.
    static let byState = Index<TaskItem, StateKey>("byState") { task in
        StateKey(rank: task.state.rank, createdAt: task.createdAt)
    }

    /// When to remind of it: only of what is still to be done.
    static let byReminder = Index<TaskItem, Instant>("byReminder") { task in
        task.isCompleted || task.archivedAt != nil ? nil : task.reminderAt
    }

    /// The ledger of completions. Tombstones feed it too, so that a deleted task's completion stays counted.
    static let byCompletion = Index<TaskItem, Instant>(shared: "completions.byTime") { $0.completedAt }

    /// Completions by time.
    static let completions = RollUp("completions.counts", over: byCompletion)

    /// Reads what `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        // One expression: the record is built in place, where assignments one by one would build and copy it.
        try self.init(
            id: id,
            text: fields.string(1),
            state: Self.known(TaskState(rawValue: fields.optionalByte(2) ?? 0), 2),
            createdAt: fields.instant(3),
            updatedAt: fields.instant(4),
            completedAt: fields.optionalInstant(5),
            completedZone: fields.optionalString(6),
            completedOffsetSeconds: fields.optionalInt32(7),
            scheduledDate: fields.optionalDay(8),
            position: fields.int64(9),
            notes: fields.optionalString(10),
            category: fields.optionalString(11),
            completionEpoch: fields.optionalUInt32(12) ?? 0,
            dueAt: fields.optionalInstant(13),
            dueIsAllDay: !fields.bool(14),
            reminderAt: fields.optionalInstant(15),
            listID: fields.optionalUUID(16),
            listOrder: fields.optionalInt64(17) ?? 0,
            region: Self.known(TaskRegion(rawValue: fields.optionalByte(18) ?? 0), 18),
            bucket: Self.known(TaskBucket(rawValue: fields.optionalByte(19) ?? 0), 19),
            planOrder: fields.optionalInt64(20) ?? 0,
            autoCarry: fields.bool(21),
            isSticky: fields.bool(22),
            expiresAt: fields.optionalInstant(23),
            archivedAt: fields.optionalInstant(24),
            isRecurring: fields.bool(25),
            recurringPattern: fields.optionalString(26),
            parentRecurringID: fields.optionalUUID(27),
            carriedFromDay: fields.optionalDay(28),
            carryCount: fields.optionalUInt32(29) ?? 0,
            extra: fields.optionalString(30)
        )
    }

    /// Writes the fields that are not at their defaults.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, text)
        fields.put(2, state.rawValue.nonZero)
        fields.put(3, createdAt)
        fields.put(4, updatedAt)
        fields.put(5, completedAt)
        fields.put(6, completedZone)
        fields.put(7, completedOffsetSeconds)
        fields.put(8, scheduledDate)
        fields.put(9, position)
        fields.put(10, notes)
        fields.put(11, category)
        fields.put(12, completionEpoch.nonZero)
        fields.put(13, dueAt)
        fields.put(14, !dueIsAllDay)
        fields.put(15, reminderAt)
        fields.put(16, listID)
        fields.put(17, listOrder.nonZero)
        fields.put(18, region.rawValue.nonZero)
        fields.put(19, bucket.rawValue.nonZero)
        fields.put(20, planOrder.nonZero)
        fields.put(21, autoCarry)
        fields.put(22, isSticky)
        fields.put(23, expiresAt)
        fields.put(24, archivedAt)
        fields.put(25, isRecurring)
        fields.put(26, recurringPattern)
        fields.put(27, parentRecurringID)
        fields.put(28, carriedFromDay)
        fields.put(29, carryCount.nonZero)
        fields.put(30, extra)
    }

    /// Undo and redo count as a change: the time of last change goes on.
    public mutating func restored(replacing current: TaskItem?, at now: Instant) {
        let latest = max(updatedAt, current?.updatedAt ?? updatedAt)
        updatedAt = max(now, latest.advanced(byMicroseconds: 1))
    }

    /// What is wrong with the task in itself, without any of its content.
    public var brokenInvariants: [String] {
        var broken: [String] = []
        if isCompleted != (completedAt != nil) { broken.append("completed and time of completion disagree") }
        if text.allSatisfy(\.isWhitespace) { broken.append("the text is blank") }
        return broken
    }

    private static func known<Value>(_ value: Value?, _ field: Int) throws(RecordsError) -> Value {
        guard let value else { throw .unreadableField(number: field) }
        return value
    }
}

extension FixedWidthInteger {
    /// Nil for zero: a default is not stored.
    fileprivate var nonZero: Self? { self == 0 ? nil : self }
}
