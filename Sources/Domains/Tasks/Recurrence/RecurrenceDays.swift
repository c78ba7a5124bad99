import CivilTime

extension RecurrenceRule {
    /// The days of the rule from a start on, ascending. The start is one of them only if the rule has it.
    ///
    /// Cost: memory for one day; time for the days that are looked at, each some nanoseconds. A rule that never occurs ends
    /// after at most the 400 years in which the calendar repeats, in milliseconds.
    public func days(from start: Day) -> RecurrenceDays {
        RecurrenceDays(of: self, from: start)
    }

    /// How many of the days of its periods, which a count counts, lie between two days, the first of them included.
    func countedDays(from start: Day, to end: Day) -> Int {
        var plain = self
        (plain.exceptions, plain.additions, plain.moved) = ([], [], [])
        var count = 0
        for day in plain.days(from: start) {
            if day >= end { break }
            count += 1
        }
        return count
    }
}

/// The days of a rule: a sequence that computes each one when it is asked for it.
///
/// It goes through periods (days, weeks, months, years) and, within each, through the days that the rule's parts allow.
public struct RecurrenceDays: Sequence, IteratorProtocol, Sendable {
    private let rule: RecurrenceRule
    /// The day from which the periods and the count begin.
    private let start: Day
    /// The first day that is returned.
    private let first: Day
    /// The days that are left out.
    private let excluded: Set<Day>
    /// The additional days that follow, the next one last, and a day of the periods that follows one of them.
    private var additions: [Day]
    private var waiting: Day?
    /// The parts, with what follows from the start filled in.
    private let months: [Int]
    private let monthDays: [Int]
    private let weekdays: [RecurrenceRule.WeekdayPart]

    /// The days of the present period that are still to be looked at, as days since 1970.
    private var rest: Range<Int>
    /// The first day of the present period.
    private var period: Int
    /// How many days of the present period were found, and how many it has; the latter only if the rule selects by position.
    private var found = 0
    private var total = 0
    private var returned = 0
    /// The periods since the last day. As many as the calendar repeats in without a day mean that none follows.
    private var emptyPeriods = 0
    private var isOver = false

    init(of rule: RecurrenceRule, from first: Day) {
        self.rule = rule
        self.first = first
        let start = Swift.min(rule.origin ?? first, first)
        self.start = start
        let excluded = Set(rule.exceptions + rule.moved)
        self.excluded = excluded
        additions = rule.additions.reversed().filter { $0 >= first && !excluded.contains($0) }
        let isDaily = rule.frequency == .daily
        let hasDays = isDaily || !rule.monthDays.isEmpty || !rule.weekdays.isEmpty
        let isYearly = rule.frequency == .yearly
        months = isYearly && !hasDays && rule.months.isEmpty ? [start.month] : rule.months
        monthDays = hasDays || rule.frequency == .weekly ? rule.monthDays : [start.day]
        weekdays =
            rule.frequency == .weekly && rule.weekdays.isEmpty ? [.init(start.weekday)] : rule.weekdays
        period = 0
        rest = 0..<0
        begin(at: Self.firstDay(of: rule.frequency, containing: start, weekStart: rule.weekStart))
    }

    /// Returns the next day; nil after the last one.
    public mutating func next() -> Day? {
        if waiting == nil {
            repeat { waiting = nextOfPeriods() } while waiting.map { $0 < first || excluded.contains($0) } ?? false
        }
        if let addition = additions.last, waiting.map({ addition <= $0 }) ?? true {
            additions.removeLast()
            if waiting == addition { waiting = nil }
            return addition
        }
        defer { waiting = nil }
        return waiting
    }

    /// Returns the next day of the periods, of which a count counts each.
    private mutating func nextOfPeriods() -> Day? {
        while !isOver {
            while let day = rest.first {
                rest = day + 1..<rest.upperBound
                guard allows(day) else { continue }
                found += 1
                guard isSelected(found), day >= Int(start.daysSince1970) else { continue }
                return accept(Day(clampingDaysSince1970: day))
            }
            advance()
        }
        return nil
    }

    private mutating func accept(_ day: Day) -> Day? {
        returned += 1
        emptyPeriods = 0
        switch rule.end {
        case .never: break
        case .until(let last) where day > last:
            isOver = true
            return nil
        case .until: break
        case .count(let count): isOver = returned >= count
        }
        return day
    }

    // MARK: Days of a period

    private func isSelected(_ position: Int) -> Bool {
        rule.positions.isEmpty || rule.positions.contains(position) || rule.positions.contains(position - total - 1)
    }

    /// Whether the parts of the rule allow a day of the present period.
    private func allows(_ number: Int) -> Bool {
        let day = CalendarMath.components(days: number)
        if !months.isEmpty, !months.contains(day.month) { return false }
        let length = CalendarMath.length(ofMonth: day.month, year: day.year)
        if !monthDays.isEmpty, !monthDays.contains(day.day), !monthDays.contains(day.day - length - 1) { return false }
        return weekdays.isEmpty || allowsWeekday(of: number, day, length)
    }

    private func allowsWeekday(of number: Int, _ day: CalendarMath.Components, _ length: Int) -> Bool {
        let weekday = CalendarMath.weekday(days: number)
        return weekdays.contains { part in
            guard part.weekday.rawValue == weekday else { return false }
            if part.ordinal == 0 { return true }
            // Counted within the year only where no month is named.
            let isOfYear = rule.frequency == .yearly && months.isEmpty
            let before = isOfYear ? number - period : day.day - 1
            let after = isOfYear ? Self.daysOfYear(day.year) - 1 - before : length - day.day
            return part.ordinal > 0 ? before / 7 + 1 == part.ordinal : -(after / 7 + 1) == part.ordinal
        }
    }

    // MARK: Periods

    private mutating func begin(at day: Int) {
        period = day
        rest = day..<day + Self.length(of: rule.frequency, from: day)
        // The first week of the calendar begins before it, and the last may end after it.
        rest = rest.clamped(to: Int(Day.first.daysSince1970)..<Int(Day.last.daysSince1970) + 1)
        found = 0
        if !rule.positions.isEmpty { total = rest.count { allows($0) } }
    }

    private mutating func advance() {
        emptyPeriods += 1
        guard emptyPeriods <= Self.periodsPerCycle(of: rule.frequency), let next = nextPeriod(),
            next <= Int(Day.last.daysSince1970)
        else {
            isOver = true
            return
        }
        if case .until(let last) = rule.end, next > Int(last.daysSince1970) {
            isOver = true
            return
        }
        begin(at: next)
    }

    /// The first day of the period after the present one and those that the interval skips; nil after the calendar's end.
    private func nextPeriod() -> Int? {
        switch rule.frequency {
        case .daily: return period + rule.interval
        case .weekly: return period + 7 * rule.interval
        case .monthly, .yearly:
            let day = CalendarMath.components(days: period)
            let months = day.year * 12 + day.month - 1 + rule.interval * (rule.frequency == .monthly ? 1 : 12)
            guard months / 12 <= 9999 else { return nil }
            return CalendarMath.days(year: months / 12, month: months % 12 + 1, day: 1)
        }
    }

    private static func firstDay(
        of frequency: RecurrenceRule.Frequency, containing day: Day, weekStart: Weekday
    ) -> Int {
        let number = Int(day.daysSince1970)
        return switch frequency {
        case .daily: number
        case .weekly: number - CalendarMath.floorModulo(day.weekday.rawValue - weekStart.rawValue, by: 7)
        case .monthly: number - (day.day - 1)
        case .yearly: CalendarMath.days(year: day.year, month: 1, day: 1)
        }
    }

    private static func length(of frequency: RecurrenceRule.Frequency, from day: Int) -> Int {
        switch frequency {
        case .daily: return 1
        case .weekly: return 7
        case .monthly:
            let first = CalendarMath.components(days: day)
            return CalendarMath.length(ofMonth: first.month, year: first.year)
        case .yearly: return daysOfYear(CalendarMath.components(days: day).year)
        }
    }

    private static func daysOfYear(_ year: Int) -> Int { CalendarMath.isLeap(year) ? 366 : 365 }

    /// 400 years are 146,097 days, which are 20,871 weeks. So, whatever the interval is, the periods begin to repeat after
    /// at most this many.
    private static func periodsPerCycle(of frequency: RecurrenceRule.Frequency) -> Int {
        switch frequency {
        case .daily: 146_097
        case .weekly: 20_871
        case .monthly: 4_800
        case .yearly: 400
        }
    }
}
