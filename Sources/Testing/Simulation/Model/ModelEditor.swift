import Daybook

/// Applies each operation on tasks to a state in the simplest possible way. Throws refusals.
struct ModelEditor {
    var state: ModelState
    let moment: ModelMoment

    private var now: Instant { moment.wall }
    private var today: Day { moment.today }

    mutating func perform(_ action: Action) throws {
        switch action {
        case .create(let name, let when, let view):
            try create(name, on: try when.flatMap(day) ?? view?.day(today: today))
        case .setState(let name, let state): try setState(name, state)
        case .cycle(let name): try setState(name, try task(name).state.next)
        case .schedule(let name, let when, let place):
            try schedule(name, on: day(when))
            if let place { try reorder(name, to: place) }
        case .reorder(let name, let place): try reorder(name, to: place)
        case .carry(let names, let when): try carry(names, to: day(when))
        case .edit(let name, let text):
            guard !text.allSatisfy(\.isWhitespace) else { throw ModelRefusal("empty-text") }
            try change(name) { $0.text = text }
        case .remind(let name, let moment): try remind(name, at: moment)
        case .delete(let name): try delete(name)
        case .purge(let name): try purge(name)
        case .together(let actions): for action in actions { try perform(action) }
        default: break
        }
    }

    // MARK: Days

    private func day(_ when: When) throws -> Day? { try when.day(today: today) }

    private func refusePast(_ day: Day?) throws(ModelRefusal) {
        if let day, day < today { throw ModelRefusal("past-day") }
    }

    // MARK: Tasks

    private func task(_ name: String) throws(ModelRefusal) -> ModelTask {
        guard let task = state.tasks[name] else { throw ModelRefusal("no-such-task") }
        return task
    }

    private mutating func change(_ name: String, _ change: (inout ModelTask) -> Void) throws(ModelRefusal) {
        var task = try task(name)
        change(&task)
        task.updatedAt = max(now, task.updatedAt.advanced(byMicroseconds: 1))
        state.tasks[name] = task
    }

    private mutating func create(_ name: String, on day: Day?) throws(ModelRefusal) {
        guard !name.allSatisfy(\.isWhitespace) else { throw ModelRefusal("empty-text") }
        try refusePast(day)
        state.tasks[name] = ModelTask(name: name, day: day, at: now)
        state.place(name)
    }

    private mutating func setState(_ name: String, _ target: TaskState) throws(ModelRefusal) {
        let before = try task(name).state
        guard before != target else { return }
        let (now, zone) = (now, moment.zone)
        try change(name) { task in
            if before == .completed { task.timesReopened += 1 }
            task.state = target
            let isDone = target == .completed
            task.completedAt = isDone ? now : nil
            task.completedIn = isDone ? zone.identifier : nil
            task.completedOffset = isDone ? Int32(zone.offsetSeconds(at: now)) : nil
        }
    }

    private mutating func schedule(_ name: String, on day: Day?) throws(ModelRefusal) {
        guard try task(name).day != day else { return }
        try refusePast(day)
        try change(name) { $0.day = day }
        state.place(name)
    }

    private mutating func carry(_ names: [String], to day: Day?) throws(ModelRefusal) {
        try refusePast(day)
        for name in names {
            let found = try task(name)
            guard let from = found.day, from < today, found.state != .completed else { continue }
            try change(name) { task in
                task.carriedFrom = from
                task.timesCarried += 1
                task.day = day
            }
            state.place(name)
        }
    }

    private mutating func remind(_ name: String, at when: Moment?) throws(ModelRefusal) {
        let reminder: TaskReminder? =
            if case .local(let day, let time) = when, time % 1_000_000 == 0 {
                .time(day, secondsIntoDay: Int(time / 1_000_000))
            } else {
                when.map { .at($0.instant(after: now, in: moment.zone)) }
            }
        let instant: Instant? =
            switch reminder {
            case .time(let day, let seconds): moment.instant(on: day, secondsIntoDay: seconds)
            case .at(let instant): instant
            case nil: nil
            }
        let task = try task(name)
        guard task.reminderAt != instant || task.reminder != reminder else { return }
        try change(name) { ($0.reminderAt, $0.reminder) = (instant, reminder) }
    }

    private mutating func delete(_ name: String) throws(ModelRefusal) {
        let task = try task(name)
        state.forget(name)
        state.deleted[name] = ModelTombstone(of: task, at: now)
    }

    private mutating func purge(_ name: String) throws(ModelRefusal) {
        guard state.tasks[name] != nil || state.deleted[name] != nil else { throw ModelRefusal("no-such-task") }
        state.forget(name)
    }

    // MARK: Places

    private mutating func reorder(_ name: String, to place: Place) throws(ModelRefusal) {
        let task = try task(name)
        // Beside a task of another state means the end of its own group that is nearest.
        let place: Place =
            switch place {
            case .before(let other), .after(let other):
                if let neighbor = state.tasks[other], neighbor.day == task.day, neighbor.state != task.state {
                    neighbor.state.rank < task.state.rank ? .first : .last
                } else {
                    place
                }
            default: place
            }
        let list = state.places[task.day, default: []]
        let others = list.filter { $0 != name }
        let target: Int?
        switch place {
        // A task that is first or last already stays, and nothing is written.
        case .first: target = list.first == name ? nil : 0
        case .last: target = list.last == name ? nil : others.count
        case .before(let other): target = try index(of: other, beside: task, in: others)
        case .after(let other): target = try index(of: other, beside: task, in: others).map { $0 + 1 }
        case .index(let index): target = try self.target(of: task, atIndex: index, in: others)
        }
        guard let target else { return }
        try change(name) { _ in }
        state.place(name, at: target)
    }

    private func index(of other: String, beside task: ModelTask, in others: [String]) throws(ModelRefusal) -> Int? {
        if other == task.name { return nil }
        guard try self.task(other).day == task.day else { throw ModelRefusal("not-in-same-day") }
        return others.firstIndex(of: other)
    }

    /// Converts an index of the view, clamped to the group of the task's state.
    private func target(of task: ModelTask, atIndex index: Int, in others: [String]) throws(ModelRefusal) -> Int? {
        let view = state.tasks(on: task.day)
        guard view.indices.contains(index) else { throw ModelRefusal("no-such-index") }
        let start = view.firstIndex { $0.state == task.state } ?? 0
        let group = view.filter { $0.state == task.state && $0.name != task.name }.map(\.name)
        guard let last = group.last else { return nil }
        let within = min(max(index - start, 0), group.count)
        return within < group.count
            ? others.firstIndex(of: group[within]) : others.firstIndex(of: last).map { $0 + 1 }
    }
}
