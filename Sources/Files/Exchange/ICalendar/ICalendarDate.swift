import ByteStreams
import CivilTime

/// A DATE or DATE-TIME value.
enum ICalendarDate: Equatable {
    /// `20260211`.
    case day(Day)
    /// `20260210T091500`: local time, in the zone of the property or else of the reader.
    case local(Day, seconds: Int)
    /// `20260210T091500Z`.
    case instant(Instant)

    /// Nil if the value does not have one of these forms or does not exist.
    init?(_ value: String) {
        let digits = Array(value.utf8)
        guard digits.count == 8 || digits.count == 15 || digits.count == 16,
            let year = Self.number(digits[0..<4]), let month = Self.number(digits[4..<6]),
            let number = Self.number(digits[6..<8]), let day = Day(year: year, month: month, day: number)
        else { return nil }
        if digits.count == 8 {
            self = .day(day)
            return
        }
        guard digits[8] | 0x20 == UInt8(ascii: "t"), let hour = Self.number(digits[9..<11]), hour < 24,
            let minute = Self.number(digits[11..<13]), minute < 60,
            let second = Self.number(digits[13..<15]), second <= 60
        else { return nil }
        // POSIX time has no leap seconds: one becomes the second before it.
        let seconds = hour * 3600 + minute * 60 + min(second, 59)
        if digits.count == 15 {
            self = .local(day, seconds: seconds)
        } else {
            guard digits[15] | 0x20 == UInt8(ascii: "z") else { return nil }
            self = .instant(Zone.utc.instant(day: day, secondsIntoDay: seconds))
        }
    }

    /// Returns the instant, or the start of the day, in a zone.
    func instant(in zone: Zone) -> Instant {
        switch self {
        case .day(let day): zone.beginning(of: day)
        case .local(let day, let seconds): zone.instant(day: day, secondsIntoDay: seconds)
        case .instant(let instant): instant
        }
    }

    /// Returns the day, or the day of the instant in a zone.
    func day(in zone: Zone) -> Day {
        switch self {
        case .day(let day), .local(let day, _): day
        case .instant(let instant): zone.day(of: instant)
        }
    }

    var isDay: Bool {
        if case .day = self { return true }
        return false
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// `20260210T091500Z`: whole seconds.
    static func text(_ instant: Instant) -> String {
        instant.basicText
    }

    /// `20260210T091500`: local time.
    static func text(_ time: ClockTime) -> String {
        // The same digits as of that time in UTC.
        String(text(ClockTime(day: time.day, secondsIntoDay: time.secondsIntoDay).instant(in: .utc)).dropLast())
    }

    /// `20260211`.
    static func text(_ day: Day) -> String {
        var bytes: [UInt8] = []
        bytes.append(day)
        return String(decoding: bytes.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
    }
}

/// A DURATION value: `P2W`, `-P1DT12H`, `PT15M`.
struct ICalendarDuration: Equatable {
    /// Calendar days, which are not always 24 hours long.
    private(set) var days = 0
    private(set) var seconds = 0

    /// Nil if the value does not have this form or is too long.
    init?(_ value: String) {
        var rest = value.uppercased().utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
        var units = Array("WD".utf8)
        var isTime = false
        while !rest.isEmpty {
            if rest.first == UInt8(ascii: "T"), !isTime {
                isTime = true
                units = Array("HMS".utf8)
                rest.removeFirst()
            }
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest[digits.endIndex...]
            guard (1...9).contains(digits.count), let count = Int(Substring(digits)),
                let unit = rest.popFirst(), let index = units.firstIndex(of: unit)
            else { return nil }
            units.removeFirst(index + 1)
            switch unit {
            case UInt8(ascii: "W"): days += count * 7
            case UInt8(ascii: "D"): days += count
            case UInt8(ascii: "H"): seconds += count * 3600
            case UInt8(ascii: "M"): seconds += count * 60
            default: seconds += count
            }
        }
        if isNegative { (days, seconds) = (-days, -seconds) }
    }

    /// Returns the date plus this duration.
    func after(_ date: ICalendarDate, in zone: Zone) -> ICalendarDate {
        switch date {
        case .day(let day):
            guard seconds == 0 else { return .instant(zone.start(of: moved(day)).advanced(bySeconds: Int64(seconds))) }
            return .day(moved(day))
        case .local(let day, let time):
            let start = zone.instant(day: moved(day), secondsIntoDay: time)
            return .instant(start.advanced(bySeconds: Int64(seconds)))
        case .instant(let instant):
            return .instant(instant.advanced(bySeconds: Int64(days) * 86_400 + Int64(seconds)))
        }
    }

    private func moved(_ day: Day) -> Day { day.advanced(by: days) }
}

/// Finds the zones that a file names.
final class ICalendarZones {
    /// The limit of zone names in a file.
    private static let limit = 1_000

    private var found: [String: Zone?] = [:]
    /// All names: looking up one that does not exist takes longer than listing all.
    private static let identifiers = Set(Zone.allIdentifiers())

    /// The zone of a `TZID`: an IANA name, one with a prefix (`/freeassociation.sourceforge.net/Europe/Berlin`), or a name of Windows.
    func zone(_ identifier: String) -> Zone? {
        if let zone = found[identifier] { return zone }
        guard found.count < Self.limit else { return nil }
        let zone = lookUp(identifier)
        found[identifier] = .some(zone)
        return zone
    }

    /// Defines a name of a VTIMEZONE as an IANA zone.
    func define(_ identifier: String, as location: String) {
        if zone(identifier) == nil, let zone = zone(location) { found[identifier] = .some(zone) }
    }

    /// Defines a name of a VTIMEZONE by the rules that it states, where the name alone says nothing.
    func define(_ identifier: String, by rules: ICalendarZoneRules) {
        if zone(identifier) == nil, let zone = rules.zone(among: ICalendarZoneRules.candidates) {
            found[identifier] = .some(zone)
        }
    }

    private func lookUp(_ identifier: String) -> Zone? {
        guard identifier.utf8.count <= 200 else { return nil }
        if let name = WindowsZones.identifier(of: identifier) { return try? Zone(name) }
        let parts = identifier.split(separator: "/")
        // The full name; then three parts (America/Argentina/Buenos_Aires), then two.
        let names =
            [identifier]
            + [3, 2].filter { parts.count > $0 || identifier.hasPrefix("/") && parts.count == $0 }
            .map { parts.suffix($0).joined(separator: "/") }
        let name = names.first { Self.identifiers.contains($0) || $0 == Zone.utc.identifier }
        return name.flatMap { try? Zone($0) }
    }
}
