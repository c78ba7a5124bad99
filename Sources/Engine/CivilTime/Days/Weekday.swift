import Processes

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

    /// Parses an English name or its first three letters (`monday`, `mon`), ignoring case.
    ///
    /// - Throws: ``CivilTimeError/malformedWeekday(_:)`` for anything else.
    public init(_ text: String) throws(CivilTimeError) {
        guard let weekday = Weekday(name: text.lowercased()) else { throw .malformedWeekday(text) }
        self = weekday
    }

    /// The weekday of a lower-case name or its first three letters; nil when it is none.
    package init?(name: String) {
        for weekday in Weekday.allCases where name == weekday.name || name == String(weekday.name.prefix(3)) {
            self = weekday
            return
        }
        return nil
    }

    /// The weekday of an ISO number, counted on past 7 and back past 1.
    package init(cyclic number: Int) {
        self = Weekday(rawValue: CalendarMath.floorModulo(number - 1, by: 7) + 1) ?? .monday
    }

    /// The English name in lower case.
    package var name: String { String(describing: self) }
}

extension Weekday {
    /// The weekday on which weeks start where the locale is used, such as Sunday for `en_US.UTF-8`.
    ///
    /// Only the region counts: `en_US`, `en-US`, `zh_Hant_TW@calendar=roc` are all understood. Monday where the locale
    /// names no region (`C`, `POSIX`, `en`) or one that is not in the table.
    public static func firstOfWeek(localeIdentifier: String) -> Weekday {
        let subtags = localeIdentifier.prefix { $0 != "." && $0 != "@" }.split { $0 == "_" || $0 == "-" }
        for subtag in subtags.dropFirst() where subtag.utf8.count == 2 {
            return byRegion[subtag.uppercased()] ?? .monday
        }
        return .monday
    }

    /// The first day of the week in this process's environment: of `LC_ALL`, else `LC_TIME`, else `LANG`.
    public static var firstOfWeekInEnvironment: Weekday {
        for variable in ["LC_ALL", "LC_TIME", "LANG"] {
            if let value = CurrentProcess.variable(variable), !value.isEmpty {
                return firstOfWeek(localeIdentifier: value)
            }
        }
        return .monday
    }

    /// Unicode CLDR's week data: the regions where a week does not start on Monday.
    private static let byRegion: [String: Weekday] = {
        let sunday = """
            AG AS BD BR BS BT BW BZ CA CN CO DM DO ET GT GU HK HN ID IL IN JM JO JP KE KH KR LA MH MM MO MT MX MZ NI NP \
            PA PE PH PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW
            """
        let saturday = "AF BH DJ EG IQ IR KW LY OM QA SD SY"
        var regions: [String: Weekday] = ["MV": .friday]
        for region in sunday.split(separator: " ") { regions[String(region)] = .sunday }
        for region in saturday.split(separator: " ") { regions[String(region)] = .saturday }
        return regions
    }()
}
