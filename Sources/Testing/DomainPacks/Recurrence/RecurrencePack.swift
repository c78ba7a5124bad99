import CivilTime
import FoundationEssentials
import Records
import Tasks

/// Recurring tasks and their reminders as a domain of the testing tools. Tasks have numbers from 1, which their occurrences
/// share; ids follow from the numbers and the days.
package struct RecurrencePack: DomainPack {
    package struct Task: Equatable, Sendable {
        /// Its text follows from it.
        var number: Int
        var day: Day?
        var rule: NaiveRule?
        /// The day of its rule.
        var dayOfRule: Day?
        /// The task that its series began with, if it is not that one.
        var parent: UUID?
        var due: Day?
        var reminder: Reminder?
        var isCompleted = false
        /// Whether it was completed before.
        var wasReopened = false
        /// The day that its rule is counted from.
        var anchor: Day? { day ?? due }
    }

    package struct Reminder: Equatable, Sendable {
        var day: Day
        var hour: Int
        /// When that was in the zone in which it was set.
        var at: Instant

        init(_ day: Day, hour: Int, in zone: Zone) {
            self.day = day
            self.hour = hour
            at = zone.instant(day: day, secondsIntoDay: hour * 3600)
        }
    }

    package var tasks: [UUID: Task] = [:]
    package var deleted: Set<UUID> = []
    /// The reminders that were delivered: untracked.
    package var delivered: [UUID: Instant] = [:]
    /// The highest number given.
    package var lastNumber = 0

    package init() {}

    /// None but those of every store.
    package static let records = Schema()
    package static let changesTasks = true

    /// A daily task of today that has a reminder and a due day, one at the ends of months, one that occurs three times, one
    /// that counts from its completion, and a completed one.
    package static let start = ["begin", "begin.327", "begin.436", "begin.545", "begin.218", "finish.1"]

    package func restored(to other: Self) -> Self {
        var restored = other
        restored.delivered = delivered
        restored.lastNumber = lastNumber
        return restored
    }
}

// MARK: The model

extension RecurrencePack {
    /// The ids of tasks that a condition holds for, in an order that depends on nothing else.
    func ids(where fits: (Task) -> Bool = { _ in true }) -> [UUID] {
        tasks.filter { fits($0.value) }.sorted { left, right in
            (left.value.number, left.key.lowercased) < (right.value.number, right.key.lowercased)
        }.map(\.key)
    }

    /// Makes the occurrence after a task that is completed, once.
    mutating func makeNext(after id: UUID, _ moment: DomainMoment) {
        guard let task = tasks[id], let rule = task.rule else { return }
        let start = task.dayOfRule ?? task.anchor ?? moment.today
        guard
            let next = rule.isAfterCompletion
                ? rule.next(afterCompletionOn: moment.today) : rule.next(of: task, today: moment.today)
        else { return }
        let parent = task.parent ?? id
        func exists(_ day: Day) -> Bool {
            let other = UUID(occurrenceOf: parent, on: day)
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
        child.parent = parent
        child.isCompleted = false
        child.wasReopened = false
        child.become(next, from: start, in: moment.zone)
        tasks[UUID(occurrenceOf: parent, on: rule.isAfterCompletion ? start : next.day)] = child
    }

    mutating func skip(_ id: UUID, _ moment: DomainMoment) {
        guard let task = tasks[id], let rule = task.rule else { return }
        if let next = rule.next(of: task, today: moment.today) {
            let start = task.dayOfRule ?? task.anchor ?? moment.today
            tasks[id]?.become(next, from: start, in: moment.zone)
        } else {
            delete(id)
        }
    }

    mutating func delete(_ id: UUID) {
        tasks[id] = nil
        deleted.insert(id)
    }

    /// The reminders of open tasks that are due and were not delivered, in the order of time.
    func undelivered(at now: Instant) -> [UUID] {
        let due = tasks.filter { id, task in
            guard !task.isCompleted, let at = task.reminder?.at else { return false }
            return at <= now && delivered[id] != at
        }
        return due.sorted { left, right in
            let times = (left.value.reminder?.at ?? now, right.value.reminder?.at ?? now)
            return (times.0, left.key.lowercased) < (times.1, right.key.lowercased)
        }.map(\.key)
    }
}

extension RecurrencePack.Task {
    /// Takes over a day of the rule; the due day and the reminder move by as many days. Without a day of its own it is due then.
    fileprivate mutating func become(_ next: NaiveRule.Next, from start: Day, in zone: Zone) {
        let days = start.distance(to: next.day)
        if day == nil, due != nil {
            due = next.day
        } else {
            (day, due) = (next.day, due?.advanced(by: days))
        }
        (dayOfRule, rule) = (next.day, next.rule)
        reminder = reminder.map { .init($0.day.advanced(by: days), hour: $0.hour, in: zone) }
    }
}
