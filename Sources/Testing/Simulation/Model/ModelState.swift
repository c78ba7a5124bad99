import Daybook

/// What a store holds at a moment, in the simplest way: tasks by name, and the order within each day as an array.
struct ModelState: Sendable, Equatable {
    var tasks: [String: ModelTask] = [:]
    /// The tasks of each day, and of the Inbox, in the order of their places, whatever their states.
    var places: [Day?: [String]] = [:]
    /// What is left of deleted tasks.
    var deleted: [String: ModelTombstone] = [:]

    // MARK: Views

    /// A day's tasks as a view shows them: active, not started, completed, each in the order of their places.
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

    /// The open tasks with a reminder, in the order of time; those of one moment in any order.
    var reminders: [(name: String, instant: Instant)] {
        tasks.values.compactMap { task in
            task.state == .completed ? nil : task.reminderAt.map { (task.name, $0) }
        }
        .sorted { ($0.instant, $0.name) < ($1.instant, $1.name) }
    }

    /// What a day to come is called.
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

    /// Counted one by one, each on the day that it falls on in the zone that asks.
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

    /// The completions of each day of a month.
    func completions(of month: Month, in zone: Zone) -> [Day: Int] {
        let days = completions.map { zone.day(of: $0) }.filter { $0.monthOfYear == month }
        return days.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    // MARK: Changes

    /// Puts a task last in its day, or at an index of the day's places.
    mutating func place(_ name: String, at index: Int? = nil) {
        lift(name)
        let day = tasks[name]?.day
        let list = places[day, default: []]
        places[day, default: []].insert(name, at: index ?? list.count)
    }

    /// Takes a task out of wherever it is.
    mutating func lift(_ name: String) {
        for (day, list) in places {
            guard let index = list.firstIndex(of: name) else { continue }
            places[day]?.remove(at: index)
            if list.count == 1 { places[day] = nil }
        }
    }

    /// As if a task had never been.
    mutating func forget(_ name: String) {
        lift(name)
        tasks[name] = nil
        deleted[name] = nil
    }

    /// The names of what is different between two states.
    static func differences(_ before: ModelState, _ after: ModelState) -> Set<String> {
        let names = Set(before.tasks.keys).union(after.tasks.keys).union(before.deleted.keys).union(after.deleted.keys)
        return names.filter { before.tasks[$0] != after.tasks[$0] || before.deleted[$0] != after.deleted[$0] }
    }
}
