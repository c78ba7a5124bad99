import CivilTime
import FoundationEssentials

extension TaskItem {
    /// The rule by which it recurs; nil if it does not, or if another application has written a pattern that is no RRULE or
    /// one of more than dates.
    public var recurrence: RecurrenceRule? {
        recurringPattern.flatMap { try? RecurrenceRule(rrule: $0) }
    }

    /// The day of its rule: that on which it is scheduled, unless this one occurrence was moved.
    public var dayOfRule: Day? { occurrenceDay ?? scheduledDate }
}

/// One day of a rule, and the rule from it on.
struct Occurrence: Equatable {
    let day: Day
    /// What is left of the rule: its count is that of the days from this one on.
    let rule: RecurrenceRule

    /// The occurrence after that of a task which is completed or skipped today: the first day of the rule that is after both
    /// the task's own day of the rule and, if it was moved to another one that has come, that day; and not in the past.
    /// Days in between are dropped.
    ///
    /// - Returns: nil after the last one.
    static func next(after task: TaskItem, of rule: RecurrenceRule, today: Day) -> Occurrence? {
        let start = task.dayOfRule ?? today
        let passed = max(start, min(task.scheduledDate ?? start, today))
        for (index, day) in rule.days(from: start).enumerated() where day > passed && day >= today {
            return Occurrence(day: day, rule: rule.dropping(index))
        }
        return nil
    }

    /// The occurrence after a completion, in a rule that counts from its day.
    static func next(afterCompletionOn today: Day, of rule: RecurrenceRule) -> Occurrence? {
        if case .count(1) = rule.end { return nil }
        guard let day = rule.anchored(at: today).days(from: today).first(where: { $0 > today }) else { return nil }
        return Occurrence(day: day, rule: rule.dropping(1))
    }
}

extension RecurrenceRule {
    /// The rule without some of its first days.
    fileprivate func dropping(_ days: Int) -> RecurrenceRule {
        guard case .count(let count) = end else { return self }
        var rule = self
        rule.end = .count(max(1, count - days))
        return rule
    }
}
