import CivilTime

/// The days on which something recurs: a value that is evaluated on calendar days only, so no zone and no clock change can
/// shift it.
///
/// It can say what an RRULE of RFC 5545 says about dates (``init(rrule:)``), and the phrases of people say the common ones
/// (``init(phrase:today:weekStart:)``). ``days(from:)`` lists its days.
public struct RecurrenceRule: Sendable, Hashable {
    /// The period that a rule repeats in.
    public enum Frequency: String, Sendable, CaseIterable {
        /// Days.
        case daily = "DAILY"
        /// Weeks, which begin on the rule's first day of the week.
        case weekly = "WEEKLY"
        /// Calendar months.
        case monthly = "MONTHLY"
        /// Calendar years.
        case yearly = "YEARLY"
    }

    /// A weekday: every one, or the nth of the month or year.
    public struct WeekdayPart: Sendable, Hashable {
        /// 1 for the first, -1 for the last; 0 for every one.
        public let ordinal: Int
        /// The day of the week.
        public let weekday: Weekday

        /// Creates a part; see ``ordinal``.
        public init(_ weekday: Weekday, ordinal: Int = 0) {
            self.ordinal = ordinal
            self.weekday = weekday
        }
    }

    /// When a rule ends.
    public enum End: Sendable, Hashable {
        /// It does not.
        case never
        /// After this day.
        case until(Day)
        /// After this number of days.
        case count(Int)
    }

    /// The period.
    public let frequency: Frequency
    /// Every how many periods; at least 1.
    public let interval: Int
    /// The months, 1 to 12, ascending; empty for all.
    public let months: [Int]
    /// The days of the month, 1 to 31, or -1 for the last down to -31, ascending; empty for all, or that of the start.
    public let monthDays: [Int]
    /// The weekdays; empty for all, or that of the start.
    public let weekdays: [WeekdayPart]
    /// Which of the days of each month or year count: 1 for the first, -1 for the last; empty for all.
    public let positions: [Int]
    /// The first day of a week, where it matters: in rules of every second week and more. Monday in all others.
    public let weekStart: Weekday
    /// When it ends.
    public internal(set) var end: End
    /// Whether the next day is counted from the day of completion, not from the day that was due.
    public internal(set) var isAfterCompletion: Bool

    /// Days that it leaves out, days that it has besides, and days whose occurrences became tasks of their own, which it leaves
    /// out as well: what EXDATE, RDATE and RECURRENCE-ID of iCalendar say. Ascending.
    package internal(set) var exceptions: [Day] = []
    package internal(set) var additions: [Day] = []
    package internal(set) var moved: [Day] = []
    /// The day from which its periods and its count begin, wherever the present occurrence is; nil for that of the occurrence.
    /// A rule with additions needs it, since none of its periods begins on them.
    package internal(set) var origin: Day?

    /// The most that ``interval`` and a count may be.
    static let countLimit = 1_000_000

    /// Creates a rule of the parts of an RRULE.
    ///
    /// - Throws: ``RecurrenceError/invalidValue(part:)`` for values that RFC 5545 does not allow together, and for
    ///   `BYSETPOS` in daily and weekly rules.
    public init(
        _ frequency: Frequency, every interval: Int = 1, months: [Int] = [], monthDays: [Int] = [],
        weekdays: [WeekdayPart] = [], positions: [Int] = [], weekStart: Weekday = .monday, end: End = .never,
        isAfterCompletion: Bool = false
    ) throws(RecurrenceError) {
        guard (1...Self.countLimit).contains(interval) else { throw .invalidValue(part: "INTERVAL") }
        guard months.allSatisfy((1...12).contains) else { throw .invalidValue(part: "BYMONTH") }
        guard monthDays.allSatisfy({ (1...31).contains(abs($0)) }), frequency != .weekly || monthDays.isEmpty else {
            throw .invalidValue(part: "BYMONTHDAY")
        }
        let ordinalLimit =
            switch frequency {
            case .daily, .weekly: 0
            case .monthly: 5
            case .yearly: months.isEmpty ? 53 : 5
            }
        guard weekdays.allSatisfy({ abs($0.ordinal) <= ordinalLimit }) else { throw .invalidValue(part: "BYDAY") }
        let isInMonthOrYear = frequency == .monthly || frequency == .yearly
        guard positions.allSatisfy({ (1...366).contains(abs($0)) }), positions.isEmpty || isInMonthOrYear else {
            throw .invalidValue(part: "BYSETPOS")
        }
        if case .count(let count) = end, !(1...Self.countLimit).contains(count) { throw .invalidValue(part: "COUNT") }
        self.frequency = frequency
        self.interval = interval
        self.months = Set(months).sorted()
        self.monthDays = Set(monthDays).sorted()
        self.weekdays = Set(weekdays).sorted { ($0.weekday.rawValue, $0.ordinal) < ($1.weekday.rawValue, $1.ordinal) }
        self.positions = Set(positions).sorted()
        self.weekStart = frequency == .weekly && interval > 1 ? weekStart : .monday
        self.end = end
        self.isAfterCompletion = isAfterCompletion
    }

    /// Whether the day of the month follows from the start, in a rule of every month or every year.
    private var dependsOnStart: Bool {
        let isInMonthOrYear = frequency == .monthly || frequency == .yearly
        return isInMonthOrYear && months.isEmpty && monthDays.isEmpty && weekdays.isEmpty && positions.isEmpty
    }

    /// The rule for a start, in which a day that not every month or year has becomes the last one of those that lack it:
    /// "monthly" from 31 January is the last day of each month, "yearly" from 29 February is 28 February in other years.
    ///
    /// An RRULE without a day, taken literally, skips them. A rule that counts from completions has no fixed start, and is
    /// returned as it is.
    public func anchored(at start: Day) -> RecurrenceRule { isAfterCompletion ? self : keepingMonthEnd(of: start) }

    /// The rule with days that a file names, from the day of its task on.
    package func excepting(_ exceptions: [Day], adding additions: [Day], from start: Day) -> RecurrenceRule {
        var rule = self
        rule.exceptions = Set(exceptions).sorted()
        rule.additions = Set(additions).sorted()
        if !additions.isEmpty { rule.origin = start }
        return rule
    }

    /// The rule with another end.
    package func ending(_ end: End) -> RecurrenceRule {
        var rule = self
        rule.end = end
        return rule
    }

    func keepingMonthEnd(of start: Day) -> RecurrenceRule {
        guard dependsOnStart else { return self }
        let monthDays = Self.monthEnd(start.day)
        let isRare = frequency == .monthly ? start.day > 28 : start.month == 2 && start.day == 29
        guard isRare else { return self }
        let rule = try? RecurrenceRule(
            frequency, every: interval, months: frequency == .yearly ? [start.month] : [], monthDays: monthDays.days,
            positions: monthDays.positions, end: end, isAfterCompletion: isAfterCompletion)
        return rule ?? self
    }

    /// A day of the month, or the last one of months without it, as RFC 5545 says it: the last of 28, 29, 30 and 31.
    static func monthEnd(_ day: Int) -> (days: [Int], positions: [Int]) {
        day > 28 ? (Array(28...day), [-1]) : ([day], [])
    }
}
