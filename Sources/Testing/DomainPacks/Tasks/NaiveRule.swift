import CivilTime
import Tasks

/// A rule of recurrence that is evaluated by looking at each day, independently of `RecurrenceRule`.
package struct NaiveRule: Equatable, Sendable {
    /// What a day must be.
    enum Form: CaseIterable, Sendable {
        case daily, weekdays, thirdDays, lastOfMonth, thirtyFirst, mondaysAndThursdays, secondTuesdays, leapDay
        case secondTuesdayOfMonth, afterTwoDays, lastOfMonthAfterCompletion
    }

    let form: Form
    /// How many days of it are left, this one included; nil for no limit.
    var left: Int?
    /// The last day that it may have.
    var until: Day?

    /// Some rules: all forms, and a daily one that ends.
    static func all(today: Day) -> [NaiveRule] {
        [NaiveRule(form: .daily), NaiveRule(form: .lastOfMonth), NaiveRule(form: .daily, left: 3)]
            + [NaiveRule(form: .afterTwoDays), NaiveRule(form: .weekdays, until: today.advanced(by: 2))]
            + Form.allCases.dropFirst().map { NaiveRule(form: $0) }
    }

    init(form: Form, left: Int? = nil, until: Day? = nil) {
        self.form = form
        self.left = left
        self.until = until
    }

    var isAfterCompletion: Bool { form == .afterTwoDays || form == .lastOfMonthAfterCompletion }

    /// As a person writes it.
    var phrase: String {
        let stem =
            switch form {
            case .daily: "daily"
            case .weekdays: "weekdays"
            case .thirdDays: "every 3 days"
            case .lastOfMonth, .lastOfMonthAfterCompletion: "monthly on last day"
            case .thirtyFirst: "monthly on 31"
            case .mondaysAndThursdays: "weekly on mon,thu"
            case .secondTuesdays: "every 2 weeks on tue"
            case .leapDay: "yearly on feb 29"
            case .secondTuesdayOfMonth: "monthly on 2nd tue"
            case .afterTwoDays: "every 2 days"
            }
        let end = left.map { " \($0) \($0 == 1 ? "time" : "times")" } ?? until.map { " until \($0)" } ?? ""
        return stem + end + (isAfterCompletion ? " after completion" : "")
    }

    func parsed(today: Day) throws -> RecurrenceRule { try RecurrenceRule(phrase: phrase, today: today) }

    /// Whether the rule has a day, counted from a start.
    func has(_ day: Day, from start: Day) -> Bool {
        let isLast = day.advanced(by: 1).month != day.month
        switch form {
        case .daily: return true
        case .weekdays: return day.weekday != .saturday && day.weekday != .sunday
        case .thirdDays: return start.distance(to: day) % 3 == 0
        case .afterTwoDays: return start.distance(to: day) % 2 == 0
        case .lastOfMonth, .lastOfMonthAfterCompletion, .thirtyFirst: return isLast
        case .mondaysAndThursdays: return day.weekday == .monday || day.weekday == .thursday
        case .secondTuesdays:
            let weeks = Self.monday(before: start).distance(to: Self.monday(before: day)) / 7
            return day.weekday == .tuesday && weeks % 2 == 0
        case .leapDay: return day.month == 2 && isLast
        case .secondTuesdayOfMonth: return day.weekday == .tuesday && (8...14).contains(day.day)
        }
    }

    private static func monday(before day: Day) -> Day {
        var day = day
        while day.weekday != .monday { day = day.advanced(by: -1) }
        return day
    }

    /// A day of the rule, and what is left of the rule from it on.
    struct Next {
        let day: Day
        let rule: NaiveRule
    }

    /// The day after a task that is completed or skipped today.
    func next(of task: TasksPack.Task, today: Day) -> Next? {
        let start = task.dayOfRule ?? task.anchor ?? today
        let passed = max(start, min(task.anchor ?? start, today))
        return next(from: start) { $0 > passed && $0 >= today }
    }

    /// The day after a completion.
    func next(afterCompletionOn today: Day) -> Next? {
        guard left != 1 else { return nil }
        guard let next = next(from: today, where: { $0 > today }) else { return nil }
        var rule = next.rule
        rule.left = left.map { $0 - 1 }
        return Next(day: next.day, rule: rule)
    }

    /// The first day that a task without a day gets.
    func first(from today: Day) -> Day? { next(from: today) { _ in true }?.day }

    /// Looks at each day for longer than any of the rules pauses.
    private func next(from start: Day, where fits: (Day) -> Bool) -> Next? {
        var found = 0
        var day = start
        var pause = 0
        while pause < 400, day < .last {
            if has(day, from: start) {
                if let until, day > until { return nil }
                if let left, found >= left { return nil }
                if fits(day) {
                    var rule = self
                    rule.left = left.map { $0 - found }
                    return Next(day: day, rule: rule)
                }
                found += 1
                pause = 0
            }
            pause += 1
            day = day.advanced(by: 1)
        }
        return nil
    }
}
