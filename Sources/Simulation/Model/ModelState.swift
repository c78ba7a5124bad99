import Daybook

/// What a store holds at a moment, in the simplest way: tasks by name, and the order within each day as an array.
struct ModelState: Sendable, Equatable {
    var tasks: [String: ModelTask] = [:]
    /// The tasks of each day, and of the Inbox, in the order of their places, whatever their states.
    var places: [Day?: [String]] = [:]
    /// When deleted tasks were completed, if they were: they stay in the statistics.
    var deleted: [String: Instant?] = [:]

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

    /// The open tasks whose reminder has come.
    func dueReminders(at now: Instant) -> [ModelTask] {
        tasks.values.filter { task in
            task.state != .completed && task.reminderAt.map { $0 <= now } ?? false
        }
    }

    // MARK: Counts

    private var completions: [Instant] {
        tasks.values.compactMap(\.completedAt) + deleted.values.compactMap { $0 }
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
