import CivilTime
import Tasks

/// A rule of a period alone, or of some weekdays of it, without an end: what other formats can say of recurrence.
///
/// It means what the words of people mean: from the 31st, "every month" keeps to the end of the month. So a rule in words and its
/// pattern belong together only for a task of a day.
struct PlainRecurrence: Equatable {
    /// The period that a rule counts.
    enum Unit: String {
        /// Days.
        case day
        /// Working days, of which only every one can be meant.
        case weekday
        /// Weeks.
        case week
        /// Calendar months.
        case month
        /// Calendar years.
        case year
    }

    var unit: Unit
    var interval = 1
    /// The days of a week, ascending; empty for that of the start.
    var weekdays: [Weekday] = []
    /// Whether the next day is counted from the day of completion.
    var isAfterCompletion = false

    init(_ unit: Unit, every interval: Int = 1, weekdays: [Weekday] = [], isAfterCompletion: Bool = false) {
        self.unit = unit
        self.interval = interval
        self.weekdays = weekdays
        self.isAfterCompletion = isAfterCompletion
    }

    /// The recurrence of a stored pattern, if it says that and nothing else, as Daybook spells it for a task of a day.
    init?(pattern: String, from day: Day?) {
        guard let rule = try? RecurrenceRule(rrule: pattern) else { return nil }
        unit =
            switch rule.frequency {
            case .daily: .day
            case .weekly: rule.phrase()?.hasPrefix("weekdays") == true ? .weekday : .week
            case .monthly: .month
            case .yearly: .year
            }
        interval = rule.interval
        if unit == .week { weekdays = rule.weekdays.map(\.weekday) }
        isAfterCompletion = rule.isAfterCompletion
        guard self.pattern(from: day) == pattern else { return nil }
    }

    /// The pattern as Daybook stores it for a task of a day: an RRULE. Nil if no rule has this interval.
    func pattern(from day: Day?) -> String? {
        guard unit != .weekday || interval == 1 else { return nil }
        let days = weekdays.map { $0.name.prefix(3) }.joined(separator: ",")
        let phrase = unit == .weekday ? "weekdays" : "every \(interval) \(unit.rawValue)s"
        let tail = (days.isEmpty ? "" : " on \(days)") + (isAfterCompletion ? " after completion" : "")
        let rule = try? RecurrenceRule(phrase: phrase + tail, today: .first)
        return (day.flatMap { rule?.anchored(at: $0) } ?? rule)?.rrule
    }
}
