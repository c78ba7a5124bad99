import CivilTime

/// The value of `rec:`: `+1w` counts from the day that was due, `1w` from the day of completion; `d`, `b` (working days), `w`,
/// `m` and `y`.
///
/// A rule that it can say is written this way, and read as that rule; any other pattern is written as it is.
enum TodoTextRecurrence {
    /// Returns the pattern of a value for a task of a day.
    static func pattern(of value: String, from day: Day?) -> String {
        recurrence(of: value)?.pattern(from: day) ?? value
    }

    /// Returns the value for the pattern of a task of a day.
    static func value(of pattern: String, from day: Day?) -> String {
        PlainRecurrence(pattern: pattern, from: day).flatMap(text) ?? pattern
    }

    private static let units: [Character: PlainRecurrence.Unit] = [
        "d": .day, "b": .weekday, "w": .week, "m": .month, "y": .year,
    ]

    private static func recurrence(of value: String) -> PlainRecurrence? {
        let isFromDueDay = value.hasPrefix("+")
        let digits = value.dropFirst(isFromDueDay ? 1 : 0).dropLast()
        guard let unit = value.last.flatMap({ units[$0] }), (1...4).contains(digits.utf8.count),
            let interval = Int(digits)
        else { return nil }
        return PlainRecurrence(unit, every: interval, isAfterCompletion: !isFromDueDay)
    }

    private static func text(of recurrence: PlainRecurrence) -> String? {
        guard recurrence.weekdays.isEmpty, let unit = units.first(where: { $0.value == recurrence.unit })?.key else {
            return nil
        }
        return "\(recurrence.isAfterCompletion ? "" : "+")\(recurrence.interval)\(unit)"
    }
}
