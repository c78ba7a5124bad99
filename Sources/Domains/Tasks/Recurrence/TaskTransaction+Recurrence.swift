import CivilTime
import FoundationEssentials
import Injection
import Records

extension TaskTransaction {
    /// Makes a task recur from its day on, or no longer. The day is that on which it is scheduled, else that on which it is due;
    /// a task with neither gets the first day of the rule from today on.
    ///
    /// The task is the first of its occurrences. Each is created when the one before it is completed, with what that one
    /// had: text, notes, category, list, place in the plan, attributes of files, due date and reminder, the latter two as many
    /// days from its own.
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
        if day != task.scheduledDate { try move(&task, to: task.scheduledDate) }
        // An occurrence that gets another rule begins a series of its own.
        task.parentRecurringID = nil
        return try save(&task)
    }

    /// Gives a task a rule, and the first day of it if it is neither scheduled nor due on one.
    func start(_ rule: RecurrenceRule, of task: inout TaskItem) throws {
        let anchor = task.anchor(in: zone)
        guard let first = rule.days(from: anchor ?? today).first(where: { _ in true }) else {
            throw TaskError.neverOccurs
        }
        if anchor == nil { task.scheduledDate = first }
        (task.recurringPattern, task.occurrenceDay, task.isRecurring) = (rule.rrule, anchor ?? first, true)
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
        guard let next = Occurrence.next(after: task, of: rule, today: today, in: zone) else { return try delete(id) }
        let start = task.dayOfRule(in: zone) ?? today
        if let day = task.plannedDay(of: next, in: zone) { try move(&task, to: day) }
        task.become(next, after: start, in: zone)
        try takePlaceOrLeaveBucket(&task)
        for var subtask in try reading.descendants(of: id) where !subtask.isCompleted && subtask.hasDates {
            subtask.advanceDates(byDays: start.distance(to: next.day), in: zone)
            try move(&subtask, to: subtask.scheduledDate)
            try takePlaceOrLeaveBucket(&subtask)
            try save(&subtask)
        }
        return try save(&task)
    }

    /// Creates the occurrence after a task that was completed, in the same transaction. It is created once: completing the task
    /// again, also on another day after it was reopened, or on another device, finds it by its id; if it was deleted, it stays
    /// deleted.
    func createNextOccurrence(after task: TaskItem) throws {
        guard let rule = task.recurrence else { return }
        let start = task.dayOfRule(in: zone) ?? today
        let found =
            rule.isAfterCompletion
            ? Occurrence.next(afterCompletionOn: today, of: rule)
            : Occurrence.next(after: task, of: rule, today: today, in: zone)
        guard let next = found else { return }
        let parent = task.parentRecurringID ?? task.id
        // The next day depends on when the task was completed; its own does not.
        let id =
            transaction.injectionPoint(.drawsOccurrenceIDs)
            ? transaction.identifiers.next()
            : UUID(occurrenceOf: parent, on: rule.isAfterCompletion ? start : next.day)
        if try reading.hasOrHad(id) { return }
        // The occurrence that an earlier completion has created is for a day between: the next one of that day.
        if task.completionEpoch > 0, !rule.isAfterCompletion {
            for day in rule.days(from: start) {
                if day >= next.day { break }
                if day > start, try reading.hasOrHad(UUID(occurrenceOf: parent, on: day)) { return }
            }
        }

        var child = task.asNew(id, at: now)
        (child.parentRecurringID, child.isRecurring) = (parent, false)
        child.scheduledDate = task.plannedDay(of: next, in: zone)
        child.become(next, after: start, in: zone)
        child.position = try transaction[TaskItem.order].last(in: child.group)
        try place(&child, inList: task.listID)
        try takePlaceOrLeaveBucket(&child)
        if let parent = child.parentTaskID { child.subtaskOrder = try lastSubtaskOrder(in: parent) }
        try transaction.insert(child)
        try copySubtasks(of: task, to: child, days: start.distance(to: next.day))
    }

    /// Leaves days out of a series whose occurrences a file has as tasks of their own, and moves the task to the first day that is
    /// left, if its own is left out. After the last one it is archived. The time of the last change stays: this is how the file
    /// describes the task.
    package func leaveOut(_ days: [Day], ofSeries id: UUID) throws {
        guard var task = try transaction[TaskItem.self].get(id), var rule = task.recurrence, !task.isCompleted,
            task.archivedAt == nil
        else { return }
        let start = task.dayOfRule(in: zone) ?? today
        // Those before it are over: the same file again changes nothing.
        rule.moved = Set(rule.moved + days.filter { $0 >= start }).sorted()
        var changed = task
        changed.recurringPattern = rule.rrule
        if Set(rule.moved + rule.exceptions).contains(start) {
            if let next = Occurrence.first(of: rule, insteadOf: start) {
                if let day = task.plannedDay(of: next, in: zone) { try move(&changed, to: day) }
                changed.become(next, after: start, in: zone)
            } else {
                changed.archivedAt = now
            }
        }
        guard changed != task else { return }
        task = changed
        try takePlaceOrLeaveBucket(&task)
        try transaction.put(task)
    }

    /// An occurrence whose bucket is full on its day is in none, as after a rollover.
    func takePlaceOrLeaveBucket(_ task: inout TaskItem) throws {
        do {
            try takePlace(&task)
        } catch TaskError.bucketFull {
            task.bucket = .none
            try takePlace(&task)
        }
    }
}

extension TaskItem {
    /// The day on which an occurrence after this one is planned; nil if this one is only due.
    fileprivate func plannedDay(of occurrence: Occurrence, in zone: Zone) -> Day? {
        scheduledDate == nil && anchor(in: zone) != nil ? nil : occurrence.day
    }

    /// Takes over the day and the rule of an occurrence, and moves its due date, reminder, expiry and the dates of its attributes
    /// by as many days. A task that is only due is due on the day of the rule, also after one occurrence was due on another.
    fileprivate mutating func become(_ occurrence: Occurrence, after day: Day, in zone: Zone) {
        let days = day.distance(to: occurrence.day)
        let isOnlyDue = plannedDay(of: occurrence, in: zone) == nil
        let daysOfDue = isOnlyDue ? anchor(in: zone)?.distance(to: occurrence.day) ?? days : days
        recurringPattern = occurrence.rule.rrule
        occurrenceDay = occurrence.day
        advanceTimes(by: days, dueBy: daysOfDue, in: zone)
    }

    /// Whether it has any date that moves with an occurrence.
    var hasDates: Bool {
        scheduledDate != nil || dueDay != nil || dueAt != nil || reminderAt != nil || expiresAt != nil
            || waitUntil != nil
    }

    /// Moves every date of a task by as many days.
    mutating func advanceDates(byDays days: Int, in zone: Zone) {
        scheduledDate = scheduledDate?.advanced(by: days)
        advanceTimes(by: days, dueBy: days, in: zone)
    }

    /// Moves the due date, the reminder, the expiry, the day until which it is hidden, and the dates of its attributes.
    private mutating func advanceTimes(by days: Int, dueBy daysOfDue: Int, in zone: Zone) {
        let clock = clockZone(or: zone)
        extraShiftDays = extra == nil ? 0 : Int32(clamping: Int(extraShiftDays) + days)
        waitUntil = waitUntil?.advanced(by: days)
        dueDay = dueDay?.advanced(by: daysOfDue)
        if let moved = dueAt.map({ ClockTime(of: $0, meant: dueSecondsIntoDay, in: clock).advanced(by: daysOfDue) }) {
            (dueAt, dueSecondsIntoDay) = (moved.instant(in: clock), moved.meantSeconds(in: clock))
        }
        if let moved = expiresAt.map({ ClockTime(of: $0, meant: expirySecondsIntoDay, in: clock).advanced(by: days) }) {
            (expiresAt, expirySecondsIntoDay) = (moved.instant(in: clock), moved.meantSeconds(in: clock))
        }
        if let day = reminderDay, let seconds = reminderSecondsIntoDay {
            set(.time(day.advanced(by: days), secondsIntoDay: Int(seconds)), in: zone)
        } else if let moved = reminderAt.map({ ClockTime(of: $0, in: clock).advanced(by: days) }) {
            reminderAt = moved.instant(in: clock)
            // From here on it is one at a time of day, since its instant does not say which.
            if let seconds = moved.meantSeconds(in: clock) {
                (reminderDay, reminderSecondsIntoDay) = (moved.day, seconds)
            }
        }
    }
}

extension TaskItem {
    /// The task as a new one of another id: not begun, with nothing of what was done with this one and with no place of its own. All
    /// else stays, so that a field which is added later is not forgotten here.
    func asNew(_ id: UUID, at now: Instant) -> TaskItem {
        var task = self
        (task.id, task.createdAt, task.updatedAt) = (id, now, now)
        (task.state, task.completionEpoch) = (.notStarted, 0)
        (task.completedAt, task.completedZone, task.completedOffsetSeconds) = (nil, nil, nil)
        (task.archivedAt, task.carriedFromDay, task.carryCount) = (nil, nil, 0)
        (task.listOrder, task.planOrder) = (0, 0)
        return task
    }
}

extension TaskReading {
    /// Whether there is a task of an id, or was one that was deleted.
    func hasOrHad(_ id: UUID) throws -> Bool { try get(id) != nil || tombstone(of: id) != nil }
}
