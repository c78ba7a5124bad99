import CivilTime
import FoundationEssentials

/// The pattern of weekdays that applications store as JSON.
extension RecurrenceRule {
    private struct Pattern: Codable {
        let days: [Int]
    }

    /// Creates a rule of every week from a pattern such as `{"days":[1,3,5]}`: Monday, Wednesday and Friday. The numbers are those
    /// of ISO 8601, 1 for Monday to 7 for Sunday; 0 is Sunday as well. Other members of the object are ignored.
    ///
    /// - Throws: ``RecurrenceError/malformedPattern`` for any other text, also for one without days.
    public init(weekdayPattern text: String) throws(RecurrenceError) {
        let days: [Int]
        do {
            days = try JSONDecoder().decode(Pattern.self, from: Data(text.utf8)).days
        } catch {
            throw .malformedPattern
        }
        let weekdays = days.compactMap { Weekday(rawValue: $0 == 0 ? Weekday.sunday.rawValue : $0) }
        guard !days.isEmpty, weekdays.count == days.count else { throw .malformedPattern }
        try self.init(.weekly, weekdays: weekdays.map { WeekdayPart($0) })
    }

    /// The pattern of a rule of certain weekdays of every week, such as `{"days":[1,3,5]}`; nil for any other rule.
    public var weekdayPattern: String? {
        guard frequency == .weekly, interval == 1, end == .never, !isAfterCompletion, !weekdays.isEmpty, months.isEmpty,
            exceptions.isEmpty, additions.isEmpty, moved.isEmpty
        else { return nil }
        return "{\"days\":[\(weekdays.map { "\($0.weekday.rawValue)" }.joined(separator: ","))]}"
    }
}
