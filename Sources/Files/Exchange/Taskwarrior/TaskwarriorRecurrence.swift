import CivilTime

/// The value of `recur`, a period that counts from the day that was due: `daily`, `weekdays`, `2w`, `quarterly`, …
///
/// A rule that it can say is written as a period, and a period is read as that rule. Taskwarrior refuses a file with an unknown
/// period, so no other pattern is written.
enum TaskwarriorRecurrence {
    private enum Period {
        case plain(PlainRecurrence)
        /// Hours and minutes.
        case other
    }

    private static let words: [String: PlainRecurrence] = [
        "annual": .init(.year), "biannual": .init(.year, every: 2), "bimonthly": .init(.month, every: 2),
        "biweekly": .init(.week, every: 2), "biyearly": .init(.year, every: 2), "daily": .init(.day),
        "day": .init(.day),
        "fortnight": .init(.week, every: 2), "monthly": .init(.month), "quarterly": .init(.month, every: 3),
        "semiannual": .init(.month, every: 6), "weekdays": .init(.weekday), "weekly": .init(.week),
        "yearly": .init(.year),
    ]
    private static let units: [String: PlainRecurrence.Unit?] = [
        "d": .day, "day": .day, "days": .day, "h": nil, "hour": nil, "hours": nil, "min": nil, "mo": .month,
        "month": .month, "months": .month, "w": .week, "week": .week, "weeks": .week, "wk": .week, "wks": .week,
        "y": .year, "yr": .year, "yrs": .year, "year": .year, "years": .year,
    ]
    private static let quarters = ["q", "qtr", "qtrs", "quarter", "quarters"]
    private static let standardUnits: [String: PlainRecurrence.Unit] = ["D": .day, "W": .week, "M": .month, "Y": .year]

    /// Returns the pattern of a period for a task of a day: a rule, or the period itself if no rule is the same.
    static func pattern(of period: String, from day: Day?) -> String {
        guard case .plain(let recurrence)? = Self.period(named: period) else { return period }
        return recurrence.pattern(from: day) ?? period
    }

    /// Returns the period for the pattern of a task of a day; nil if Taskwarrior has none.
    static func period(of pattern: String, from day: Day?) -> String? {
        if let recurrence = PlainRecurrence(pattern: pattern, from: day) { return text(of: recurrence) }
        return period(named: pattern) == nil ? nil : pattern
    }

    private static func text(of recurrence: PlainRecurrence) -> String? {
        guard recurrence.weekdays.isEmpty, !recurrence.isAfterCompletion, recurrence.interval < 10_000 else {
            return nil
        }
        let word: String
        let unit: String
        switch recurrence.unit {
        case .day: (word, unit) = ("daily", "d")
        case .weekday: (word, unit) = ("weekdays", "")
        case .week: (word, unit) = ("weekly", "w")
        case .month: (word, unit) = ("monthly", "mo")
        case .year: (word, unit) = ("yearly", "y")
        }
        return recurrence.interval == 1 ? word : "\(recurrence.interval)\(unit)"
    }

    /// The period of one of the words, or of up to four digits and a unit, such as `3mo`, `2 weeks` or `P3D`.
    private static func period(named name: String) -> Period? {
        if let known = words[name] { return .plain(known) }
        let isStandard = name.hasPrefix("P")
        let rest = name.dropFirst(isStandard ? 1 : 0)
        let digits = rest.prefix { "0"..."9" ~= $0 }
        guard 1...4 ~= digits.utf8.count, let interval = Int(digits), interval > 0 else { return nil }
        let unitName = rest.dropFirst(digits.count)
        let unit: PlainRecurrence.Unit?
        if isStandard {
            guard let known = standardUnits[String(unitName)] else { return nil }
            unit = known
        } else {
            let name = String(unitName.first == " " ? unitName.dropFirst() : unitName)
            if quarters.contains(name) { return .plain(PlainRecurrence(.month, every: interval * 3)) }
            guard let known = units[name] else { return nil }
            unit = known
        }
        return unit.map { .plain(PlainRecurrence($0, every: interval)) } ?? .other
    }
}
