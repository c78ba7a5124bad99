import Daybook

/// A local day as the page names it, with what is odd about it.
struct DayLabel: Equatable {
    /// The day.
    let day: Day
    /// `23 h long`, `begins at 01:00`, `Fri 30 Dec is skipped`: empty for most days.
    let oddities: [String]

    init(_ day: Day, in zone: Zone) {
        self.day = day
        let start = zone.start(of: day)
        let length = zone.end(of: day).microsecondsSince1970 - start.microsecondsSince1970
        var oddities: [String] = []
        let before = day.advanced(by: -1)
        if before < day, !zone.exists(before) { oddities.append("\(Self.name(before)) is skipped") }
        if length != 86_400_000_000 { oddities.append("\(Self.hours(length)) long") }
        let time = LocalTime(of: start, in: zone)
        if time.secondsIntoDay != 0 { oddities.append("begins at \(time.short)") }
        self.oddities = oddities
    }

    /// `Sun 29 Mar`.
    var name: String { Self.name(day) }

    /// `Sun 29 Mar`.
    static func name(_ day: Day) -> String {
        "\(weekdays[day.weekday.rawValue - 1]) \(day.day) \(months[day.month - 1])"
    }

    /// `23 h`, `24 h 30 min`: a day is too odd here to be counted in days.
    private static func hours(_ length: Int64) -> String {
        let (hours, rest) = length.quotientAndRemainder(dividingBy: 3_600_000_000)
        return "\(hours) h" + (rest == 0 ? "" : " \(PageText.duration(microseconds: rest))")
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

extension Zone {
    /// The place in the name: `Berlin`, `Los Angeles`.
    var place: String {
        let last = identifier.split(separator: "/").last.map(String.init) ?? identifier
        return String(last.map { $0 == "_" ? " " : $0 })
    }
}
