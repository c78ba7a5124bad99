import CivilTime
import Tasks

/// The rule after 🔁, as Obsidian Tasks writes it: `every day`, `every 2 weeks on Monday, Thursday`, `every weekday`, `every month
/// on the last`, `every January on the 15th`, with `when done` if it counts from completions.
///
/// A rule that it can say is written this way; any other pattern is written as it is.
enum MarkdownRecurrence {
    fileprivate static let afterCompletion = " when done"

    /// Returns the pattern of the rule of a task of a day; the rule itself if it has no meaning here.
    static func pattern(of rule: String, from day: Day?) -> String {
        var words = MarkdownRuleWords(rule)
        guard let meant = words.rule() else { return rule }
        return (day.map { meant.anchored(at: $0) } ?? meant).rrule
    }

    /// Returns the rule for the pattern of a task of a day.
    static func rule(of pattern: String, from day: Day?) -> String {
        guard let rule = try? RecurrenceRule(rrule: pattern) else { return pattern }
        let plain = PlainRecurrence(pattern: rule.ending(.never).rrule, from: day)
        guard var text = plain.map(text) ?? text(ofDayIn: rule) else { return pattern }
        switch rule.end {
        case .never: break
        case .count(let count): text += " for \(count) \(count == 1 ? "time" : "times")"
        case .until(let day): text += " until \(Month.names[day.month - 1].capitalized) \(day.day), \(day.year)"
        }
        if rule.isAfterCompletion { text += afterCompletion }
        return Self.pattern(of: text, from: day) == pattern ? text : pattern
    }

    private static func text(_ recurrence: PlainRecurrence) -> String {
        let days = recurrence.weekdays.map(\.name.capitalized).joined(separator: ", ")
        return period(recurrence.unit.rawValue, recurrence.interval) + (days.isEmpty ? "" : " on \(days)")
    }

    /// A rule with a day of the month: `every month on the 15th`, `every 3 months on the 2nd Tuesday`.
    private static func text(ofDayIn rule: RecurrenceRule) -> String? {
        guard rule.frequency == .monthly || rule.frequency == .yearly, rule.months.count < 2 else { return nil }
        let stem =
            if let month = rule.months.first {
                rule.frequency == .yearly && rule.interval == 1 ? "every \(Month.names[month - 1].capitalized)" : nil
            } else {
                rule.frequency == .monthly ? period("month", rule.interval) : nil as String?
            }
        let day: String?
        if rule.weekdays.count == 1, rule.monthDays.isEmpty, rule.positions.isEmpty {
            day = "\(ordinal(rule.weekdays[0].ordinal)) \(rule.weekdays[0].weekday.name.capitalized)"
        } else if rule.weekdays.isEmpty, let last = rule.monthDays.last {
            // The last day is the end of the month from the 31st.
            let isLast = rule.monthDays == [-1] || rule.monthDays == [28, 29, 30, 31] && rule.positions == [-1]
            day = isLast ? "last" : rule.monthDays.count == 1 && rule.positions.isEmpty ? ordinal(last) : nil
        } else {
            day = nil
        }
        guard let stem, let day else { return nil }
        return "\(stem) on the \(day)"
    }

    private static func period(_ unit: String, _ interval: Int) -> String {
        interval == 1 ? "every \(unit)" : "every \(interval) \(unit)s"
    }

    private static func ordinal(_ number: Int) -> String {
        if number == -1 { return "last" }
        if number < 0 { return "\(ordinal(-number)) last" }
        return switch (number % 10, number / 10) {
        case (_, 1): "\(number)th"
        case (1, _): "\(number)st"
        case (2, _): "\(number)nd"
        case (3, _): "\(number)rd"
        default: "\(number)th"
        }
    }
}

/// Reads the words of a rule from left to right, without regard to case.
private struct MarkdownRuleWords {
    private var words: ArraySlice<Substring>
    private let isAfterCompletion: Bool

    init(_ text: String) {
        let lower = text.lowercased()
        isAfterCompletion = lower.hasSuffix(MarkdownRecurrence.afterCompletion)
        let rest = isAfterCompletion ? String(lower.dropLast(MarkdownRecurrence.afterCompletion.count)) : lower
        words = rest.replacing(",", with: " , ").split(separator: " ").map { $0 == "and" ? "," : $0 }[...]
    }

    /// The rule; nil if it is none.
    mutating func rule() -> RecurrenceRule? {
        guard words.popFirst() == "every", let first = words.first else { return nil }
        var frequency = RecurrenceRule.Frequency.weekly
        var interval = 1
        var weekdays: [RecurrenceRule.WeekdayPart] = []
        var months: [Int] = []
        if first == "weekday" {
            words.removeFirst()
            weekdays = [.monday, .tuesday, .wednesday, .thursday, .friday].map { .init($0) }
        } else if Self.month(first) != nil {
            frequency = .yearly
            while let month = words.first.flatMap(Self.month) {
                months.append(month)
                words.removeFirst()
                skipSeparator()
            }
        } else if Self.weekday(first) != nil {
            weekdays = takeWeekdays()
        } else {
            if first == "other" {
                interval = 2
                words.removeFirst()
            } else if let number = Int(first) {
                interval = number
                words.removeFirst()
            }
            guard let unit = words.popFirst(), let found = Self.units[unit.hasSuffix("s") ? unit.dropLast() : unit]
            else {
                return nil
            }
            frequency = found
        }
        var days: (month: [Int], week: [RecurrenceRule.WeekdayPart]) = ([], [])
        if words.first == "on", weekdays.isEmpty {
            words.removeFirst()
            if frequency == .weekly || frequency == .daily {
                weekdays = takeWeekdays()
                if weekdays.isEmpty { return nil }
            } else {
                guard let found = takeDays() else { return nil }
                days = found
            }
        }
        guard let end = takeEnd(), words.isEmpty else { return nil }
        return try? RecurrenceRule(
            frequency, every: interval, months: months, monthDays: days.month, weekdays: weekdays + days.week, end: end,
            isAfterCompletion: isAfterCompletion)
    }

    private mutating func takeWeekdays() -> [RecurrenceRule.WeekdayPart] {
        var parts: [RecurrenceRule.WeekdayPart] = []
        while let day = words.first.flatMap(Self.weekday) {
            parts.append(.init(day))
            words.removeFirst()
            skipSeparator()
        }
        return parts
    }

    /// A comma, or "and".
    private mutating func skipSeparator() {
        while words.first == "," { words.removeFirst() }
    }

    /// "the 1st 15th last", "the 2nd tuesday", "the 2nd last friday".
    private mutating func takeDays() -> (month: [Int], week: [RecurrenceRule.WeekdayPart])? {
        var days: (month: [Int], week: [RecurrenceRule.WeekdayPart]) = ([], [])
        while let word = words.first {
            if word == "the" || word == "," {
                words.removeFirst()
                continue
            }
            if let day = Self.weekday(word), frequencyAllowsPlain(days) {
                days.week.append(.init(day))
                words.removeFirst()
                continue
            }
            guard var ordinal = Self.ordinal(word) else { break }
            words.removeFirst()
            if words.first == "last" {
                ordinal = -ordinal
                words.removeFirst()
            }
            if let day = words.first.flatMap(Self.weekday) {
                days.week.append(.init(day, ordinal: ordinal))
                words.removeFirst()
            } else {
                days.month.append(ordinal)
            }
        }
        return days.month.isEmpty == days.week.isEmpty ? nil : days
    }

    /// Whether a weekday without a number may follow: all of them in each month.
    private func frequencyAllowsPlain(_ days: (month: [Int], week: [RecurrenceRule.WeekdayPart])) -> Bool {
        days.month.isEmpty && days.week.allSatisfy { $0.ordinal == 0 }
    }

    /// "for 5 times", "until january 1 2027", "until 2027-01-01"; nil for anything else that is left.
    private mutating func takeEnd() -> RecurrenceRule.End? {
        guard let word = words.first else { return .never }
        let rest = words.dropFirst().filter { $0 != "," }
        if word == "for", rest.count == 2, ["time", "times"].contains(rest[1]), let count = Int(rest[0]) {
            words = []
            return .count(count)
        }
        guard word == "until" else { return nil }
        words = []
        if rest.count == 1 { return (try? Day(String(rest[0]))).map { .until($0) } }
        guard rest.count == 3, let month = Self.month(rest[0]), let day = Int(rest[1]) ?? Self.ordinal(rest[1]),
            let year = Int(rest[2])
        else { return nil }
        return Day(year: year, month: month, day: day).map { .until($0) }
    }

    private static let units: [Substring: RecurrenceRule.Frequency] = [
        "day": .daily, "week": .weekly, "month": .monthly, "year": .yearly,
    ]

    private static func weekday(_ word: Substring) -> Weekday? { Weekday(name: String(word)) }

    private static func month(_ word: Substring) -> Int? {
        (Month.names.firstIndex { $0.lowercased() == word } ?? Month.shortNames.firstIndex { $0.lowercased() == word })
            .map { $0 + 1 }
    }

    /// "1st", "15th", "last"; a number alone is one, too.
    private static func ordinal(_ word: Substring) -> Int? {
        if word == "last" { return -1 }
        let digits = word.prefix { "0"..."9" ~= $0 }
        guard (1...2).contains(digits.count), ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)) else {
            return nil
        }
        return Int(digits).flatMap { (1...31).contains($0) ? $0 : nil }
    }
}
