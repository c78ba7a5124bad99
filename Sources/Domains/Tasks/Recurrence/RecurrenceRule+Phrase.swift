import CivilTime

/// The notation of people.
extension RecurrenceRule {
    /// Parses a rule as people write it, ignoring case (Documentation/Dates.md): `daily`, `every 3 days`, `weekdays`, `weekly
    /// on fri`, `every 2 weeks on mon,thu`, `every mon,thu`, `monthly on 31`, `monthly on 2nd tue`, `monthly on last day`,
    /// `yearly`, `yearly on feb 29`, each also with `until DAY` or `10 times`, and with `after completion`.
    ///
    /// - Parameters:
    ///   - today: The day that `until DAY` counts from.
    ///   - weekStart: The first day of a week, which decides what "every 2 weeks on mon,thu" means.
    /// - Throws: ``RecurrenceError``, which does not contain the text.
    public init(phrase text: String, today: Day, weekStart: Weekday = .monday) throws(RecurrenceError) {
        let words = text.lowercased().replacing(", ", with: ",").split(separator: " ", omittingEmptySubsequences: false)
        var phrase = RulePhrase(
            words: words.map(String.init)[...], days: DayPhrase(today: today, weekStart: weekStart))
        self = try phrase.rule()
    }

    /// Parses a rule as people write it or as an RRULE: the latter is what has an `=`.
    ///
    /// - Parameter start: The day of the task; nil for today. What people write keeps to the end of the month if that day does
    ///   (``anchored(at:)``); an RRULE is taken literally.
    /// - Throws: ``RecurrenceError``, which does not contain the text.
    public init(parsing text: String, from start: Day? = nil, in context: Context) throws(RecurrenceError) {
        if text.contains("=") {
            try self.init(rrule: text)
        } else {
            self = try RecurrenceRule(phrase: text, today: context.today, weekStart: context.weekStart)
                .anchored(at: start ?? context.today)
        }
    }

    /// The rule as people write it; nil if only an RRULE can say it.
    ///
    /// - Parameter weekStart: The first day of the reader's week.
    public func phrase(weekStart: Weekday = .monday) -> String? {
        if frequency == .weekly, interval > 1, self.weekStart != weekStart { return nil }
        guard exceptions.isEmpty, additions.isEmpty, moved.isEmpty, origin == nil else { return nil }
        guard var text = unendedPhrase else { return nil }
        switch end {
        case .never: break
        case .count(let count): text += count == 1 ? " 1 time" : " \(count) times"
        case .until(let day): text += " until \(day)"
        }
        return isAfterCompletion ? text + " after completion" : text
    }

    private var unendedPhrase: String? {
        func every(_ adverb: String, _ unit: String) -> String {
            interval == 1 ? adverb : "every \(interval) \(unit)"
        }
        switch frequency {
        case .daily:
            return months.isEmpty && monthDays.isEmpty && weekdays.isEmpty ? every("daily", "days") : nil
        case .weekly:
            guard months.isEmpty, weekdays.allSatisfy({ $0.ordinal == 0 }) else { return nil }
            let names = weekdays.map { String($0.weekday.name.prefix(3)) }
            if interval == 1, names == ["mon", "tue", "wed", "thu", "fri"] { return "weekdays" }
            return every("weekly", "weeks") + (names.isEmpty ? "" : " on " + names.joined(separator: ","))
        case .monthly:
            guard months.isEmpty, let day = phraseOfMonthDay else { return nil }
            return every("monthly", "months") + day
        case .yearly:
            let stem = every("yearly", "years")
            if months.isEmpty { return monthDays.isEmpty && weekdays.isEmpty && positions.isEmpty ? stem : nil }
            // No year has a 31 September, and a phrase of it is refused.
            guard months.count == 1, weekdays.isEmpty, let day = monthDays.last, day > 0,
                Day(year: 2000, month: months[0], day: day) != nil,
                (monthDays, positions) == Self.days(of: day, inMonth: months[0])
            else { return nil }
            return "\(stem) on \(Month.shortNames[months[0] - 1]) \(day)"
        }
    }

    /// " on 31", " on last day", " on 2nd tue"; empty for the day of the start.
    private var phraseOfMonthDay: String? {
        if weekdays.isEmpty {
            if positions.isEmpty, monthDays.isEmpty { return "" }
            if positions.isEmpty, monthDays == [-1] { return " on last day" }
            guard let day = monthDays.last, day > 0, (monthDays, positions) == Self.monthEnd(day) else { return nil }
            return " on \(day)"
        }
        guard monthDays.isEmpty, positions.isEmpty, weekdays.count == 1,
            let ordinal = RulePhrase.ordinals.first(where: { $0.1 == weekdays[0].ordinal })
        else { return nil }
        return " on \(ordinal.0) \(weekdays[0].weekday.name.prefix(3))"
    }

    /// A date of the year: 29 February is the last day of February in other years.
    static func days(of day: Int, inMonth month: Int) -> (days: [Int], positions: [Int]) {
        month == 2 ? monthEnd(day) : ([day], [])
    }
}

/// Reads the words of a rule from left to right.
private struct RulePhrase {
    static let ordinals = [("1st", 1), ("2nd", 2), ("3rd", 3), ("4th", 4), ("5th", 5), ("last", -1)]

    var words: ArraySlice<String>
    let days: DayPhrase

    mutating func rule() throws(RecurrenceError) -> RecurrenceRule {
        let (end, isAfterCompletion) = try takeTail()
        do {
            return try repetition(end: end, isAfterCompletion: isAfterCompletion)
        } catch .invalidValue {
            // The names of an RRULE's parts mean nothing here.
            throw .malformedPhrase
        }
    }

    // MARK: The end

    private mutating func takeTail() throws(RecurrenceError) -> (RecurrenceRule.End, Bool) {
        var isAfterCompletion = takeAfterCompletion()
        var end = RecurrenceRule.End.never
        if let place = words.lastIndex(of: "until") {
            end = .until(try day(words[(place + 1)...]))
            words = words[..<place]
        } else if let last = words.last, last == "times" || last == "time", let count = number(words.dropLast().last) {
            end = .count(count)
            words = words.dropLast(2)
        }
        isAfterCompletion = isAfterCompletion || takeAfterCompletion()
        return (end, isAfterCompletion)
    }

    private mutating func takeAfterCompletion() -> Bool {
        guard words.suffix(2) == ["after", "completion"] else { return false }
        words = words.dropLast(2)
        return true
    }

    private func day(_ words: ArraySlice<String>) throws(RecurrenceError) -> Day {
        do {
            return try days.day(words)
        } catch {
            throw .malformedDay(error)
        }
    }

    // MARK: The repetition

    private mutating func repetition(
        end: RecurrenceRule.End, isAfterCompletion: Bool
    ) throws(RecurrenceError) -> RecurrenceRule {
        let (frequency, interval, named) = try takePeriod()
        var parts = (months: [Int](), monthDays: [Int](), weekdays: named, positions: [Int]())
        if words.first == "on", named.isEmpty {
            words = words.dropFirst()
            switch frequency {
            case .daily: throw .malformedPhrase
            case .weekly: parts.weekdays = try weekdays(takeWord())
            case .monthly: (parts.monthDays, parts.weekdays, parts.positions) = try takeMonthDay()
            case .yearly:
                guard let date = DayPhrase.monthAndDay(takeWord(), takeWord()),
                    Day(year: 2000, month: date.month, day: date.day) != nil
                else { throw .malformedPhrase }
                parts.months = [date.month]
                (parts.monthDays, parts.positions) = RecurrenceRule.days(of: date.day, inMonth: date.month)
            }
        }
        guard words.isEmpty else { throw .malformedPhrase }
        return try RecurrenceRule(
            frequency, every: interval, months: parts.months, monthDays: parts.monthDays, weekdays: parts.weekdays,
            positions: parts.positions, weekStart: days.weekStart, end: end, isAfterCompletion: isAfterCompletion)
    }

    /// "daily", "every 2 weeks", "every weekday", "every mon,thu".
    private mutating func takePeriod() throws(RecurrenceError) -> (
        RecurrenceRule.Frequency, interval: Int, weekdays: [RecurrenceRule.WeekdayPart]
    ) {
        switch takeWord() {
        case "daily": return (.daily, 1, [])
        case "weekly": return (.weekly, 1, [])
        case "monthly": return (.monthly, 1, [])
        case "yearly": return (.yearly, 1, [])
        case "weekdays": return (.weekly, 1, Self.workingDays)
        case "every":
            let word = takeWord()
            if let interval = number(word) {
                guard let frequency = Self.units[takeWord()] else { throw .malformedPhrase }
                return (frequency, interval, [])
            }
            if word == "weekday" { return (.weekly, 1, Self.workingDays) }
            if let frequency = Self.units[word + "s"] { return (frequency, 1, []) }
            return (.weekly, 1, try weekdays(word))
        default: throw .malformedPhrase
        }
    }

    /// "31", "last day", "2nd tue".
    private mutating func takeMonthDay() throws(RecurrenceError) -> (
        days: [Int], weekdays: [RecurrenceRule.WeekdayPart], positions: [Int]
    ) {
        let word = takeWord()
        if let day = number(word) {
            let (days, positions) = RecurrenceRule.monthEnd(day)
            guard day <= 31 else { throw .malformedPhrase }
            return (days, [], positions)
        }
        let name = takeWord()
        if word == "last", name == "day" { return ([-1], [], []) }
        guard let ordinal = Self.ordinals.first(where: { $0.0 == word })?.1, let weekday = Weekday(name: name) else {
            throw .malformedPhrase
        }
        return ([], [.init(weekday, ordinal: ordinal)], [])
    }

    private static let units: [String: RecurrenceRule.Frequency] = [
        "days": .daily, "day": .daily, "weeks": .weekly, "week": .weekly, "months": .monthly, "month": .monthly,
        "years": .yearly, "year": .yearly,
    ]

    private static let workingDays: [RecurrenceRule.WeekdayPart] =
        [.monday, .tuesday, .wednesday, .thursday, .friday].map { .init($0) }

    private func weekdays(_ list: String) throws(RecurrenceError) -> [RecurrenceRule.WeekdayPart] {
        var parts: [RecurrenceRule.WeekdayPart] = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let weekday = Weekday(name: String(name)) else { throw .malformedPhrase }
            parts.append(.init(weekday))
        }
        return parts
    }

    /// The next word; empty after the last one, which nothing is named.
    private mutating func takeWord() -> String { words.popFirst() ?? "" }

    private func number(_ word: String?) -> Int? {
        guard let word, (1...7).contains(word.utf8.count), word.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let number = Int(word), number > 0
        else { return nil }
        return number
    }
}
