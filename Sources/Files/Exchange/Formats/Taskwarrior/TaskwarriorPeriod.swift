/// How often a task comes again, as Taskwarrior writes it.
///
/// It refuses a whole file for one period that it does not know, so that only these are written.
enum TaskwarriorPeriod {
    private static let words: Set<String> = [
        "annual", "biannual", "bimonthly", "biweekly", "biyearly", "daily", "day", "fortnight", "monthly", "quarterly",
        "semiannual", "weekdays", "weekly", "yearly",
    ]
    private static let units: Set<String> = [
        "d", "day", "days", "h", "hour", "hours", "min", "mo", "month", "months", "q", "quarter", "quarters", "w",
        "week",
        "weeks", "y", "year", "years",
    ]

    /// The pattern if it is one of the words, or up to four digits and a unit, such as `3mo`, `2 weeks` or `P3D`.
    static func known(_ pattern: String) -> String? {
        if words.contains(pattern) { return pattern }
        let isStandard = pattern.hasPrefix("P")
        let rest = pattern.dropFirst(isStandard ? 1 : 0)
        let digits = rest.prefix { "0"..."9" ~= $0 }
        guard 1...4 ~= digits.count, digits.contains(where: { $0 != "0" }) else { return nil }
        let unit = rest.dropFirst(digits.count)
        if isStandard { return ["D", "W", "M", "Y"].contains(unit) ? pattern : nil }
        return units.contains(String(unit.first == " " ? unit.dropFirst() : unit)) ? pattern : nil
    }
}
