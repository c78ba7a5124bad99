/// A day of the week, numbered as in ISO 8601.
public enum Weekday: Int, Sendable, CaseIterable {
    /// Monday, 1.
    case monday = 1
    /// Tuesday, 2.
    case tuesday
    /// Wednesday, 3.
    case wednesday
    /// Thursday, 4.
    case thursday
    /// Friday, 5.
    case friday
    /// Saturday, 6.
    case saturday
    /// Sunday, 7.
    case sunday

    /// Reads an English name, whole or its first three letters (`monday`, `mon`), in any case.
    ///
    /// - Throws: ``CivilTimeError/malformedWeekday(_:)`` for anything else.
    public init(_ text: String) throws(CivilTimeError) {
        guard let weekday = Weekday(name: text.lowercased()) else { throw .malformedWeekday(text) }
        self = weekday
    }

    /// The weekday of a lower-case name; nil when it is none.
    init?(name: String) {
        for weekday in Weekday.allCases where name == weekday.name || name == String(weekday.name.prefix(3)) {
            self = weekday
            return
        }
        return nil
    }

    /// The weekday of an ISO number, counted on past 7 and back past 1.
    init(cyclic number: Int) {
        self = Weekday(rawValue: CalendarMath.floorModulo(number - 1, by: 7) + 1) ?? .monday
    }

    private var name: String { String(describing: self) }
}
