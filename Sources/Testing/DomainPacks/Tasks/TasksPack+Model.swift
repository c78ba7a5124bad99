import CivilTime
import FoundationEssentials
import Records
import Tasks

// What the verbs do to the model, and what they ask of it.
extension TasksPack {
    /// The ids of tasks that are not archived and that a condition holds for, in an order that depends on nothing else.
    func ids(where fits: (Task) -> Bool = { _ in true }) -> [UUID] { all { !$0.isArchived && fits($0) } }

    /// Returns the ids with those of archived tasks.
    func all(where fits: (Task) -> Bool = { _ in true }) -> [UUID] {
        let found = tasks.compactMap { id, task in fits(task) ? (number: sortsByID ? 0 : task.number, id: id) : nil }
        return found.sorted { $0.number == $1.number ? $0.id < $1.id : $0.number < $1.number }.map(\.id)
    }

    func open(in slot: Slot) -> Int { (plan[slot] ?? []).count { tasks[$0]?.isCompleted == false } }

    /// Whether an open task can come into a bucket; every one can be without a place.
    func hasRoom(in slot: Slot?) -> Bool {
        slot.map { slot in slot.bucket.cap.map { open(in: slot) < $0 } ?? true } ?? true
    }

    /// The tasks of a day as its view shows them: by state, and within each in their order.
    func view(of day: Day?) -> [UUID] {
        TaskState.allCases.sorted { $0.rank < $1.rank }.flatMap { state in
            (days[day] ?? []).filter { tasks[$0]?.state == state }
        }
    }

    /// Whether a task waits for another one, at once or through others.
    func waits(_ id: UUID, for other: UUID) -> Bool {
        id == other || (tasks[id]?.blockers ?? []).contains { waits($0, for: other) }
    }

    func isBlocking(_ id: UUID) -> Bool { tasks[id].map { !$0.isCompleted && !$0.isArchived } ?? false }

    /// All tasks below one, each behind the one that it is a part of.
    func below(_ id: UUID) -> [UUID] { (parts[id] ?? []).flatMap { [$0] + below($0) } }

    /// How many tasks are above one.
    func level(_ id: UUID) -> Int { tasks[id]?.parent.map { level($0) + 1 } ?? 0 }

    /// How many levels of subtasks it has.
    func height(_ id: UUID) -> Int { (parts[id] ?? []).map { height($0) + 1 }.max() ?? 0 }

    /// The reminders of open tasks that are due and were not delivered, in the order of time.
    func undelivered(at now: Instant) -> [UUID] {
        let due = tasks.compactMap { id, task in
            task.isCompleted || task.isArchived ? nil : task.reminder.map { (at: $0.at, id: id) }
        }
        return due.filter { $0.at <= now && delivered[$0.id] != $0.at }.sorted { ($0.at, $0.id) < ($1.at, $1.id) }.map(
            \.id)
    }
}

// MARK: Changes

extension TasksPack {
    /// Changes a task. On a day, in a list and in a bucket that it comes into, it is last.
    mutating func change(_ id: UUID, _ body: (inout Task) -> Void) {
        guard let old = tasks[id] else { return }
        var task = old
        body(&task)
        tasks[id] = task
        move(id, from: old, to: task)
    }

    mutating func insert(_ id: UUID, _ task: Task) {
        lastNumber = max(lastNumber, task.number)
        tasks[id] = task
        move(id, from: nil, to: task)
    }

    /// Deletes a task with those below it.
    mutating func delete(_ id: UUID) {
        for part in below(id) + [id] { deleteAlone(part) }
    }

    private mutating func deleteAlone(_ id: UUID) {
        guard let task = tasks.removeValue(forKey: id) else { return }
        move(id, from: task, to: nil)
        deleted.insert(id)
        completionsOfDeleted += [task.completedAt].compactMap(\.self)
        for other in tasks.keys { tasks[other]?.blockers.remove(id) }
    }

    private mutating func move(_ id: UUID, from old: Task?, to new: Task?) {
        func move<Key: Hashable>(_ key: (Task) -> Key?, _ orders: inout [Key: [UUID]]) {
            let keys = [old, new].map { task in task.flatMap { $0.isArchived ? nil : key($0) } }
            guard keys[0] != keys[1] else { return }
            if let place = keys[0] {
                orders[place]?.removeAll { $0 == id }
                if orders[place] == [] { orders[place] = nil }
            }
            if let place = keys[1] { orders[place, default: []].append(id) }
        }
        move({ .some($0.day) }, &days)
        move({ .some($0.list) }, &orders)
        move(\.slot, &plan)
        move(\.parent, &parts)
    }

    mutating func rollOver(to today: Day, at now: Instant) {
        // In the order of the views of their days.
        let carried = days.keys.compactMap(\.self).filter { $0 < today }.sorted().flatMap(view).filter { id in
            guard let task = tasks[id] else { return false }
            return task.autoCarry && !task.isCompleted && task.expiresAt.map { $0 >= now } ?? true
        }
        // Who comes first in the plans of the past days comes first today, also where there is room for some only.
        for id in carried.sorted(by: { rank($0).lexicographicallyPrecedes(rank($1)) }) {
            guard var task = tasks[id] else { continue }
            task.day = today
            task.carryCount += 1
            if !hasRoom(in: task.slot) { task.bucket = .none }
            change(id) { $0 = task }
        }
        days[today]?.removeAll(where: carried.contains)
        days[today, default: []] += carried
    }

    private func rank(_ id: UUID) -> [Int] {
        guard let task = tasks[id] else { return [] }
        return [
            task.day.map { Int($0.daysSince1970) } ?? 0, TaskRegion.ordered.firstIndex(of: task.region) ?? 0,
            task.isSticky ? 0 : 1, TaskBucket.ordered.firstIndex(of: task.bucket) ?? 0,
            task.slot.flatMap { plan[$0]?.firstIndex(of: id) } ?? 0,
        ]
    }
}

// MARK: Occurrences

extension TasksPack {
    /// Completes a task with those below it, and makes the occurrence after it, once.
    mutating func finish(_ id: UUID, _ moment: DomainMoment) {
        for id in [id] + below(id) where tasks[id]?.isCompleted == false {
            change(id) { ($0.state, $0.completedAt) = (.completed, moment.now) }
        }
        guard let task = tasks[id], let rule = task.rule else { return }
        let start = task.dayOfRule ?? task.anchor ?? moment.today
        guard
            let next = rule.isAfterCompletion
                ? rule.next(afterCompletionOn: moment.today) : rule.next(of: task, today: moment.today)
        else { return }
        let series = task.series ?? id
        func exists(_ day: Day) -> Bool {
            let other = UUID(occurrenceOf: series, on: day)
            return tasks[other] != nil || deleted.contains(other)
        }
        if rule.isAfterCompletion {
            if exists(start) { return }
        } else {
            if exists(next.day) { return }
            // It was completed on an earlier day already, and the occurrence after it is one of the days since.
            var day = start.advanced(by: 1)
            while task.wasReopened, day < next.day {
                if rule.has(day, from: start), exists(day) { return }
                day = day.advanced(by: 1)
            }
        }
        var child = task
        child.renew()
        child.series = series
        become(next, &child, from: start, in: moment.zone)
        let occurrence = UUID(occurrenceOf: series, on: rule.isAfterCompletion ? start : next.day)
        insert(occurrence, child)
        copyParts(of: id, to: occurrence, start.distance(to: next.day), occurrence)
    }

    private mutating func copyParts(of id: UUID, to copy: UUID, _ days: Int, _ occurrence: UUID) {
        for part in parts[id] ?? [] {
            guard var task = tasks[part] else { continue }
            task.renew()
            (task.day, task.wait) = (task.day?.advanced(by: days), task.wait?.advanced(by: days))
            (task.parent, task.rule, task.dayOfRule, task.series) = (copy, nil, nil, nil)
            let new = UUID(subtask: part, of: occurrence)
            if tasks[new] == nil, !deleted.contains(new) { insert(new, task) }
            copyParts(of: part, to: new, days, occurrence)
        }
    }

    /// Drops one occurrence: the task is last on the next day of its rule.
    mutating func skip(_ id: UUID, _ moment: DomainMoment) {
        guard var task = tasks[id], let rule = task.rule else { return }
        guard let next = rule.next(of: task, today: moment.today) else { return delete(id) }
        let start = task.dayOfRule ?? task.anchor ?? moment.today
        become(next, &task, from: start, in: moment.zone, staying: task.slot)
        change(id) { $0 = task }
        if task.day != nil, let place = days[task.day]?.firstIndex(of: id) {
            days[task.day]?.remove(at: place)
            days[task.day]?.append(id)
        }
    }

    /// Lets a task take over a day of its rule; the due day and the reminder move by as many days. Without a day of its own it is due
    /// then. Where its bucket is full on that day, it is in none.
    private func become(
        _ next: NaiveRule.Next, _ task: inout Task, from start: Day, in zone: Zone, staying slot: Slot? = nil
    ) {
        let days = start.distance(to: next.day)
        if case .day(let due) = task.due { task.due = .day(task.day == nil ? next.day : due.advanced(by: days)) }
        if task.day != nil || task.due == nil { task.day = next.day }
        (task.dayOfRule, task.rule) = (next.day, next.rule)
        task.wait = task.wait?.advanced(by: days)
        task.reminder = task.reminder.map { Reminder($0.day.advanced(by: days), hour: $0.hour, in: zone) }
        if task.slot != slot, !hasRoom(in: task.slot) { task.bucket = .none }
    }
}

extension TasksPack.Task {
    /// Makes it a new one: not begun, with nothing of what was done with it.
    fileprivate mutating func renew() {
        (state, completedAt, wasReopened, carryCount, blockers) = (.notStarted, nil, false, 0, [])
    }

    /// Whether it is hidden on a day.
    func isHidden(on today: Day) -> Bool {
        guard let wait, !isCompleted else { return false }
        return wait > max(today, day ?? today)
    }
}
