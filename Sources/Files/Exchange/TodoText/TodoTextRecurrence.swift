import CivilTime
import Tasks

/// The value of `rec:`: `+1w` counts from the day that was due, `1w` from the day of completion; `d`, `b` (working days), `w`,
/// `m` and `y`.
///
/// A rule that it can say is written this way, and read as that rule; any other pattern is written as it is.
enum TodoTextRecurrence {
    /// Returns the pattern of a value.
    static func pattern(of value: String) -> String {
        guard let rule = rule(of: value), text(of: rule) == value else { return value }
        return rule.rrule
    }

    /// Returns the value for a pattern.
    static func value(of pattern: String) -> String {
        guard let rule = try? RecurrenceRule(rrule: pattern), rule.rrule == pattern, let text = text(of: rule) else {
            return pattern
        }
        return text
    }

    private static func rule(of value: String) -> RecurrenceRule? {
        let isFromDueDay = value.hasPrefix("+")
        let digits = value.dropFirst(isFromDueDay ? 1 : 0).dropLast()
        guard let unit = value.last, (1...4).contains(digits.utf8.count), let interval = Int(digits) else { return nil }
        let tail = isFromDueDay ? "" : " after completion"
        let phrase: String? =
            switch unit {
            case "d": "every \(interval) days"
            case "b": interval == 1 ? "weekdays" : nil
            case "w": "every \(interval) weeks"
            case "m": "every \(interval) months"
            case "y": "every \(interval) years"
            default: nil
            }
        return phrase.flatMap { try? RecurrenceRule(phrase: $0 + tail, today: .first) }
    }

    private static func text(of rule: RecurrenceRule) -> String? {
        guard rule.end == .never, rule.months.isEmpty, rule.monthDays.isEmpty, rule.positions.isEmpty else {
            return nil
        }
        let unit: String
        if rule.phrase()?.hasPrefix("weekdays") == true {
            unit = "b"
        } else {
            guard rule.weekdays.isEmpty else { return nil }
            unit =
                switch rule.frequency {
                case .daily: "d"
                case .weekly: "w"
                case .monthly: "m"
                case .yearly: "y"
                }
        }
        return "\(rule.isAfterCompletion ? "" : "+")\(rule.interval)\(unit)"
    }
}
