import CivilTime
import Daybook
import FoundationEssentials
import Records
import Tasks

extension RecurrencePack {
    package static let operations: [DomainOperation<Self>] = ofTasks + ofOccurrences

    // MARK: Tasks

    private static let ofTasks: [DomainOperation<Self>] = [
        DomainOperation("begin", weight: 3) { model, draw in
            guard let reminder = draw.pick(hours), let rule = draw.pick(NaiveRule.all(today: draw.today)) else {
                return nil
            }
            let day = draw.pick([draw.today, nil, draw.today.advanced(by: 1)]) ?? nil
            let number = model.lastNumber + 1
            let due = number.isMultiple(of: 3) ? nil : draw.today
            let start = day ?? due ?? rule.first(from: draw.today)
            let (now, zone) = (DomainMoment(draw.now, in: draw.zone), draw.zone)
            let id = TaskAction.id(number)
            // A rule that has no day from this one on.
            guard let start, rule.first(from: start) != nil else {
                return .refused { try $0.tasks.create(newTask(number, rule, on: day, at: now)) }
            }
            var task = Task(number: number, day: due == nil ? start : day, rule: rule, dayOfRule: start)
            task.due = due
            task.reminder = Reminder(draw.today, hour: reminder, in: zone)
            return DomainChange { [task] in
                $0.lastNumber = number
                $0.tasks[id] = task
            } transaction: {
                var new = try newTask(number, rule, on: day, at: now)
                new.due = due.map { .day($0) }
                new.reminder = .time(now.today, secondsIntoDay: reminder * 3600)
                try $0.tasks.create(new)
            }
        },
        DomainOperation("finish", weight: 3) { model, draw in
            guard let id = draw.pick(model.ids { !$0.isCompleted }) else { return nil }
            let moment = DomainMoment(draw.now, in: draw.zone)
            return DomainChange {
                $0.tasks[id]?.isCompleted = true
                $0.makeNext(after: id, moment)
            } transaction: {
                try $0.tasks.setState(id, to: .completed)
            }
        },
        DomainOperation("reopen", weight: 2) { model, draw in
            guard let id = draw.pick(model.ids(where: \.isCompleted)) else { return nil }
            return DomainChange {
                $0.tasks[id]?.isCompleted = false
                $0.tasks[id]?.wasReopened = true
            } transaction: {
                try $0.tasks.setState(id, to: .notStarted)
            }
        },
        DomainOperation("remove", isShort: false) { model, draw in
            guard let id = draw.pick(model.ids()) else { return nil }
            return DomainChange({ $0.delete(id) }) { try $0.tasks.delete(id) }
        },
        // Another reminder, or none.
        DomainOperation("remind", isShort: false) { model, draw in
            guard let id = draw.pick(model.ids()), let hour = draw.pick(hours) else { return nil }
            let day = draw.today.advanced(by: draw.below(3) - 1)
            let reminder = draw.below(5) == 0 ? nil : Reminder(day, hour: hour, in: draw.zone)
            guard reminder != model.tasks[id]?.reminder else { return nil }
            return DomainChange({ $0.tasks[id]?.reminder = reminder }) {
                try $0.tasks.remind(id, reminder.map { .time($0.day, secondsIntoDay: $0.hour * 3600) })
            }
        },
        // The first reminder that is due, to a program that ends then.
        DomainOperation("deliver", weight: 2) { model, draw in
            guard let id = model.undelivered(at: draw.now).first, let at = model.tasks[id]?.reminder?.at else {
                return nil
            }
            return DomainChange {
                $0.delivered[id] = at
            } store: { daybook in
                do {
                    try await ReminderScheduler(daybook.tasks).deliverDue { reminder in
                        guard reminder.task.id == id, reminder.at == at else { throw OtherReminder() }
                        throw Delivered()
                    }
                    throw OtherReminder()
                } catch is Delivered {}
            }
        },
    ]

    // MARK: Occurrences

    private static let ofOccurrences: [DomainOperation<Self>] = [
        DomainOperation("skip") { model, draw in
            guard let id = draw.pick(model.ids { !$0.isCompleted && $0.rule != nil }) else { return nil }
            let moment = DomainMoment(draw.now, in: draw.zone)
            return DomainChange({ $0.skip(id, moment) }) { try $0.tasks.skip(id) }
        },
        // Moves one occurrence to another day; the rule stays.
        DomainOperation("shift") { model, draw in
            let day = draw.today.advanced(by: 1 + draw.below(4))
            guard let id = draw.pick(model.ids { $0.day != day }) else { return nil }
            return DomainChange({ $0.tasks[id]?.day = day }) { try $0.tasks.schedule(id, on: .on(day)) }
        },
        // Another rule, which begins a series by itself, or none.
        DomainOperation("change", isShort: false) { model, draw in
            let open = model.ids { !$0.isCompleted }
            guard let id = draw.pick(open), let task = model.tasks[id] else { return nil }
            guard draw.below(4) > 0, let rule = draw.pick(NaiveRule.all(today: draw.today)) else {
                guard task.rule != nil else { return nil }
                return DomainChange {
                    $0.tasks[id]?.rule = nil
                    $0.tasks[id]?.dayOfRule = nil
                } transaction: {
                    try $0.tasks.repeat(id, by: nil)
                }
            }
            let today = draw.today
            guard let start = task.anchor ?? rule.first(from: today), rule.first(from: start) != nil else {
                return .refused { try $0.tasks.repeat(id, by: parsed(rule, today)) }
            }
            let isSame = task.rule == rule && task.anchor == start && task.dayOfRule == start && task.parent == nil
            guard !isSame else { return nil }
            return DomainChange {
                if task.anchor == nil { $0.tasks[id]?.day = start }
                $0.tasks[id]?.dayOfRule = start
                $0.tasks[id]?.rule = rule
                $0.tasks[id]?.parent = nil
            } transaction: {
                try $0.tasks.repeat(id, by: parsed(rule, today))
            }
        },
    ]

    /// The hours of reminders: one that a change of the clocks leaves out in some zones and has twice in others, and some that
    /// are far from noon, so that what is due does not change in the course of a crash test.
    private static let hours = [8, 18, 2, 0, 21]

    private static func newTask(
        _ number: Int, _ rule: NaiveRule, on day: Day?, at moment: DomainMoment
    ) throws -> NewTask {
        var new = NewTask(TaskAction.text(number), on: day, id: TaskAction.id(number))
        new.recurrence = try parsed(rule, moment.today)
        return new
    }

    private static func parsed(_ rule: NaiveRule, _ today: Day) throws -> RecurrenceRule {
        try RecurrenceRule(phrase: rule.phrase, today: today)
    }

    private struct Delivered: Error {}

    /// Another reminder than the first one that is due was delivered, or none.
    private struct OtherReminder: Error, CustomStringConvertible {
        var description: String { "Another reminder was delivered than the first one that is due." }
    }
}

// MARK: What is compared

extension RecurrencePack {
    package var lines: [String] {
        ids().sorted { $0.lowercased < $1.lowercased }.compactMap { id in
            tasks[id].map { task in
                Self.line(
                    id, TaskAction.text(task.number), task.day, task.rule?.phrase, task.dayOfRule, task.parent,
                    task.due,
                    task.reminder?.at, isCompleted: task.isCompleted)
            }
        } + deleted.map(\.lowercased).sorted().map { "deleted \($0)" }
    }

    package func lines(at moment: DomainMoment) -> [String] {
        let next = tasks.values.filter { !$0.isCompleted }.compactMap(\.reminder?.at).filter { $0 > moment.now }.min()
        let due = undelivered(at: moment.now).map(\.lowercased)
        return lines + ["to be delivered: \(due)", "next reminder: \(next.map { "\($0)" } ?? "none")"]
    }

    package static func lines(in transaction: ReadTransaction) throws -> [String] {
        let reading = transaction.tasks
        var tasks: [TaskItem] = []
        try reading.forEach { task, _ in tasks.append(task) }
        var lines = tasks.sorted { $0.id.lowercased < $1.id.lowercased }.map { task in
            let due: Day? = if case .day(let day) = task.due(in: transaction.context.zone) { day } else { nil }
            return line(
                task.id, task.text, task.scheduledDate, task.recurrence?.phrase(), task.occurrenceDay,
                task.parentRecurringID, due, task.reminderAt, isCompleted: task.isCompleted)
        }
        var deleted: [String] = []
        try reading.forEachTombstone { deleted.append($0.id.lowercased) }
        lines += deleted.sorted().map { "deleted \($0)" }
        let (due, next) = try reading.undelivered(at: transaction.context.clock.wall)
        return lines + [
            "to be delivered: \(due.map(\.task.id.lowercased))", "next reminder: \(next.map { "\($0)" } ?? "none")",
        ]
    }

    private static func line(
        _ id: UUID, _ text: String, _ day: Day?, _ rule: String?, _ dayOfRule: Day?, _ parent: UUID?, _ due: Day?,
        _ reminder: Instant?, isCompleted: Bool
    ) -> String {
        func words<Value>(_ name: String, _ value: Value?) -> String { value.map { ", \(name) \($0)" } ?? "" }
        return "\(id.lowercased) \(text)\(isCompleted ? " done" : "")" + words("on", day) + words("rule", rule)
            + words("of", dayOfRule) + words("from", parent.map(\.lowercased)) + words("due", due)
            + words("reminder", reminder)
    }
}
