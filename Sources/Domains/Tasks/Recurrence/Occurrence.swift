import CivilTime
import FoundationEssentials

extension TaskItem {
    /// The rule by which it recurs; nil if it does not, or if another application has written a pattern that is no RRULE or
    /// one of more than dates.
    public var recurrence: RecurrenceRule? {
        recurringPattern.flatMap { try? RecurrenceRule(rrule: $0) }
    }

    /// The day of its rule: that on which it is scheduled, or due if it has no day, unless this one occurrence was moved.
    ///
    /// - Parameter zone: the zone in which a due time is on a day, unless the task has one of its own.
    public func dayOfRule(in zone: Zone) -> Day? { occurrenceDay ?? anchor(in: zone) }

    /// The day that its rule would be counted from: that on which it is scheduled, or due if it has no day.
    public func anchor(in zone: Zone) -> Day? {
        if let day = scheduledDate ?? dueDay { return day }
        let zone = clockZone(or: zone)
        return dueAt.map { ClockTime(of: $0, meant: dueSecondsIntoDay, in: zone).day }
    }

    /// The days of its rule from its own on; of a rule that counts from completions, as if each one were completed on its day.
    public func daysOfRule(limit: Int, today: Day, in zone: Zone) -> [Day] {
        guard var rule = recurrence else { return [] }
        let start = dayOfRule(in: zone) ?? today
        guard rule.isAfterCompletion else { return Array(rule.days(from: start).prefix(limit)) }
        var days = [start]
        while days.count < limit, let next = Occurrence.next(afterCompletionOn: days[days.count - 1], of: rule) {
            days.append(next.day)
            rule = next.rule
        }
        return days
    }

    /// The zone whose clock its times follow.
    package func clockZone(or zone: Zone) -> Zone { dueZone.flatMap { try? Zone($0) } ?? zone }
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
    static func next(after task: TaskItem, of rule: RecurrenceRule, today: Day, in zone: Zone) -> Occurrence? {
        let start = task.dayOfRule(in: zone) ?? today
        let passed = max(start, min(task.anchor(in: zone) ?? start, today))
        guard let day = rule.days(from: start).first(where: { $0 > passed && $0 >= today }) else { return nil }
        return Occurrence(day: day, rule: rule.continued(on: day, after: start))
    }

    /// The first occurrence of a rule after the task's own day, if the rule leaves that one out.
    static func first(of rule: RecurrenceRule, insteadOf start: Day) -> Occurrence? {
        guard let day = rule.days(from: start).first(where: { $0 > start }) else { return nil }
        return Occurrence(day: day, rule: rule.continued(on: day, after: start))
    }

    /// The occurrence after a completion, in a rule that counts from its day.
    static func next(afterCompletionOn today: Day, of rule: RecurrenceRule) -> Occurrence? {
        if case .count(1) = rule.end { return nil }
        // It keeps to the end of the month if the completion is there.
        guard let day = rule.keepingMonthEnd(of: today).days(from: today).first(where: { $0 > today }) else {
            return nil
        }
        return Occurrence(day: day, rule: rule.dropping(1))
    }
}

extension RecurrenceRule {
    /// The rule from a later day on: without what is over.
    fileprivate func continued(on day: Day, after start: Day) -> RecurrenceRule {
        var rule = self
        rule.exceptions.removeAll { $0 < day }
        rule.moved.removeAll { $0 < day }
        guard origin == nil, case .count = end else { return rule }
        return rule.dropping(countedDays(from: start, to: day))
    }

    /// The rule without some of its first days.
    fileprivate func dropping(_ days: Int) -> RecurrenceRule {
        guard case .count(let count) = end else { return self }
        var rule = self
        rule.end = .count(max(1, count - days))
        return rule
    }
}
