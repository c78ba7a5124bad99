import CivilTime

/// The rule after 🔁, as Obsidian Tasks writes it: `every day`, `every 2 weeks on Monday, Thursday`, `every weekday`, with
/// `when done` if it counts from completions.
///
/// A rule that it can say is written this way, and read as that rule; any other pattern is written as it is.
enum MarkdownRecurrence {
    private static let afterCompletion = " when done"

    /// Returns the pattern of a rule.
    static func pattern(of rule: String) -> String {
        guard let pattern = recurrence(of: rule)?.pattern, Self.rule(of: pattern) == rule else { return rule }
        return pattern
    }

    /// Returns the rule for a pattern.
    static func rule(of pattern: String) -> String {
        PlainRecurrence(pattern: pattern).map(text) ?? pattern
    }

    private static func recurrence(of rule: String) -> PlainRecurrence? {
        let isAfterCompletion = rule.hasSuffix(afterCompletion)
        let rest = isAfterCompletion ? String(rule.dropLast(afterCompletion.count)) : rule
        let parts = rest.split(separator: " on ", maxSplits: 1, omittingEmptySubsequences: false)
        var words = parts[0].split(separator: " ", omittingEmptySubsequences: false)[...]
        guard words.popFirst() == "every", let last = words.popLast() else { return nil }
        let interval = words.isEmpty ? 1 : Int(words.joined(separator: " "))
        let name = words.isEmpty ? last : last.dropLast()
        guard let unit = PlainRecurrence.Unit(rawValue: String(name)), let interval else { return nil }
        let weekdays = parts.count == 1 ? [] : parts[1].split(separator: ", ").map { Weekday(name: $0.lowercased()) }
        guard !weekdays.contains(nil) else { return nil }
        return PlainRecurrence(
            unit, every: interval, weekdays: weekdays.compactMap { $0 }, isAfterCompletion: isAfterCompletion)
    }

    private static func text(of recurrence: PlainRecurrence) -> String {
        let unit = recurrence.unit.rawValue
        let days = recurrence.weekdays.map(\.name.capitalized).joined(separator: ", ")
        return (recurrence.interval == 1 ? "every \(unit)" : "every \(recurrence.interval) \(unit)s")
            + (days.isEmpty ? "" : " on \(days)") + (recurrence.isAfterCompletion ? afterCompletion : "")
    }
}
