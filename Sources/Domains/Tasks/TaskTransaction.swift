import CivilTime
import FoundationEssentials
import Records

/// The operations on tasks inside a transaction: several of them become one, all or nothing.
///
/// Gotten from a transaction: `transaction.tasks`. What `TaskList` offers is this, one operation a transaction.
public struct TaskTransaction {
    let transaction: WriteTransaction

    /// The tasks as they are at this point of the transaction.
    public var reading: TaskReading { transaction.taskViews }

    private var identifiers: IdentifierGenerator { transaction.identifiers }

    private var now: Instant { transaction.context.clock.wall }
    private var zone: Zone { transaction.context.zone }
    private var today: Day { transaction.context.today }

    /// The largest text, in bytes of UTF-8.
    static let textLimit = 16 << 20

    // MARK: Create and read

    /// Creates a task, last of its day or of the Inbox.
    ///
    /// - Throws: `emptyText`, `unusableText`, `pastDay`, `duplicate`.
    @discardableResult
    public func create(_ new: NewTask) throws(TaskError) -> TaskItem {
        try check(new.text)
        if let notes = new.notes { try checkUsable(notes) }
        if let day = new.day, day < today { throw .pastDay(day) }
        return try rethrowing {
            let id = new.id ?? identifiers.next()
            var task = TaskItem(id: id, text: new.text, createdAt: now)
            task.notes = new.notes
            task.scheduledDate = new.day
            task.position = try DayPositions(transaction: transaction, day: new.day).last()
            do {
                try transaction.insert(task)
            } catch RecordsError.duplicate {
                throw TaskError.duplicate(id: id.lowercased)
            }
            return task
        }
    }

    /// Creates a task of a text alone.
    @discardableResult
    public func create(_ text: String, on day: Day? = nil) throws(TaskError) -> TaskItem {
        try create(NewTask(text, on: day))
    }

    /// The task of an id. Throws `noSuchTask`.
    public func get(_ id: UUID) throws(TaskError) -> TaskItem {
        let task = try rethrowing { try transaction[TaskItem.self].get(id) }
        guard let task else { throw .noSuchTask(id: id.lowercased) }
        return task
    }

    // MARK: State

    /// Gives a task a state. From any state to any other; the same state again changes nothing.
    @discardableResult
    public func setState(_ id: UUID, to state: TaskState) throws(TaskError) -> TaskItem {
        var task = try get(id)
        guard task.state != state else { return task }
        if task.isCompleted { task.completionEpoch += 1 }
        task.state = state
        let now = now
        task.completedAt = state == .completed ? now : nil
        task.completedZone = state == .completed ? zone.identifier : nil
        task.completedOffsetSeconds = state == .completed ? Int32(clamping: zone.offsetSeconds(at: now)) : nil
        return try save(&task)
    }

    /// Moves a task on: not started, active, completed, not started.
    @discardableResult
    public func cycle(_ id: UUID) throws(TaskError) -> TaskItem {
        try setState(id, to: try get(id).state.next)
    }

    // MARK: Days and places

    /// Gives a task a day, or sends it to the Inbox; it comes last there unless a place is given.
    ///
    /// - Throws: `pastDay` for a day that is over, unless the task has it already.
    @discardableResult
    public func schedule(_ id: UUID, on when: TaskDay, at place: TaskPlace? = nil) throws(TaskError) -> TaskItem {
        var task = try get(id)
        let day = when.day(today: today)
        if day != task.scheduledDate {
            if let day, day < today { throw .pastDay(day) }
            try move(&task, to: day)
            try save(&task)
        }
        if let place { return try reorder(id, to: place) }
        return task
    }

    /// Carries tasks over to another day, each to its end, in the order given. Others stay as they are.
    @discardableResult
    public func carry(_ ids: [UUID], to when: TaskDay) throws(TaskError) -> [TaskItem] {
        let day = when.day(today: today)
        if let day, day < today { throw .pastDay(day) }
        var carried: [TaskItem] = []
        for id in ids {
            var task = try get(id)
            if task.scheduledDate != day {
                task.carriedFromDay = task.scheduledDate
                task.carryCount += 1
                try move(&task, to: day)
                try save(&task)
            }
            carried.append(task)
        }
        return carried
    }

    /// Gives a task another place within its day, or within the Inbox. Writes one record, as a rule.
    ///
    /// - Throws: `notInSameDay`, `noSuchIndex`.
    @discardableResult
    public func reorder(_ id: UUID, to place: TaskPlace) throws(TaskError) -> TaskItem {
        var task = try get(id)
        let neighbour: (id: UUID, isBefore: Bool)?
        switch place {
        case .first, .last: neighbour = nil
        case .before(let other): neighbour = (other, false)
        case .after(let other): neighbour = (other, true)
        case .index(let index): neighbour = try self.neighbour(of: task, atIndex: index)
        }
        if neighbour?.id == id { return task }
        return try rethrowing {
            let positions = DayPositions(transaction: transaction, day: task.scheduledDate)
            if let neighbour {
                let other = try get(neighbour.id)
                guard other.scheduledDate == task.scheduledDate, other.archivedAt == nil, task.archivedAt == nil else {
                    throw TaskError.notInSameDay
                }
                task.position = try freePosition(beside: other, after: neighbour.isBefore, for: id, in: positions)
            } else if case .first = place {
                guard try !positions.neighbours(of: .max, before: true, excluding: id, limit: 1).isEmpty else {
                    return task
                }
                let first = try positions.first()
                if first + DayPositions.gap == task.position { return task }
                task.position = first
            } else if case .last = place {
                let last = try positions.last()
                if last - DayPositions.gap == task.position { return task }
                task.position = last
            } else {
                return task
            }
            return try save(&task)
        }
    }

    /// The task that `index` would put this one beside, within the group of its state.
    private func neighbour(of task: TaskItem, atIndex index: Int) throws(TaskError) -> (id: UUID, isBefore: Bool)? {
        let view = try rethrowing { try transaction[TaskItem.byDay].prefix(DayPart(day: task.scheduledDate)) }
        guard index >= 0, index < view.count else { throw .noSuchIndex(index) }
        let start = view.firstIndex { $0.state == task.state } ?? 0
        let group = view.filter { $0.state == task.state && $0.id != task.id }
        guard let last = group.last else { return nil }
        let place = min(max(index - start, 0), group.count)
        return place < group.count ? (group[place].id, false) : (last.id, true)
    }

    /// A number between a task and its neighbour on one side; spreads the tasks around out when there is none left.
    private func freePosition(
        beside other: TaskItem, after: Bool, for id: UUID, in positions: DayPositions
    ) throws -> Int64 {
        let next = try positions.neighbours(of: other.position, before: !after, excluding: id, limit: 1).first?.position
        guard let next else {
            return after ? other.position + DayPositions.gap : other.position - DayPositions.gap
        }
        let low = min(next, other.position)
        let high = max(next, other.position)
        if high - low > 1 { return low + (high - low) / 2 }
        try spread(around: other.position, excluding: id, in: positions)
        return try freePosition(beside: get(other.id), after: after, for: id, in: positions)
    }

    /// Makes room around a place: the smallest neighbourhood whose ends lie far enough apart is spaced evenly.
    private func spread(around position: Int64, excluding id: UUID, in positions: DayPositions) throws {
        var width = 8
        while true {
            let before = try positions.neighbours(of: position, before: true, excluding: id, limit: width)
            let after = try positions.neighbours(of: position - 1, before: false, excluding: id, limit: width)
            let isWhole = before.count < width && after.count < width
            let tasks = before.reversed() + after
            let count = Int64(tasks.count)
            guard let first = tasks.first, let last = tasks.last else { return }
            // With everything in hand the ends may move outwards; else they stay, and those between are spaced.
            let start = isWhole ? first.position - DayPositions.gap : first.position
            let step = isWhole ? DayPositions.gap : (last.position - first.position) / max(count - 1, 1)
            if step >= 1 << 16 || isWhole {
                for (offset, entry) in tasks.enumerated() {
                    var task = try get(entry.id)
                    task.position = start + Int64(offset) * step
                    try save(&task)
                }
                return
            }
            width *= 4
        }
    }

    private func move(_ task: inout TaskItem, to day: Day?) throws(TaskError) {
        task.scheduledDate = day
        task.position = try rethrowing { try DayPositions(transaction: transaction, day: day).last() }
    }

    // MARK: Reminders

    /// Gives a task a reminder at a moment; nil takes it away. The same reminder again changes nothing. One of the past is
    /// due at once.
    @discardableResult
    public func remind(_ id: UUID, at moment: Instant?) throws(TaskError) -> TaskItem {
        var task = try get(id)
        guard task.reminderAt != moment else { return task }
        task.reminderAt = moment
        return try save(&task)
    }

    /// Gives a task a reminder at a time of day, in the zone of the one who asks: a time that the clock skips that day
    /// means the first moment after the gap, one that comes twice the first of the two. The moment is kept: it does not
    /// move when its owner travels.
    ///
    /// - Parameter secondsIntoDay: the time as the clock shows it, in seconds (09:00 is 32,400).
    @discardableResult
    public func remind(_ id: UUID, on day: Day, secondsIntoDay: Int) throws(TaskError) -> TaskItem {
        try remind(id, at: zone.instant(day: day, secondsIntoDay: secondsIntoDay))
    }

    // MARK: Edit and delete

    /// Changes a task's text or details.
    @discardableResult
    public func edit(_ id: UUID, _ change: (inout TaskItem) -> Void) throws(TaskError) -> TaskItem {
        var task = try get(id)
        let wasArchived = task.archivedAt != nil
        change(&task)
        // What comes back from the archive comes last: its old place may have been given to another.
        if wasArchived, task.archivedAt == nil { try move(&task, to: task.scheduledDate) }
        try check(task.text)
        if let notes = task.notes { try checkUsable(notes) }
        return try save(&task)
    }

    /// Deletes a task. A tombstone stays, and with it a completion in the statistics.
    public func delete(_ id: UUID) throws(TaskError) {
        let task = try get(id)
        try rethrowing {
            // The tombstone comes second: it takes over the task's entry in the ledger of completions.
            try transaction.delete(TaskItem.self, id: id)
            try transaction.put(Tombstone(of: task, deletedAt: max(now, task.updatedAt)))
        }
    }

    /// Removes every trace of a task: the task or its tombstone, its completion in the statistics, its images in the
    /// change log, and what a rebuild has set aside of it. It cannot be undone.
    public func purge(_ id: UUID) throws(TaskError) {
        try rethrowing {
            let hadTask = try transaction.delete(TaskItem.self, id: id)
            let hadTombstone = try transaction.delete(Tombstone.self, id: id)
            let hadLostTask = try transaction.purgeHistory(of: TaskItem.self, id: id)
            let hadLostTombstone = try transaction.purgeHistory(of: Tombstone.self, id: id)
            guard hadTask || hadTombstone || hadLostTask || hadLostTombstone else {
                throw TaskError.noSuchTask(id: id.lowercased)
            }
        }
    }

    /// Gives a task that came back to its old place a place of its own, should another task have taken the number.
    func separate(_ id: UUID) throws(TaskError) {
        guard let task = try rethrowing({ try transaction[TaskItem.self].get(id) }), task.archivedAt == nil else {
            return
        }
        let other = try rethrowing { () throws -> UUID? in
            let positions = DayPositions(transaction: transaction, day: task.scheduledDate)
            let next = try positions.neighbours(of: task.position - 1, before: false, excluding: id, limit: 1).first
            return next?.position == task.position ? next?.id : nil
        }
        if let other { try reorder(id, to: .before(other)) }
    }

    // MARK: Import

    /// Writes a task as a file describes it, days of the past included; the newer of two versions stays. A task that is
    /// new to its day comes last there.
    ///
    /// - Returns: whether anything was written.
    @discardableResult
    public func merge(_ imported: ImportedTask) throws(TaskError) -> Bool {
        var places = ImportPlaces()
        return try merge(imported, in: &places)
    }

    /// The same for one of many: tasks that are new to their day have the order of their `sortOrder` there.
    public func merge(_ imported: ImportedTask, in places: inout ImportPlaces) throws(TaskError) -> Bool {
        try check(imported.task.text)
        return try rethrowing {
            var task = imported.task
            switch try reading.verdict(on: imported) {
            case .staysAsItIs: return false
            case .replaces(let stored) where stored.scheduledDate == task.scheduledDate && stored.archivedAt == nil:
                task.position = stored.position
            case .comesBack:
                try transaction.delete(Tombstone.self, id: task.id)
                task.position = try places.position(of: imported, in: transaction)
            case .replaces, .isNew:
                task.position = try places.position(of: imported, in: transaction)
            }
            try transaction.put(task)
            return true
        }
    }

    /// Writes a tombstone as a file describes it. Returns whether anything was written.
    @discardableResult
    public func merge(_ tombstone: Tombstone) throws(TaskError) -> Bool {
        try rethrowing {
            switch try reading.verdict(on: tombstone) {
            case .staysAsItIs: return false
            case .replaces, .comesBack: try transaction.delete(TaskItem.self, id: tombstone.id)
            case .isNew: break
            }
            try transaction.put(tombstone)
            return true
        }
    }

    // MARK: Helpers

    @discardableResult
    private func save(_ task: inout TaskItem) throws(TaskError) -> TaskItem {
        task.updatedAt = max(now, task.updatedAt.advanced(byMicroseconds: 1))
        let saved = task
        try rethrowing { try transaction.put(saved) }
        return saved
    }

    private func check(_ text: String) throws(TaskError) {
        guard !text.allSatisfy(\.isWhitespace) else { throw .emptyText }
        try checkUsable(text)
    }

    private func checkUsable(_ text: String) throws(TaskError) {
        guard text.utf8.count <= Self.textLimit, !text.utf8.contains(0) else { throw .unusableText }
    }
}

extension UUID {
    /// The id as Daybook writes it: lower-case, hyphenated.
    public var lowercased: String { uuidString.lowercased() }
}
