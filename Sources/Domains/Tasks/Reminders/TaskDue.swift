import CivilTime
import FoundationEssentials
import Records

/// When a task is due.
public enum TaskDue: Sendable, Hashable {
    /// By the end of a day, wherever that is.
    case day(Day)
    /// At an instant.
    case at(Instant)
    /// At a local time of day, in seconds from midnight, which is stored as an instant. In a gap of the clock it is the first
    /// instant after the gap; the next occurrence of a recurring task has the time of day that was meant.
    case time(Day, secondsIntoDay: Int)

    /// When something is due at a moment that people name; a time of day is that of the zone now.
    public init(_ moment: CivilMoment) {
        self =
            switch moment {
            case .day(let day): .day(day)
            case .time(let day, let seconds): .time(day, secondsIntoDay: seconds)
            case .instant(let instant): .at(instant)
            }
    }

    /// The day on which it is due.
    public func day(in zone: Zone) -> Day {
        switch self {
        case .day(let day), .time(let day, _): day
        case .at(let instant): zone.day(of: instant)
        }
    }

    /// The day or the instant, as files and links have it.
    public func text(in zone: Zone) -> String {
        if case .day(let day) = self { day.description } else { end(in: zone).description }
    }

    /// The instant after which an open task is overdue.
    public func end(in zone: Zone) -> Instant {
        switch self {
        case .day(let day): zone.end(of: day)
        case .at(let instant): instant
        case .time(let day, let seconds): zone.instant(day: day, secondsIntoDay: seconds)
        }
    }
}

/// When to remind of a task.
public enum TaskReminder: Sendable, Hashable {
    /// At an instant.
    case at(Instant)
    /// At a local time of day, in seconds from midnight (09:00 is 32,400). In a gap it means the first instant after the gap,
    /// in an overlap the first of the two. The instant is stored as well, so that it stays the same in other zones.
    case time(Day, secondsIntoDay: Int)
}

extension TaskItem {
    /// When it is due; nil for no time.
    ///
    /// - Parameter zone: the zone in which a file's instant is a day, for tasks that came from files with days only.
    public func due(in zone: Zone) -> TaskDue? {
        if let dueDay { return .day(dueDay) }
        return dueAt.map { dueIsAllDay ? .day(zone.day(of: $0)) : .at($0) }
    }

    /// When to remind of it, as it was given.
    public var reminder: TaskReminder? {
        guard let reminderAt else { return nil }
        guard let reminderDay, let reminderSecondsIntoDay else { return .at(reminderAt) }
        return .time(reminderDay, secondsIntoDay: Int(reminderSecondsIntoDay))
    }

    /// Whether it is open and its due time is over at an instant: that of a day when the day ends.
    public func isOverdue(at moment: Instant, in zone: Zone) -> Bool {
        guard !isCompleted, archivedAt == nil, let due = due(in: zone) else { return false }
        return due.end(in: zone) <= moment
    }

    /// Sets when it is due.
    ///
    /// - Parameter clock: the zone whose clock a recurring task follows, as files can say; nil for that of whoever completes it.
    package mutating func set(_ due: TaskDue?, in zone: Zone, clock: Zone? = nil) {
        (dueDay, dueAt, dueIsAllDay, dueZone, dueSecondsIntoDay) = (nil, nil, true, nil, nil)
        switch due {
        case .day(let day): dueDay = day
        case .at(let instant): (dueAt, dueIsAllDay, dueZone) = (instant, false, clock?.identifier)
        case .time(let day, let seconds):
            let time = ClockTime(day: day, secondsIntoDay: seconds)
            (dueAt, dueIsAllDay, dueZone) = (time.instant(in: clock ?? zone), false, clock?.identifier)
            dueSecondsIntoDay = time.meantSeconds(in: clock ?? zone)
        case nil: break
        }
    }

    mutating func set(_ reminder: TaskReminder?, in zone: Zone) {
        (reminderAt, reminderDay, reminderSecondsIntoDay) = (nil, nil, nil)
        switch reminder {
        case .at(let instant): reminderAt = instant
        case .time(let day, let seconds):
            reminderAt = zone.instant(day: day, secondsIntoDay: seconds)
            (reminderDay, reminderSecondsIntoDay) = (day, Int32(clamping: seconds))
        case nil: break
        }
    }

    /// The index of what is due, by the end of its day in UTC or by its instant: near the order of the true ends, which
    /// depend on the caller's zone.
    static let byDue = Index<TaskItem, Instant>("byDue") { task in
        guard !task.isCompleted, task.archivedAt == nil else { return nil }
        if let day = task.dueDay { return day.endInUTC }
        return task.dueAt.map { task.dueIsAllDay ? $0.advanced(bySeconds: 86_400) : $0 }
    }

    /// How far the true end of a day may be from its place in the index: no zone is further from UTC, and no day longer
    /// than 26 hours.
    static let dueMargin: Int64 = 16 * 3600
}

extension Day {
    fileprivate var endInUTC: Instant {
        Instant(secondsSince1970: (Int64(daysSince1970) + 1) * 86_400)
    }
}

extension TaskReading {
    /// Returns the open tasks whose due time is over, the longest overdue first; a task that is due by a day when that day
    /// has ended in the zone.
    ///
    /// - Complexity: a step and a look-up for each task that is returned, and for those that are due within 16 hours.
    public func overdue(limit: Int = .max) throws -> [TaskItem] {
        try overdue(at: transaction.context.clock.wall, limit: limit)
    }

    /// Returns the open tasks that are late in either way: those whose due time is over, the longest overdue first, then those
    /// that were planned for days before today, day by day (requirement X-12).
    ///
    /// - Complexity: as for `overdue`, and a step and a look-up for each task of a past day.
    public func late() throws -> [TaskItem] {
        let overdue = try overdue()
        let known = Set(overdue.map(\.id))
        return overdue + (try past().filter { !$0.isCompleted && !known.contains($0.id) })
    }

    func overdue(
        at moment: Instant, limit: Int = .max, where isShown: (TaskItem) -> Bool = { _ in true }
    ) throws -> [TaskItem] {
        let zone = transaction.context.zone
        var tasks: [TaskItem] = []
        try transaction[TaskItem.byDue].forEach(in: .dueBefore(moment)) { task in
            if task.isOverdue(at: moment, in: zone), isShown(task) { tasks.append(task) }
            return tasks.count < limit
        }
        return tasks
    }

    /// Returns the open tasks that are overdue or due on a day, the earliest first, without those that are planned for that day or
    /// hidden on it: what the view of that day does not show.
    ///
    /// - Complexity: a step and a look-up for each task that is overdue or due by 16 hours after the end of the day.
    public func due(by day: Day) throws -> [TaskItem] {
        try due(to: day) {
            $0.scheduledDate != day && !$0.isWaiting(on: day)
        }
    }

    /// Returns the open tasks that are due on days after today, day by day, without those that are planned for the day on which they
    /// are due, or hidden on it.
    ///
    /// - Complexity: a step and a look-up for each open task that is due later than 16 hours before the end of today.
    public func dueAfterToday() throws -> [(day: Day, tasks: [TaskItem])] {
        let zone = transaction.context.zone
        let start = zone.end(of: currentDay)
        var days: [Day: [TaskItem]] = [:]
        let keys = IndexRange<TaskItem, Instant>.keys(from: start.advanced(bySeconds: -TaskItem.dueMargin))
        try transaction[TaskItem.byDue].forEach(in: keys) { task in
            guard let day = task.due(in: zone)?.day(in: zone), day > currentDay, task.scheduledDate != day,
                !task.isWaiting(on: day)
            else { return true }
            days[day, default: []].append(task)
            return true
        }
        return days.sorted { $0.key < $1.key }.map { ($0.key, inOrderOfDue($0.value)) }
    }

    private func due(to day: Day, where isShown: (TaskItem) -> Bool) throws -> [TaskItem] {
        let zone = transaction.context.zone
        var tasks: [TaskItem] = []
        try transaction[TaskItem.byDue].forEach(in: .dueBefore(zone.end(of: day))) { task in
            if let due = task.due(in: zone)?.day(in: zone), due <= day, isShown(task) { tasks.append(task) }
            return true
        }
        return inOrderOfDue(tasks)
    }

    /// The index is only near the order of the true ends.
    private func inOrderOfDue(_ tasks: [TaskItem]) -> [TaskItem] {
        let zone = transaction.context.zone
        let ends = tasks.enumerated().compactMap { place, task in
            task.due(in: zone).map { (end: $0.end(in: zone), place: place) }
        }
        return ends.sorted { ($0.end, $0.place) < ($1.end, $1.place) }.map { tasks[$0.place] }
    }

    /// Returns the open tasks whose due times are over at instants of a range, in the order of the index.
    func due(in range: Range<Instant>, limit: Int = .max) throws -> [TaskItem] {
        let zone = transaction.context.zone
        var tasks: [TaskItem] = []
        let margin = TaskItem.dueMargin
        let keys = IndexRange<TaskItem, Instant>.keys(
            from: range.lowerBound.advanced(bySeconds: -margin), to: range.upperBound.advanced(bySeconds: margin))
        try transaction[TaskItem.byDue].forEach(in: keys) { task in
            if let end = task.due(in: zone)?.end(in: zone), range.contains(end) { tasks.append(task) }
            return tasks.count < limit
        }
        return tasks
    }

    /// Returns a page of the open tasks whose due time is over, from its beginning or after an earlier page.
    public func overduePage(after token: PageToken? = nil, limit: Int = 20) throws -> Page<TaskItem> {
        let moment = transaction.context.clock.wall
        let zone = transaction.context.zone
        return try transaction[TaskItem.byDue].page(in: .dueBefore(moment), after: token, limit: limit) {
            $0.isOverdue(at: moment, in: zone)
        }
    }
}

extension IndexRange<TaskItem, Instant> {
    /// The entries of all that may be due before an instant in any zone.
    static func dueBefore(_ moment: Instant) -> Self {
        .keys(to: moment.advanced(bySeconds: TaskItem.dueMargin))
    }
}

extension TaskList {
    /// Returns the open tasks whose due time is over, the longest overdue first.
    public func overdue(limit: Int = .max) throws(TaskError) -> [TaskItem] {
        try view { try $0.overdue(limit: limit) }
    }

    /// Returns a page of the open tasks whose due time is over, from its beginning or after an earlier page.
    public func overduePage(after token: PageToken? = nil, limit: Int = 20) throws(TaskError) -> Page<TaskItem> {
        try view { try $0.overduePage(after: token, limit: limit) }
    }

    /// Returns the open tasks that are due on days after today, day by day, without those that are planned for the day on which they
    /// are due.
    public func dueAfterToday() throws(TaskError) -> [(day: Day, tasks: [TaskItem])] {
        try view { try $0.dueAfterToday() }
    }

    /// Returns the open tasks that are late in either way: overdue, or planned for days before today.
    public func late() throws(TaskError) -> [TaskItem] { try view { try $0.late() } }

    /// Returns the open tasks that are overdue or due on a day, the earliest first, without those that are planned for that day.
    public func due(by day: Day) throws(TaskError) -> [TaskItem] { try view { try $0.due(by: day) } }
}
