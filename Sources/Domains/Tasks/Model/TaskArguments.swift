import CivilTime
import FoundationEssentials
import Records

/// A task to create. Only the text is required.
public struct NewTask: Sendable, Hashable {
    /// The text of the task.
    public var text: String
    /// The scheduled day; nil for the Inbox.
    public var day: Day?
    /// A longer description.
    public var notes: String?
    /// A name that related tasks share.
    public var category: String?
    /// The list; nil for none.
    public var list: UUID?
    /// When it is due.
    public var due: TaskDue?
    /// When to remind of it.
    public var reminder: TaskReminder?
    /// The rule by which it recurs, from its day on, or from that on which it is due; without either it gets the first day of
    /// the rule.
    public var recurrence: RecurrenceRule?
    /// An id from outside; nil for a new one.
    public var id: UUID?
    /// The part of the day for which it is planned. A task that is given a region or a bucket but no day gets today.
    public var region: TaskRegion?
    /// The weight within its region.
    public var bucket: TaskBucket?
    /// Whether the planner may carry it to the next day.
    public var autoCarry = false
    /// Whether the planner shows it on top.
    public var isSticky = false
    /// When it is archived automatically.
    public var expiresAt: Instant?
    /// The tags.
    public var tags: [String] = []
    /// How important it is.
    public var priority = TaskPriority.none
    /// The day before which it is in no view but that of waiting tasks.
    public var waitUntil: Day?
    /// The task that it is a part of. Unless it is given a day or a list of its own, it has those of that task.
    public var parent: UUID?

    /// Creates a description of a new task. Only the text is required; the properties describe the others.
    public init(
        _ text: String, on day: Day? = nil, notes: String? = nil, category: String? = nil, tags: [String] = [],
        priority: TaskPriority = .none, list: UUID? = nil, due: TaskDue? = nil, reminder: TaskReminder? = nil,
        recurrence: RecurrenceRule? = nil, region: TaskRegion? = nil, bucket: TaskBucket? = nil,
        autoCarry: Bool = false, isSticky: Bool = false, expiresAt: Instant? = nil, waitUntil: Day? = nil,
        parent: UUID? = nil, id: UUID? = nil
    ) {
        self.text = text
        self.day = day
        self.notes = notes
        self.category = category
        self.tags = tags
        self.priority = priority
        self.list = list
        self.due = due
        self.reminder = reminder
        self.recurrence = recurrence
        self.region = region
        self.bucket = bucket
        self.autoCarry = autoCarry
        self.isSticky = isSticky
        self.expiresAt = expiresAt
        self.waitUntil = waitUntil
        self.parent = parent
        self.id = id
    }

    /// The day that a rule of it is counted from; nil if it is neither scheduled nor due on one.
    public func anchor(in zone: Zone) -> Day? { day ?? due?.day(in: zone) }
}

/// The views of the task list. Every task that is not archived is in exactly one.
public enum TaskView: String, Sendable, CaseIterable, Hashable {
    /// Tasks without a day.
    case inbox
    /// Tasks of today, by the clock and the zone of the one who asks.
    case today
    /// Tasks of later days.
    case upcoming
    /// Tasks of earlier days.
    case past

    /// The day of a task that is created in this view.
    func defaultDay(today: Day) -> Day? {
        switch self {
        case .inbox, .past: nil
        case .today: today
        case .upcoming: today.advanced(by: 1)
        }
    }

    /// The view that shows the tasks of a day.
    static func containing(_ day: Day?, today: Day) -> TaskView {
        guard let day else { return .inbox }
        return day == today ? .today : day > today ? .upcoming : .past
    }
}

/// A day to schedule a task on.
public enum TaskDay: Sendable, Hashable {
    /// Today, by the clock and the zone when the operation runs.
    case today
    /// The next day of the calendar.
    case tomorrow
    /// The given day.
    case on(Day)
    /// No day: the Inbox.
    case inbox

    func day(today: Day) -> Day? {
        switch self {
        case .today: today
        case .tomorrow: today.advanced(by: 1)
        case .on(let day): day
        case .inbox: nil
        }
    }
}

/// A position within a task's day, or within the Inbox. An index counts the tasks of the day's view as it is shown, and is
/// limited to the group of the task's state.
public typealias TaskPlace = OrderPosition<UUID>

extension OrderPosition {
    /// The record beside which the position is; nil for one that does not depend on another record.
    var neighbor: ID? {
        switch self {
        case .before(let other), .after(let other): other
        case .first, .last, .index: nil
        }
    }
}

/// The kind of a change of tasks, as the change log names it. The names are stored and keep their meaning.
public enum TaskOperation: String, DomainOperation, CaseIterable {
    /// Several operations in one transaction.
    case several = "tasks.several"
    /// A task was created.
    case create = "tasks.create"
    /// A task changed its state.
    case changeState = "tasks.changeState"
    /// A task was scheduled on another day or moved to the Inbox.
    case schedule = "tasks.schedule"
    /// A task changed its position within its day.
    case reorder = "tasks.reorder"
    /// A task's text or details changed.
    case edit = "tasks.edit"
    /// Tasks of past days were carried to another day.
    case carry = "tasks.carry"
    /// A task was deleted.
    case delete = "tasks.delete"
    /// Tasks were imported from a file.
    case importing = "tasks.import"
    /// A task was purged.
    case purge = "tasks.purge"
    /// A task's reminder was set or removed.
    case remind = "tasks.remind"
    /// It was set or removed when a task is due.
    case due = "tasks.due"
    /// Tasks were moved to a list, or out of it.
    case move = "tasks.move"
    /// A list was created.
    case createList = "lists.create"
    /// A list has another name or color.
    case editList = "lists.edit"
    /// A list has another place among the lists.
    case reorderList = "lists.reorder"
    /// A list was deleted with its tasks.
    case deleteList = "lists.delete"
    /// A task recurs by another rule, or no longer.
    case setRecurrence = "tasks.repeat"
    /// One occurrence of a recurring task was dropped.
    case skip = "tasks.skip"
    /// A task was placed in a region or a bucket.
    case place = "tasks.place"
    /// A task became sticky, or no longer is.
    case setSticky = "tasks.setSticky"
    /// A task may be carried to the next day, or no longer.
    case setAutoCarry = "tasks.setAutoCarry"
    /// The time at which a task is archived was set or removed.
    case setExpiry = "tasks.setExpiry"
    /// Tasks of past days were carried to today by the turn of a day.
    case rollover = "tasks.rollover"
    /// Tasks were archived because they had expired.
    case expire = "tasks.expire"
    /// Tasks were taken out of the archive.
    case unarchive = "tasks.unarchive"
    /// A task was made to wait for another one, or no longer to wait for it.
    case block = "tasks.block"
    /// Tasks were given tags, or no longer have them.
    case tag = "tasks.tag"
    /// Tasks have another priority.
    case setPriority = "tasks.setPriority"
    /// Tasks are hidden until a day, or no longer.
    case wait = "tasks.wait"
    /// Tasks were made parts of another one, or no longer are.
    case setParent = "tasks.setParent"

    /// What stores of earlier versions have in place of the names.
    private static let formerNumbers: [Self: UInt8] = [
        .several: 0, .create: 1, .changeState: 2, .schedule: 3, .reorder: 4, .edit: 5, .carry: 6, .delete: 7,
        .importing: 8, .purge: 9, .remind: 10,
    ]

    /// The declarations of all of them: the undo of a move and of a change of state is offered for 3 seconds.
    static let declarations = allCases.map { operation in
        let isOffered = [.changeState, .schedule, .reorder, .place, .carry, .move].contains(operation)
        return OperationDeclaration(
            operation.rawValue, undoWindow: isOffered ? .seconds(3) : nil, formerNumber: formerNumbers[operation])
    }

    package var label: ChangeLabel { ChangeLabel(operation: rawValue, origin: origin) }

    /// On whose behalf it is done. A person's undo takes back neither a rollover nor an expiry.
    private var origin: ChangeOrigin {
        switch self {
        case .rollover: .rollover
        case .expire: .expiry
        default: .user
        }
    }
}
