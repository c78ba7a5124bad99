import CivilTime

/// The IANA zones of the names that Windows and Outlook write: of each the zone that Unicode's CLDR gives for the whole world
/// (windowsZones.xml, territory 001).
enum WindowsZones {
    static func identifier(of name: String) -> String? { identifiers[name] }

    private static let identifiers: [String: String] = [
        "AUS Central Standard Time": "Australia/Darwin", "AUS Eastern Standard Time": "Australia/Sydney",
        "Afghanistan Standard Time": "Asia/Kabul", "Alaskan Standard Time": "America/Anchorage",
        "Arab Standard Time": "Asia/Riyadh", "Arabian Standard Time": "Asia/Dubai",
        "Arabic Standard Time": "Asia/Baghdad", "Argentina Standard Time": "America/Buenos_Aires",
        "Atlantic Standard Time": "America/Halifax", "Azerbaijan Standard Time": "Asia/Baku",
        "Azores Standard Time": "Atlantic/Azores", "Bangladesh Standard Time": "Asia/Dhaka",
        "Belarus Standard Time": "Europe/Minsk", "Canada Central Standard Time": "America/Regina",
        "Cape Verde Standard Time": "Atlantic/Cape_Verde", "Caucasus Standard Time": "Asia/Yerevan",
        "Cen. Australia Standard Time": "Australia/Adelaide", "Central America Standard Time": "America/Guatemala",
        "Central Asia Standard Time": "Asia/Almaty", "Central Brazilian Standard Time": "America/Cuiaba",
        "Central Europe Standard Time": "Europe/Budapest", "Central European Standard Time": "Europe/Warsaw",
        "Central Pacific Standard Time": "Pacific/Guadalcanal", "Central Standard Time": "America/Chicago",
        "Central Standard Time (Mexico)": "America/Mexico_City", "China Standard Time": "Asia/Shanghai",
        "E. Africa Standard Time": "Africa/Nairobi", "E. Australia Standard Time": "Australia/Brisbane",
        "E. Europe Standard Time": "Europe/Chisinau", "E. South America Standard Time": "America/Sao_Paulo",
        "Eastern Standard Time": "America/New_York", "Egypt Standard Time": "Africa/Cairo",
        "Ekaterinburg Standard Time": "Asia/Yekaterinburg", "FLE Standard Time": "Europe/Kiev",
        "Fiji Standard Time": "Pacific/Fiji", "GMT Standard Time": "Europe/London",
        "GTB Standard Time": "Europe/Bucharest", "Georgian Standard Time": "Asia/Tbilisi",
        "Greenland Standard Time": "America/Godthab", "Greenwich Standard Time": "Atlantic/Reykjavik",
        "Hawaiian Standard Time": "Pacific/Honolulu", "India Standard Time": "Asia/Calcutta",
        "Iran Standard Time": "Asia/Tehran", "Israel Standard Time": "Asia/Jerusalem",
        "Jordan Standard Time": "Asia/Amman", "Kaliningrad Standard Time": "Europe/Kaliningrad",
        "Korea Standard Time": "Asia/Seoul", "Mauritius Standard Time": "Indian/Mauritius",
        "Middle East Standard Time": "Asia/Beirut", "Montevideo Standard Time": "America/Montevideo",
        "Morocco Standard Time": "Africa/Casablanca", "Mountain Standard Time": "America/Denver",
        "Mountain Standard Time (Mexico)": "America/Mazatlan", "Myanmar Standard Time": "Asia/Rangoon",
        "N. Central Asia Standard Time": "Asia/Novosibirsk", "Namibia Standard Time": "Africa/Windhoek",
        "Nepal Standard Time": "Asia/Katmandu", "New Zealand Standard Time": "Pacific/Auckland",
        "Newfoundland Standard Time": "America/St_Johns", "North Asia East Standard Time": "Asia/Irkutsk",
        "North Asia Standard Time": "Asia/Krasnoyarsk", "Pacific SA Standard Time": "America/Santiago",
        "Pacific Standard Time": "America/Los_Angeles", "Pacific Standard Time (Mexico)": "America/Tijuana",
        "Pakistan Standard Time": "Asia/Karachi", "Paraguay Standard Time": "America/Asuncion",
        "Romance Standard Time": "Europe/Paris", "Russian Standard Time": "Europe/Moscow",
        "SA Eastern Standard Time": "America/Cayenne", "SA Pacific Standard Time": "America/Bogota",
        "SA Western Standard Time": "America/La_Paz", "SE Asia Standard Time": "Asia/Bangkok",
        "Samoa Standard Time": "Pacific/Apia", "Singapore Standard Time": "Asia/Singapore",
        "South Africa Standard Time": "Africa/Johannesburg", "Sri Lanka Standard Time": "Asia/Colombo",
        "Syria Standard Time": "Asia/Damascus", "Taipei Standard Time": "Asia/Taipei",
        "Tasmania Standard Time": "Australia/Hobart", "Tokyo Standard Time": "Asia/Tokyo",
        "Tonga Standard Time": "Pacific/Tongatapu", "Turkey Standard Time": "Europe/Istanbul",
        "US Eastern Standard Time": "America/Indianapolis", "US Mountain Standard Time": "America/Phoenix",
        "UTC": "Etc/UTC", "Ulaanbaatar Standard Time": "Asia/Ulaanbaatar", "Venezuela Standard Time": "America/Caracas",
        "Vladivostok Standard Time": "Asia/Vladivostok", "W. Australia Standard Time": "Australia/Perth",
        "W. Central Africa Standard Time": "Africa/Lagos", "W. Europe Standard Time": "Europe/Berlin",
        "West Asia Standard Time": "Asia/Tashkent", "West Pacific Standard Time": "Pacific/Port_Moresby",
        "Yakutsk Standard Time": "Asia/Yakutsk",
    ]
}

/// What a VTIMEZONE says of its clock: the offsets and the yearly days of its changes.
struct ICalendarZoneRules {
    private struct Part {
        var isDaylight: Bool
        var offset: Int?
        var rule: String?
        var start: String?
    }

    private var parts: [Part] = []

    /// Begins a STANDARD or DAYLIGHT component.
    mutating func begin(_ name: String) { parts.append(Part(isDaylight: name == "DAYLIGHT")) }

    /// Takes a property of the open component.
    mutating func take(_ property: ICalendarProperty) {
        guard !parts.isEmpty else { return }
        switch property.name {
        case "TZOFFSETTO": parts[parts.count - 1].offset = Self.seconds(property.value)
        case "RRULE": parts[parts.count - 1].rule = property.value.uppercased()
        case "DTSTART": parts[parts.count - 1].start = property.value
        default: break
        }
    }

    private static func seconds(_ text: String) -> Int? {
        let digits = text.dropFirst()
        guard let sign = text.first, "+-".contains(sign), digits.count >= 4, let number = Int(digits.prefix(4)) else {
            return nil
        }
        return (sign == "-" ? -1 : 1) * (number / 100 * 3600 + number % 100 * 60)
    }

    /// The zone of a list of candidates whose clock has shown the same in the years from 2020 to 2030: one zone stands for all that have
    /// agreed since.
    func zone(among candidates: [String]) -> Zone? {
        // The newest of the components of each kind says what holds now.
        func newest(_ isDaylight: Bool) -> Part? {
            parts.filter { $0.isDaylight == isDaylight && ($0.rule != nil || !isDaylight) }
                .max { ($0.start ?? "") < ($1.start ?? "") }
        }
        guard let standard = newest(false)?.offset else { return nil }
        let daylight = newest(true)
        for name in candidates {
            guard let zone = try? Zone(name) else { continue }
            if agrees(zone, standard: standard, daylight) { return zone }
        }
        return nil
    }

    private func agrees(_ zone: Zone, standard: Int, _ daylight: Part?) -> Bool {
        for year in 2020...2030 {
            for month in 1...12 {
                guard let day = Day(year: year, month: month, day: 15) else { return false }
                let offset = zone.offsetSeconds(at: zone.instant(day: day, secondsIntoDay: 12 * 3600))
                let expected = isDaylight(month, daylight) ? daylight?.offset ?? standard : standard
                if offset != expected { return false }
            }
        }
        return true
    }

    /// Whether the middle of a month is within the daylight time: from the month of its rule to that of the other one.
    private func isDaylight(_ month: Int, _ daylight: Part?) -> Bool {
        guard let daylight, let start = Self.month(daylight.rule),
            let end = Self.month(parts.last { !$0.isDaylight && $0.rule != nil }?.rule)
        else { return false }
        let isAfterStart = Self.isBeforeMiddle(daylight.rule) ? month >= start : month > start
        let isBeforeEnd =
            Self.isBeforeMiddle(parts.last { !$0.isDaylight && $0.rule != nil }?.rule) ? month < end : month <= end
        return start < end ? isAfterStart && isBeforeEnd : isAfterStart || isBeforeEnd
    }

    private static func month(_ rule: String?) -> Int? {
        rule?.split(separator: ";").first { $0.hasPrefix("BYMONTH=") }.flatMap { Int($0.dropFirst(8)) }
    }

    /// Whether a change is in the first half of its month: on a first or second weekday.
    private static func isBeforeMiddle(_ rule: String?) -> Bool {
        let day = rule?.split(separator: ";").first { $0.hasPrefix("BYDAY=") }?.dropFirst(6) ?? ""
        return day.hasPrefix("1") || day.hasPrefix("2")
    }

    /// Zones whose clocks differ, the best known of each first.
    static let candidates = [
        "Europe/London", "Europe/Berlin", "Europe/Helsinki", "Europe/Moscow", "Europe/Istanbul", "America/New_York",
        "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Anchorage", "America/Halifax",
        "America/St_Johns", "America/Phoenix", "Pacific/Honolulu", "America/Bogota", "America/Sao_Paulo",
        "America/Santiago", "Asia/Dubai", "Asia/Karachi", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Dhaka",
        "Asia/Bangkok", "Asia/Shanghai", "Asia/Tokyo", "Australia/Brisbane", "Australia/Sydney", "Australia/Adelaide",
        "Australia/Darwin", "Pacific/Auckland", "Africa/Lagos", "Africa/Johannesburg", "Africa/Abidjan",
        "Atlantic/Azores", "America/Mexico_City", "Asia/Jerusalem",
    ]
}
