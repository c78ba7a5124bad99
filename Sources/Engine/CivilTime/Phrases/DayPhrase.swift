/// Reads days as people write them (Documentation/Dates.md). It reads no clock and no zone: the caller passes today.
package struct DayPhrase: Sendable {
    /// The day that phrases count from.
    package var today: Day
    /// The first day of a week, for "next friday" and "end of week".
    package var weekStart: Weekday
    /// The time that "in 2 hours" counts from; nil where phrases are days.
    package var now: Instant?

    /// A reader for one day.
    package init(today: Day, weekStart: Weekday, now: Instant? = nil) {
        self.today = today
        self.weekStart = weekStart
        self.now = now
    }

    /// Lower-case words with one space between them; white space elsewhere gives an empty word, which no form has.
    package static func words(of text: String) -> [String] {
        text.lowercased().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    }

    /// The day of one or more lower-case words.
    package func day(_ words: ArraySlice<String>) throws(DatePhraseError) -> Day {
        if words.count > 1, words.first == "on" { return try form(words.dropFirst()) }
        return try form(words)
    }

    private func form(_ words: ArraySlice<String>) throws(DatePhraseError) -> Day {
        let words = Array(words)
        switch (words.count, words.first) {
        case (1, _): return try day(word: words[0])
        case (2, "next"): return try start(ofNext: words[1])
        case (2, "this"): return try weekdayFromToday(words[1])
        case (2, "the"): return try dayOfMonth(ordinal: words[1])
        case (3, "in"): return try day(after: words[1], units: words[2])
        case (3, "end") where words[1] == "of": return try end(of: words[2])
        case (2, _), (3, _): return try day(ofMonth: words)
        default: throw .malformedDay
        }
    }

    // MARK: One word

    private func day(word: String) throws(DatePhraseError) -> Day {
        switch word {
        case "today": return today
        case "tomorrow": return try stepping(days: 1)
        case "yesterday": return try stepping(days: -1)
        case "tonight": return today
        case "eow": return try end(of: "week")
        case "eom": return try end(of: "month")
        case "eoy": return try end(of: "year")
        default: break
        }
        if Self.ordinal(word) != nil { return try dayOfMonth(ordinal: word) }
        if let weekday = Weekday(name: word) {
            // The next one after today, never today itself.
            return try stepping(
                days: CalendarMath.floorModulo(weekday.rawValue - today.weekday.rawValue - 1, by: 7) + 1)
        }
        if word.utf8.first == UInt8(ascii: "+") {
            guard let unit = word.last, "dwmy".contains(unit) else { throw .malformedDay }
            return try day(after: String(word.dropFirst().dropLast()), units: String(unit))
        }
        do {
            return try Day(word)
        } catch .impossibleDay {
            throw .impossibleDay
        } catch {
            throw .malformedDay
        }
    }

    // MARK: Several words

    /// "next friday": the one in the week after this one. "next week" and "next month": their first days.
    private func start(ofNext name: String) throws(DatePhraseError) -> Day {
        switch name {
        case "week": return try stepping(days: 7 - daysIntoWeek(today.weekday))
        case "month": return try DayPhrase(today: today.monthOfYear.lastDay, weekStart: weekStart).stepping(days: 1)
        default:
            guard let weekday = Weekday(name: name) else { throw .malformedDay }
            return try stepping(days: 7 - daysIntoWeek(today.weekday) + daysIntoWeek(weekday))
        }
    }

    /// "this friday": the next one, which may be today.
    private func weekdayFromToday(_ name: String) throws(DatePhraseError) -> Day {
        guard let weekday = Weekday(name: name) else { throw .malformedDay }
        return try stepping(days: CalendarMath.floorModulo(weekday.rawValue - today.weekday.rawValue, by: 7))
    }

    /// "15th": the next day of that number, which may be today; months that do not have it are left out.
    private func dayOfMonth(ordinal word: String) throws(DatePhraseError) -> Day {
        guard let number = Self.ordinal(word) else { throw .malformedDay }
        guard (1...31).contains(number) else { throw .impossibleDay }
        // Two months in a row have 31 days at least once in three.
        for months in 0...2 {
            let month = try stepping(months: months)
            if let day = Day(year: month.year, month: month.month, day: number), day >= today { return day }
        }
        throw .outOfRange
    }

    /// The number of "1st", "2nd", "3rd", "15th".
    private static func ordinal(_ word: String) -> Int? {
        guard ["st", "nd", "rd", "th"].contains(word.suffix(2)) else { return nil }
        return dayOfMonth(String(word.dropLast(2)))
    }

    /// "in 3 days", "+3d".
    private func day(after digits: String, units: String) throws(DatePhraseError) -> Day {
        let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { TextCursor.digit($0) != nil }
        guard isNumber else { throw .malformedDay }
        var cursor = TextCursor(digits)
        // Far more than the calendar has of any unit, and too little to overflow.
        let count = cursor.number().flatMap { $0 <= 10_000_000 ? $0 : nil }
        switch units {
        case "d", "day", "days": return try stepping(days: Self.known(count))
        case "w", "week", "weeks": return try stepping(days: Self.known(count) * 7)
        case "m", "month", "months": return try stepping(months: Self.known(count))
        case "y", "year", "years": return try stepping(months: Self.known(count) * 12)
        default: throw .malformedDay
        }
    }

    private static func known(_ count: Int?) throws(DatePhraseError) -> Int {
        guard let count else { throw .outOfRange }
        return count
    }

    private func end(of unit: String) throws(DatePhraseError) -> Day {
        switch unit {
        case "week": return try stepping(days: 6 - daysIntoWeek(today.weekday))
        case "month": return today.monthOfYear.lastDay
        case "year": return Day(year: today.year, month: 12, day: 31) ?? .last
        default: throw .malformedDay
        }
    }

    /// "feb 11", "11 feb", "feb 11 2027": without a year, the first such day that is not before today.
    private func day(ofMonth words: [String]) throws(DatePhraseError) -> Day {
        // A comma may stand before a year.
        let second = words.count == 3 && words[1].last == "," ? String(words[1].dropLast()) : words[1]
        guard let (month, day) = Self.monthAndDay(words[0], second) else { throw .malformedDay }
        if words.count == 3 {
            var cursor = TextCursor(words[2])
            guard let year = cursor.digits(4), cursor.isAtEnd else { throw .malformedDay }
            guard let date = Day(year: year, month: month, day: day) else { throw .impossibleDay }
            return date
        }
        // A leap year, so that 29 February is possible.
        guard Day(year: 2000, month: month, day: day) != nil else { throw .impossibleDay }
        // Two leap years are at most 8 years apart.
        for year in today.year...today.year + 8 {
            if let date = Day(year: year, month: month, day: day), date >= today { return date }
        }
        throw .outOfRange
    }

    /// The month and the day of "feb 11" or "11 feb".
    package static func monthAndDay(_ first: String, _ second: String) -> (month: Int, day: Int)? {
        if let month = Month.number(named: first), let day = dayOfMonth(second) { return (month, day) }
        if let month = Month.number(named: second), let day = dayOfMonth(first) { return (month, day) }
        return nil
    }

    private static func dayOfMonth(_ text: String) -> Int? {
        var cursor = TextCursor(text)
        guard (1...2).contains(text.utf8.count), let day = cursor.number(), cursor.isAtEnd else { return nil }
        return day
    }

    // MARK: Steps

    private func daysIntoWeek(_ weekday: Weekday) -> Int {
        CalendarMath.floorModulo(weekday.rawValue - weekStart.rawValue, by: 7)
    }

    /// Throws instead of clamping when the day is outside the calendar.
    private func stepping(days: Int) throws(DatePhraseError) -> Day {
        guard let number = Int32(exactly: Int(today.daysSince1970) + days), let day = Day(daysSince1970: number) else {
            throw .outOfRange
        }
        return day
    }

    private func stepping(months: Int) throws(DatePhraseError) -> Day {
        guard today.monthOfYear.ordinal + months <= Day.last.monthOfYear.ordinal else { throw .outOfRange }
        return today.adding(months: months)
    }
}

extension Day {
    /// Parses a day as people write it, ignoring case.
    ///
    /// Accepted are `2026-02-11`; `today`, `tomorrow`, `yesterday`; `+3d`, `+2w`, `+1m`, `+1y`; `in 3 days`, `in 2 weeks`,
    /// `in 1 month`; a weekday such as `fri` or `friday`, which is the next one after today, never today itself; `next
    /// friday`, the one of the week after this one; `this friday`, the next one, which may be today; `next week` and `next month`,
    /// their first days; `15th`, the next day of that number; `feb 11`, `11 feb`, `feb 11 2027`; `end of week`, `end of month`,
    /// `end of year`, and `eow`, `eom`, `eoy`; `tonight`, which is today; each also after the word `on`.
    ///
    /// - Parameters:
    ///   - text: The words, with one space between them.
    ///   - today: The day that the words count from.
    ///   - weekStart: The first day of a week.
    /// - Throws: ``DatePhraseError``, which does not contain the text.
    public init(parsing text: String, today: Day, weekStart: Weekday = .monday) throws(DatePhraseError) {
        self = try DayPhrase(today: today, weekStart: weekStart).day(DayPhrase.words(of: text)[...])
    }

    /// Parses a day as people write it, counted from today in the context.
    ///
    /// - Throws: ``DatePhraseError``, which does not contain the text.
    public init(parsing text: String, in context: Context) throws(DatePhraseError) {
        try self.init(parsing: text, today: context.today, weekStart: context.weekStart)
    }
}
