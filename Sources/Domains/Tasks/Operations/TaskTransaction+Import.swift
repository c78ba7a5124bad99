import CivilTime
import FoundationEssentials
import Records

/// A task as a file describes it, and what the file leaves open. The fields of the task are its own.
@dynamicMemberLookup
public struct ImportedTask: Sendable, Equatable {
    /// The task. Its `position` is 0: files have a `sortOrder`.
    public var task: TaskItem
    /// The position within its day or the Inbox that the file gives it, from 0.
    public var sortOrder = 0
    /// The ids of the tasks that it waits for, ascending where Daybook states them.
    public var blockedBy: [UUID] = []
    /// The name of its list, for a store that does not have that list.
    public var listName: String?
    /// The number of records before it in the file: decides between equal positions.
    package var number = 0
    /// Whether the file does not say when the task was changed last. Whether it is newer than the stored one is decided by
    /// its content then.
    package var isUndated = false
    /// What else the file leaves open.
    package var gaps = Gaps()

    /// What a file leaves open about a task.
    package struct Gaps: Sendable, Equatable {
        /// Whether the file has no id for it: the id is computed from the content, so that other content has another id.
        package var id = false
        /// Whether another time stands for the time of creation.
        package var createdAt = false
        /// Whether another time stands for the time of completion.
        package var completedAt = false
        /// Whether another time stands for the time of archiving.
        package var archivedAt = false
        /// The names of the fields that the file states, if it need not state all; the others were not edited.
        package var given: Set<String>?
        /// Whether the order of the file stands for the task's place among the parts of its parent.
        package var subtaskOrder = false
        /// The links that its file states by names.
        package var links = Links()

        package init() {}
    }

    /// Links of a task as a file of text states them: by UUIDs, and by names that mean something within the file alone.
    package struct Links: Sendable, Equatable {
        /// The name that the file has for the task beside its id.
        package var label: String?
        /// The names of tasks that it waits for, beside `blockedBy`.
        package var blockers: [String] = []
        /// The names and the ids of tasks that wait for it.
        package var blocked: [String] = []
        /// The name of the task that it is a part of, beside `parentTaskID`.
        package var parent: String?
        /// The names and the ids of tasks that are parts of it.
        package var parts: [String] = []

        package init() {}
    }

    /// Creates a record of a stored task.
    public init(_ task: TaskItem, sortOrder: Int = 0, blockedBy: [UUID] = [], listName: String? = nil) {
        self.task = task
        self.task.position = 0
        self.sortOrder = sortOrder
        self.blockedBy = blockedBy
        self.listName = listName
    }

    /// Creates a task with the default value in every field that is not given.
    public init(
        id: UUID, text: String, state: TaskState = .notStarted, createdAt: Instant, updatedAt: Instant,
        completedAt: Instant? = nil, scheduledDate: Day? = nil, sortOrder: Int = 0
    ) {
        task = TaskItem(id: id, text: text, createdAt: createdAt)
        task.updatedAt = updatedAt
        task.state = state
        task.completedAt = completedAt
        task.scheduledDate = scheduledDate
        self.sortOrder = sortOrder
    }

    /// The value of a field of the task.
    @inlinable
    public subscript<Value>(dynamicMember path: WritableKeyPath<TaskItem, Value>) -> Value {
        get { task[keyPath: path] }
        set { task[keyPath: path] = newValue }
    }

    /// The task with the rules that hold between its fields in the store.
    var consistent: ImportedTask {
        var result = self
        result.task.updatedAt = max(task.createdAt, task.updatedAt)
        if task.state == .completed {
            result.task.completedAt = task.completedAt ?? result.task.updatedAt
        } else if !task.state.isUnknown {
            result.task.completedAt = nil
            result.task.completedZone = nil
            result.task.completedOffsetSeconds = nil
        }
        if task.parentTaskID != nil, gaps.subtaskOrder {
            result.task.subtaskOrder = Int64(min(number, 1 << 28) + 1) * TaskItem.subtaskGap
        }
        return result
    }
}

/// What an import does with a record of a file.
package enum ImportVerdict: Sendable {
    /// Keep what is stored: it is as new or newer, or was deleted later.
    case keepExisting
    /// Replace this task.
    case replaces(TaskItem)
    /// Restore a deleted task that was changed after its deletion.
    case comesBack
    /// Create a record.
    case isNew
}

extension TaskReading {
    /// Returns what an import does with a task: of two versions the newer is kept. Cost: one or two look-ups.
    package func verdict(on imported: ImportedTask) throws -> ImportVerdict {
        let (id, updatedAt) = (imported.id, max(imported.createdAt, imported.updatedAt))
        if let stored = try get(id) { return stored.updatedAt < updatedAt ? .replaces(stored) : .keepExisting }
        guard let tombstone = try tombstone(of: id) else { return .isNew }
        return tombstone.deletedAt < updatedAt ? .comesBack : .keepExisting
    }

    /// Returns what an import does with a tombstone: it deletes a task that was not changed after it.
    package func verdict(on tombstone: Tombstone) throws -> ImportVerdict {
        guard try self.tombstone(of: tombstone.id) == nil else { return .keepExisting }
        guard let stored = try get(tombstone.id) else { return .isNew }
        return stored.updatedAt <= tombstone.deletedAt ? .replaces(stored) : .keepExisting
    }

    /// Returns the tombstone of a deleted task; nil if no task of this id was deleted.
    public func tombstone(of id: UUID) throws -> Tombstone? { try transaction[Tombstone.self].get(id) }
}

/// The positions of imported tasks that are new to their day: after those that the day had when the import reached it, in
/// the order of the file's `sortOrder`, then in the order of the file. They do not depend on the batch in which a task is
/// written, so nothing has to be collected and sorted.
package struct ImportPlaces: Sendable {
    /// The highest `sortOrder`; higher ones count as this.
    private static let orderLimit: Int64 = 1 << 29
    private static let gap = ManualOrder<TaskItem, DayKey>.gap
    /// The gap between two tasks of the same `sortOrder`; beyond `tieLimit` records of a file, ids decide.
    private static let tieGap: Int64 = 1 << 9
    private static let tieLimit: Int64 = 1 << 23
    /// The highest position; it leaves room for 2^30 more tasks.
    private static let limit: Int64 = 1 << 62

    /// The last position of each day before the import.
    private var ends: [Day?: Int64] = [:]

    package init() {}

    /// Returns the position of a task that is new to its day. Cost: three steps for the first task of a day.
    mutating func position(of imported: ImportedTask, in transaction: ReadTransaction) throws -> Int64 {
        let end: Int64
        if let known = ends[imported.scheduledDate] {
            end = known
        } else {
            end = try transaction[TaskItem.order].last(in: imported.task.group) - Self.gap
            ends[imported.scheduledDate] = end
        }
        return Self.position(of: imported, after: end)
    }

    /// Returns the position of a task in a store that had no others.
    static func positionInEmptyStore(of imported: ImportedTask) -> Int64 {
        position(of: imported, after: -gap)
    }

    private static func position(of imported: ImportedTask, after end: Int64) -> Int64 {
        let order = min(max(Int64(imported.sortOrder), 0), orderLimit)
        let tie = min(Int64(imported.number), tieLimit) * tieGap
        if end >= limit { return end + gap }
        return min(end + (order + 1) * gap + tie, limit)
    }
}

extension TaskTransaction {
    /// Writes a task as a file describes it, also on a day in the past; the newer of two versions is kept. A task that is new
    /// to its day comes last there.
    ///
    /// - Returns: Whether anything was written.
    @discardableResult
    package func merge(_ imported: ImportedTask) throws -> Bool {
        var places = ImportPlaces()
        return try merge(imported, in: &places)
    }

    /// Writes one of many tasks: those that are new to their day are ordered by their `sortOrder`.
    package func merge(_ imported: ImportedTask, in places: inout ImportPlaces) throws -> Bool {
        try check(imported.task.text)
        let imported = imported.consistent
        var task = imported.task
        if let list = task.listID { task.listID = try provideList(list, named: imported.listName) }
        if let day = task.reminderDay, let seconds = task.reminderSecondsIntoDay, task.reminderAt == nil {
            task.set(.time(day, secondsIntoDay: Int(seconds)), in: transaction.context.zone)
        }
        let verdict = try reading.verdict(on: imported)
        if imported.gaps.subtaskOrder, case .replaces(let stored) = verdict, stored.parentTaskID == task.parentTaskID {
            task.subtaskOrder = stored.subtaskOrder
        }
        switch verdict {
        case .keepExisting: return false
        case .replaces(let stored) where stored.scheduledDate == task.scheduledDate && stored.archivedAt == nil:
            task.position = stored.position
            if stored.listID == task.listID { task.listOrder = stored.listOrder }
        case .comesBack:
            try transaction.delete(Tombstone.self, id: task.id)
            task.position = try places.position(of: imported, in: transaction)
        case .replaces, .isNew:
            task.position = try places.position(of: imported, in: transaction)
        }
        try transaction.put(task)
        return true
    }

    /// Writes a tombstone as a file describes it.
    ///
    /// - Returns: Whether anything was written.
    @discardableResult
    package func merge(_ tombstone: Tombstone) throws -> Bool {
        switch try reading.verdict(on: tombstone) {
        case .keepExisting: return false
        case .replaces, .comesBack: try transaction.delete(TaskItem.self, id: tombstone.id)
        case .isNew: break
        }
        try transaction.put(tombstone)
        return true
    }
}

extension TaskList {
    /// Writes tasks and tombstones as a file describes them, in one transaction.
    ///
    /// - Returns: The number of records written, and the sequence number of the change, 0 if there is none.
    package func merge(
        _ tasks: [ImportedTask], _ tombstones: [Tombstone], continuing first: UInt64?
    ) async throws(TaskError) -> (written: Int, sequence: UInt64) {
        let (written, sequence) = try await `import`(continuing: first) { transaction in
            try tasks.count { try transaction.merge($0) } + tombstones.count { try transaction.merge($0) }
        }
        return (written, sequence)
    }

    /// Runs one transaction of an import.
    ///
    /// - Parameter first: The sequence number of the import's first transaction, so that all are undone as one.
    /// - Returns: The closure's result, and the sequence number of the change, 0 if nothing was changed.
    package func `import`<Result: Sendable>(
        continuing first: UInt64?, _ body: @escaping @Sendable (TaskTransaction) throws -> Result
    ) async throws(TaskError) -> (result: Result, sequence: UInt64) {
        try await writeNumbered(.importing, continuing: first, body)
    }
}
