import CivilTime

/// A DURATION value: `P2W`, `-P1DT12H`, `PT15M`.
struct CalendarDuration: Equatable {
    /// Days as calendars have them, which are not always 24 hours long.
    private(set) var days = 0
    private(set) var seconds = 0

    /// Nil for what is not of this form, or is longer than any calendar.
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

    /// The date so much later.
    func after(_ date: CalendarDate, in zone: Zone) -> CalendarDate {
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
