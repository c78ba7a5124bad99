import CivilTime
import Daybook
import FoundationEssentials
import Records
import Tasks

extension TasksPack {
    static let ofOccurrences: [TasksVerb] = [
        // Another reminder, or none.
        TasksVerb("remind", [.recurrence: .long]) { model, draw in
            guard let id = draw.pick(model.ids()), let hour = draw.pick(hours) else { return nil }
            let day = draw.today.advanced(by: draw.below(3) - 1)
            let reminder = draw.below(5) == 0 ? nil : Reminder(day, hour: hour, in: draw.zone)
            guard reminder != model.tasks[id]?.reminder else { return nil }
            return DomainChange(id) {
                $0.reminder = reminder
            } tasks: {
                try $0.remind(id, reminder.map { .time($0.day, secondsIntoDay: $0.hour * 3600) })
            }
        },
        // The first reminder that is due, to a program that ends then.
        TasksVerb("deliver", [.recurrence: .short(2)]) { model, draw in
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
        TasksVerb("skip", [.recurrence: .short, .combined: .short]) { model, draw in
            guard let id = draw.pick(model.ids { !$0.isCompleted && $0.rule != nil }) else { return nil }
            let moment = draw.moment
            return DomainChange {
                $0.skip(id, moment)
            } tasks: {
                try $0.skip(id)
            }
        },
        // Moves one occurrence to another day; the rule stays.
        TasksVerb("shift", [.recurrence: .short, .combined: .short]) { model, draw in
            schedule(on: draw.today.advanced(by: 1 + draw.below(4)), model, &draw)
        },
        // Another rule, which begins a series by itself, or none. A task that expires or is due at an instant gets none.
        TasksVerb("change", [.recurrence: .long, .combined: .short(2)]) { model, draw in
            let open = model.ids { !$0.isCompleted && $0.expiresAt == nil && !($0.due?.isInstant ?? false) }
            guard let id = draw.pick(open), let task = model.tasks[id] else { return nil }
            guard draw.below(4) > 0, let rule = draw.pick(NaiveRule.all(today: draw.today)) else {
                guard task.rule != nil else { return nil }
                return DomainChange(id) {
                    ($0.rule, $0.dayOfRule) = (nil, nil)
                } tasks: {
                    try $0.repeat(id, by: nil)
                }
            }
            let today = draw.today
            let start = task.anchor ?? rule.first(from: today)
            let isSame = task.rule == rule && task.anchor == start && task.dayOfRule == start && task.series == nil
            guard !isSame else { return nil }
            var changed = task
            if task.anchor == nil { changed.day = start }
            (changed.rule, changed.dayOfRule, changed.series) = (rule, start, nil)
            let isAllowed = changed.slot == task.slot || model.hasRoom(in: changed.slot)
            return DomainChange(id, if: isAllowed && start.flatMap(rule.first(from:)) != nil) { [changed] in
                $0 = changed
            } tasks: {
                try $0.repeat(id, by: rule.parsed(today: today))
            }
        },
    ]

    private struct Delivered: Error {}

    /// Another reminder than the first one that is due was delivered, or none.
    private struct OtherReminder: Error, CustomStringConvertible {
        var description: String { "Another reminder was delivered than the first one that is due." }
    }
}

extension TaskDue {
    var isInstant: Bool { if case .at = self { true } else { false } }
}
