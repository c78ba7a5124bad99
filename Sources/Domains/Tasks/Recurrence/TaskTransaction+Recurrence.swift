import CivilTime
import FoundationEssentials
import Injection
import Records

extension TaskTransaction {
    /// Makes a task recur from its day on, or no longer. A task without a day gets the first day of the rule from today on.
    ///
    /// The task is the first of its occurrences. Each is created when the one before it is completed, with what that one
    /// had: text, notes, category, list, place in the plan, due date and reminder, the latter two as many days from its own.
    ///
    /// - Parameter rule: nil for none: the task stays, and its completion creates no other.
    /// - Throws: `TaskError`: `noSuchTask`, `neverOccurs` if the rule has no day from the task's own on.
    @discardableResult
    public func `repeat`(_ id: UUID, by rule: RecurrenceRule?) throws -> TaskItem {
        var task = try get(id)
        guard let rule else {
            guard task.recurringPattern != nil else { return task }
            (task.recurringPattern, task.occurrenceDay, task.isRecurring) = (nil, nil, false)
            return try save(&task)
        }
        let day = task.scheduledDate
        try start(rule, of: &task)
        if day == nil { try move(&task, to: task.scheduledDate) }
        // An occurrence that gets another rule begins a series of its own.
        task.parentRecurringID = nil
        return try save(&task)
    }

    /// Gives a task a rule, and the first day of it if it has none.
    func start(_ rule: RecurrenceRule, of task: inout TaskItem) throws {
        guard let first = rule.days(from: task.scheduledDate ?? today).first(where: { _ in true }) else {
            throw TaskError.neverOccurs
        }
        task.scheduledDate = task.scheduledDate ?? first
        (task.recurringPattern, task.occurrenceDay, task.isRecurring) = (rule.rrule, task.scheduledDate, true)
    }

    /// Drops one occurrence of a recurring task: the task moves to the next day of its rule. After the last one it is
    /// deleted.
    ///
    /// - Returns: The task as it is afterwards; if it was deleted, as it was.
    /// - Throws: `TaskError`: `noSuchTask`, `notRecurring` also for a completed task.
    @discardableResult
    public func skip(_ id: UUID) throws -> TaskItem {
        var task = try get(id)
        guard let rule = task.recurrence, !task.isCompleted else { throw TaskError.notRecurring }
        guard let next = Occurrence.next(after: task, of: rule, today: today) else { return try delete(id) }
        let start = task.dayOfRule ?? today
        try move(&task, to: next.day)
        task.become(next, after: start, in: zone)
        try takePlaceOrLeaveBucket(&task)
        return try save(&task)
    }

    /// Creates the occurrence after a task that was completed, in the same transaction. It is created once: completing the task
    /// again, also after it was reopened or on another device, finds it by its id; if it was deleted, it stays deleted.
    func createNextOccurrence(after task: TaskItem) throws {
        guard let rule = task.recurrence else { return }
        let start = task.dayOfRule ?? today
        let found =
            rule.isAfterCompletion
            ? Occurrence.next(afterCompletionOn: today, of: rule) : Occurrence.next(after: task, of: rule, today: today)
        guard let next = found else { return }
        let parent = task.parentRecurringID ?? task.id
        // The next day depends on when the task was completed; its own does not.
        let id =
            transaction.injectionPoint(.drawsOccurrenceIDs)
            ? transaction.identifiers.next()
            : UUID(occurrenceOf: parent, on: rule.isAfterCompletion ? start : next.day)
        guard try transaction[TaskItem.self].get(id) == nil, try transaction[Tombstone.self].get(id) == nil else {
            return
        }

        var child = TaskItem(id: id, text: task.text, createdAt: now)
        (child.notes, child.category) = (task.notes, task.category)
        (child.region, child.bucket) = (task.region, task.bucket)
        (child.autoCarry, child.isSticky) = (task.autoCarry, task.isSticky)
        (child.dueAt, child.dueIsAllDay, child.dueDay) = (task.dueAt, task.dueIsAllDay, task.dueDay)
        (child.reminderAt, child.reminderDay) = (task.reminderAt, task.reminderDay)
        (child.reminderSecondsIntoDay, child.expiresAt) = (task.reminderSecondsIntoDay, task.expiresAt)
        child.parentRecurringID = parent
        child.scheduledDate = next.day
        child.become(next, after: start, in: zone)
        child.position = try transaction[TaskItem.order].last(in: child.group)
        try place(&child, inList: task.listID)
        try takePlaceOrLeaveBucket(&child)
        try transaction.insert(child)
    }

    /// An occurrence whose bucket is full on its day is in none, as after a rollover.
    private func takePlaceOrLeaveBucket(_ task: inout TaskItem) throws {
        do {
            try takePlace(&task)
        } catch TaskError.bucketFull {
            task.bucket = .none
            try takePlace(&task)
        }
    }
}

extension TaskItem {
    /// Takes over the day and the rule of an occurrence, and moves its due date, reminder and expiry by as many days.
    fileprivate mutating func become(_ occurrence: Occurrence, after day: Day, in zone: Zone) {
        let days = day.distance(to: occurrence.day)
        recurringPattern = occurrence.rule.rrule
        occurrenceDay = occurrence.day
        dueDay = dueDay?.advanced(by: days)
        dueAt = dueAt?.moved(byDays: days, in: zone)
        if let day = reminderDay, let seconds = reminderSecondsIntoDay {
            set(.time(day.advanced(by: days), secondsIntoDay: Int(seconds)), in: zone)
        } else {
            reminderAt = reminderAt?.moved(byDays: days, in: zone)
        }
        expiresAt = expiresAt?.moved(byDays: days, in: zone)
    }
}

extension Instant {
    /// The same time of the clock some days later: across a change of the clocks, not the same number of hours.
    fileprivate func moved(byDays days: Int, in zone: Zone) -> Instant {
        let perDay: Int64 = 86_400_000_000
        let local = microsecondsSince1970.advanced(by: zone.offsetSeconds(at: self) * 1_000_000)
        let time = (local % perDay + perDay) % perDay
        return zone.instant(day: zone.day(of: self).advanced(by: days), secondsIntoDay: Int(time / 1_000_000))
            .advanced(byMicroseconds: time % 1_000_000)
    }
}
