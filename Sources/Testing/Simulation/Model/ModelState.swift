import Daybook

/// The content of a store in its simplest form: tasks by name, and the order within each day as an array.
struct ModelState: Sendable, Equatable {
    var tasks: [String: ModelTask] = [:]
    /// The tasks of each day and of the Inbox by position, whatever their states.
    var places: [Day?: [String]] = [:]
    /// The tombstones of deleted tasks.
    var deleted: [String: ModelTombstone] = [:]

    // MARK: Views

    /// Returns a day's tasks as a view shows them: active, not started, completed, each group by position.
    func tasks(on day: Day?) -> [ModelTask] {
        let placed = places[day, default: []].compactMap { tasks[$0] }
        return [.active, .notStarted, .completed].flatMap { state in placed.filter { $0.state == state } }
    }

    /// The days that have tasks, in order.
    var days: [Day] {
        places.filter { !$0.value.isEmpty }.keys.compactMap { $0 }.sorted()
    }

    func tasks(in view: TaskView, today: Day) -> [ModelTask] {
        switch view {
        case .inbox: tasks(on: nil)
        case .today: tasks(on: today)
        case .upcoming: days.filter { $0 > today }.flatMap { tasks(on: $0) }
        case .past: days.filter { $0 < today }.flatMap { tasks(on: $0) }
        }
    }

    /// The open tasks with a reminder by time; the order of simultaneous ones is arbitrary.
    var reminders: [(name: String, instant: Instant)] {
        tasks.values.compactMap { task in
            task.state == .completed ? nil : task.reminderAt.map { (task.name, $0) }
        }
        .sorted { ($0.instant, $0.name) < ($1.instant, $1.name) }
    }

    /// Returns the label of an upcoming day.
    static func label(of day: Day, today: Day) -> String {
        if today.distance(to: day) == 1 { return "Tomorrow" }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let label = "\(months[day.month - 1]) \(day.day)"
        return day.year == today.year ? label : "\(label), \(day.year)"
    }

    // MARK: Counts

    private var completions: [Instant] {
        tasks.values.compactMap(\.completedAt) + deleted.values.compactMap(\.completedAt)
    }

    /// Counts completions one by one, each on its local day in the given zone.
    func statistics(at now: Instant, in zone: Zone, weekStart: Weekday) -> (counts: CompletedCounts, isEmpty: Bool) {
        let today = zone.day(of: now)
        let days = completions.map { zone.day(of: $0) }
        let week = today.week(startingOn: weekStart)
        let month = today.monthOfYear.days
        let lastMonth = today.monthOfYear.previous?.days
        let counts = CompletedCounts(
            today: days.count { $0 == today }, week: days.count { week.contains($0) },
            month: days.count { month.contains($0) },
            lastMonth: lastMonth.map { last in days.count { last.contains($0) } } ?? 0)
        return (counts, days.isEmpty)
    }

    /// Returns the completions of each day of a month.
    func completions(of month: Month, in zone: Zone) -> [Day: Int] {
        let days = completions.map { zone.day(of: $0) }.filter { $0.monthOfYear == month }
        return days.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    // MARK: Changes

    /// Appends a task to its day, or inserts it at an index of the day's places.
    mutating func place(_ name: String, at index: Int? = nil) {
        lift(name)
        let day = tasks[name]?.day
        let list = places[day, default: []]
        places[day, default: []].insert(name, at: index ?? list.count)
    }

    /// Removes a task from its place.
    mutating func lift(_ name: String) {
        for (day, list) in places {
            guard let index = list.firstIndex(of: name) else { continue }
            places[day]?.remove(at: index)
            if list.count == 1 { places[day] = nil }
        }
    }

    /// Removes every trace of a task.
    mutating func forget(_ name: String) {
        lift(name)
        tasks[name] = nil
        deleted[name] = nil
    }

    /// Returns the names of tasks that differ between two states.
    static func differences(_ before: ModelState, _ after: ModelState) -> Set<String> {
        let names = Set(before.tasks.keys).union(after.tasks.keys).union(before.deleted.keys).union(after.deleted.keys)
        return names.filter { before.tasks[$0] != after.tasks[$0] || before.deleted[$0] != after.deleted[$0] }
    }
}

/// The time and zone of an action.
struct ModelMoment: Sendable {
    var wall: Instant
    var monotonic: MonotonicTime
    var zone: Zone

    var today: Day { zone.day(of: wall) }

    /// Returns the first instant whose local time is the given one or later, by trial: minute by minute, then second by
    /// second.
    func instant(on day: Day, secondsIntoDay time: Int) -> Instant {
        let local = Int64(day.daysSince1970) * 86_400 + Int64(time)
        func isReached(_ second: Int64) -> Bool {
            second + Int64(zone.offsetSeconds(at: Instant(secondsSince1970: second))) >= local
        }
        // No zone is more than 26 hours from UTC.
        var minute = local - 26 * 3_600
        while !isReached(minute + 60) { minute += 60 }
        var second = minute
        while !isReached(second) { second += 1 }
        return Instant(secondsSince1970: second)
    }
}

/// The code of the error with which the store must refuse an operation.
struct ModelRefusal: Error, Equatable {
    let code: String

    init(_ code: String) {
        self.code = code
    }
}
