import CivilTime
import FoundationEssentials
import Records

/// A task, with all of its fields.
///
/// The fields of the planner, the lists and the reminders are stored since the first version, so that no store needs a
/// migration for them.
public struct TaskItem: Record, Hashable {
    /// The task's identity, a UUID of version 7 when Daybook created it.
    public package(set) var id: UUID
    /// The text of the task. Never blank; stored exactly as it was typed.
    public var text: String
    /// The state of the work.
    public package(set) var state: TaskState = .notStarted
    /// The time of creation.
    public var createdAt: Instant
    /// The time of the last change. Never decreases, even when the wall clock does.
    public package(set) var updatedAt: Instant
    /// The time of completion; present exactly while the state is completed.
    public package(set) var completedAt: Instant?
    /// The zone in which it was completed.
    public package(set) var completedZone: String?
    /// The zone's offset from UTC at that time, in seconds.
    public package(set) var completedOffsetSeconds: Int32?
    /// The scheduled day; nil for the Inbox.
    public package(set) var scheduledDate: Day?
    /// The position within its day, or within the Inbox: ascending, with gaps.
    public package(set) var position: Int64 = 0

    /// A longer description.
    public var notes: String?
    /// A name that related tasks share.
    public var category: String?
    /// The number of times it was reopened after a completion, for sync.
    public package(set) var completionEpoch: UInt32 = 0
    /// The instant at which it is due; nil if it is due by the end of a day that `dueDay` has. See `due(in:)`.
    public var dueAt: Instant?
    /// Whether it is due by the end of the day of `dueAt`, as tasks from files are, rather than at that instant.
    public var dueIsAllDay = true
    /// When to remind of it. The reminder is kept when the task is completed, and is effective again when it is reopened.
    public var reminderAt: Instant?
    /// The list to which it belongs; nil for none.
    public package(set) var listID: UUID?
    /// The position within its list, or among the tasks without a list: ascending, with gaps.
    public package(set) var listOrder: Int64 = 0
    /// The part of the day for which it is planned.
    public var region: TaskRegion = .backlog
    /// The weight within its region.
    public var bucket: TaskBucket = .none
    /// The position within region and bucket.
    public package(set) var planOrder: Int64 = 0
    /// Whether the planner may carry it to the next day.
    public var autoCarry = false
    /// Whether the planner shows it on top.
    public var isSticky = false
    /// When it is archived automatically.
    public var expiresAt: Instant?
    /// When it was archived. An archived task is kept, but is in no view.
    public var archivedAt: Instant?
    /// Whether it is the template of a recurring task.
    public var isRecurring = false
    /// How it recurs, in the notation of the application that created it.
    public var recurringPattern: String?
    /// The template that it is an instance of.
    public var parentRecurringID: UUID?
    /// The day from which it was carried last.
    public package(set) var carriedFromDay: Day?
    /// The number of times it was carried to another day.
    public package(set) var carryCount: UInt32 = 0
    /// Attributes of imported files that have no field in Daybook, as the text of one JSON object.
    public var extra: String?
    /// The day by the end of which it is due, the same in every zone.
    public package(set) var dueDay: Day?
    /// The day of a reminder that was given as a time of day; `reminderAt` is the instant that this was in the zone then.
    public package(set) var reminderDay: Day?
    /// The time of day of that reminder, in seconds from midnight.
    public package(set) var reminderSecondsIntoDay: Int32?
    /// The day of its rule that it is for; it stays when this one occurrence is moved to another day.
    public package(set) var occurrenceDay: Day?
    /// The zone whose clock the due time of a recurring task follows; nil for that of whoever completes it.
    public package(set) var dueZone: String?
    /// The time of day that is meant by `dueAt`, in seconds from midnight, where that day's clock does not have it: the next
    /// occurrence has it again.
    public package(set) var dueSecondsIntoDay: Int32?
    /// The time of day that is meant by `expiresAt`, like `dueSecondsIntoDay`.
    public package(set) var expirySecondsIntoDay: Int32?
    /// By how many days the dates in `extra` have to be moved: an occurrence has the attributes of the one before it.
    public package(set) var extraShiftDays: Int32 = 0
    /// The tags as they are stored: one a line. See `tags`.
    package var tagLines: String?
    /// How important it is.
    public var priority: TaskPriority = .none
    /// The day before which it is in no view but that of waiting tasks; nil for none. See `isWaiting(on:)`.
    public var waitUntil: Day?
    /// The task that it is a part of; nil for none. A task whose parent is not there is shown as one without a parent.
    public package(set) var parentTaskID: UUID?
    /// The position among the subtasks of its parent: ascending, with gaps.
    public package(set) var subtaskOrder: Int64 = 0

    /// Whether it is done.
    public var isCompleted: Bool { state == .completed }

    /// Whether it is in progress.
    public var isActive: Bool { state == .active }

    /// Whether work has not begun.
    public var isNotStarted: Bool { state == .notStarted }

    /// Whether it has a day, whichever; otherwise it is in the Inbox.
    public var isScheduled: Bool { scheduledDate != nil }

    /// Whether its day is today.
    public func isToday(on today: Day) -> Bool { scheduledDate == today }

    /// Whether its day is today, by the clock and the zone of a context.
    public func isToday(in context: Context) -> Bool { isToday(on: context.today) }

    /// Whether it is not completed and its day is before today.
    public func isOverdue(on today: Day) -> Bool { !isCompleted && scheduledDate.map { $0 < today } ?? false }

    /// Whether its time is over; it is not yet at that instant.
    public func isExpired(at now: Instant) -> Bool { expiresAt.map { $0 < now } ?? false }
}

extension TaskItem {
    /// Creates a task with default values.
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
        Field(9, "position", .integer)
        Field(10, "note", .text)
        Field(11, "category", .text)
        Field(12, "completionEpoch", .unsigned32)
        Field(13, "dueAt", .instant)
        Field(14, "dueIsAllDay", .booleanDefaultingToTrue)
        Field(15, "reminderDate", .instant)
        Field(16, "list", .uuid)
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
        Field(27, "parent", .uuid)
        Field(28, "carriedFrom", .day)
        Field(29, "carryCount", .unsigned32)
        Field(30, "extra", .text)
        Field(31, "dueDay", .day)
        Field(32, "reminderDay", .day)
        Field(33, "reminderSecondsIntoDay", .integer32)
        Field(34, "occurrenceDay", .day)
        Field(35, "dueZone", .text)
        Field(36, "dueSecondsIntoDay", .integer32)
        Field(37, "expirySecondsIntoDay", .integer32)
        Field(38, "extraShiftDays", .integer32)
        Field(39, "tags", .text)
        Field(40, "priority", .cases(of: TaskPriority.self))
        Field(41, "waitUntil", .day)
        Field(42, "parentTask", .uuid)
        Field(43, "subtaskOrder", .integer)
        byDay
        byState
        byCreation
        byReminder
        byPlan
        perBucket
        byCarry
        byExpiry
        byCompletion
        completions
        byList
        archivedByList
        openPerList
        byDue
        byWord
        byCategory
        perCategory
        perCarriedDay
        byDetail
    }

    /// The index of the views: day (the Inbox first), state, position. Archived tasks are in no view.
    static let byDay = Index<TaskItem, DayKey>("byDay") { task in
        guard task.archivedAt == nil else { return nil }
        return DayKey(day: task.scheduledDate, rank: task.state.rank, position: task.position)
    }

    /// The group of tasks of one state that this one is among, on its day or in the Inbox.
    var group: DayGroupPart { DayGroupPart(day: scheduledDate, rank: state.rank) }

    /// The order within a day or the Inbox. The groups of all states share their positions, so that a task whose state changes
    /// keeps its place among the others (decision D5).
    static let order = ManualOrder(byDay, \.position) { group in
        TaskState.allCases.map { DayGroupPart(day: group.day, rank: $0.rank) }
    }

    /// The index of the states, then the times of creation.
    static let byState = Index<TaskItem, StateKey>("byState") { task in
        StateKey(rank: task.state.rank, createdAt: task.createdAt)
    }

    /// The index of the times of creation, over all states and archived tasks.
    static let byCreation = Index<TaskItem, Instant>("byCreation") { $0.createdAt }

    /// The index of the reminders of tasks that are not completed.
    static let byReminder = Index<TaskItem, Instant>("byReminder") { task in
        task.isCompleted || task.archivedAt != nil ? nil : task.reminderAt
    }

    /// The index of completions. Tombstones are in it, too, so that the completion of a deleted task stays counted.
    static let byCompletion = Index<TaskItem, Instant>(shared: "completions.byTime") { $0.completedAt }

    /// Completions by time.
    static let completions = RollUp("completions.counts", over: byCompletion)

    /// Decodes the fields that `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        // One expression builds the record in place; single assignments would build and copy it.
        try self.init(
            id: id,
            text: fields.string(1),
            state: TaskState(rawValue: fields.optionalByte(2) ?? 0),
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
            region: TaskRegion(rawValue: fields.optionalByte(18) ?? 0),
            bucket: TaskBucket(rawValue: fields.optionalByte(19) ?? 0),
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
            extra: fields.optionalString(30),
            dueDay: fields.optionalDay(31),
            reminderDay: fields.optionalDay(32),
            reminderSecondsIntoDay: fields.optionalInt32(33),
            occurrenceDay: fields.optionalDay(34),
            dueZone: fields.optionalString(35),
            dueSecondsIntoDay: fields.optionalInt32(36),
            expirySecondsIntoDay: fields.optionalInt32(37),
            extraShiftDays: fields.optionalInt32(38) ?? 0,
            tagLines: fields.optionalString(39),
            priority: TaskPriority(rawValue: fields.optionalByte(40) ?? 0),
            waitUntil: fields.optionalDay(41),
            parentTaskID: fields.optionalUUID(42),
            subtaskOrder: fields.optionalInt64(43) ?? 0
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
        fields.put(31, dueDay)
        fields.put(32, reminderDay)
        fields.put(33, reminderSecondsIntoDay)
        fields.put(34, occurrenceDay)
        fields.put(35, dueZone)
        fields.put(36, dueSecondsIntoDay)
        fields.put(37, expirySecondsIntoDay)
        fields.put(38, extraShiftDays.nonZero)
        fields.put(39, tagLines)
        fields.put(40, priority.rawValue.nonZero)
        fields.put(41, waitUntil)
        fields.put(42, parentTaskID)
        fields.put(43, subtaskOrder.nonZero)
    }

    /// Undo and redo count as changes: the time of the last change increases.
    public mutating func restored(replacing current: TaskItem?, at now: Instant) {
        let latest = max(updatedAt, current?.updatedAt ?? updatedAt)
        updatedAt = max(now, latest.advanced(byMicroseconds: 1))
        // Taking a completion back reopens the task as well: within an epoch "completed" wins on every other device.
        guard let current else { return }
        let reopens = current.isCompleted && !isCompleted
        completionEpoch = max(completionEpoch, current.completionEpoch + (reopens ? 1 : 0))
    }

    /// The invariants that the task violates, without any of its content.
    public var brokenInvariants: [String] {
        var broken: [String] = []
        if !state.isUnknown, isCompleted != (completedAt != nil) {
            broken.append("completed and time of completion disagree")
        }
        if text.allSatisfy(\.isWhitespace) { broken.append("the text is blank") }
        return broken
    }
}

extension FixedWidthInteger {
    /// Nil for zero, which is the default and not stored.
    fileprivate var nonZero: Self? { self == 0 ? nil : self }
}
