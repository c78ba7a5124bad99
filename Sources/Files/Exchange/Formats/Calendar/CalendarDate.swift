import ByteStreams
import CivilTime

/// A DATE or DATE-TIME value.
enum CalendarDate: Equatable {
    /// `20260211`.
    case day(Day)
    /// `20260210T091500`: what the clock shows, in the zone of the property, else of the reader.
    case local(Day, seconds: Int)
    /// `20260210T091500Z`.
    case instant(Instant)

    /// Nil for what is not of these forms or does not exist.
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
        // A leap second becomes the second before it, since POSIX time has no place for it.
        let seconds = hour * 3600 + minute * 60 + min(second, 59)
        if digits.count == 15 {
            self = .local(day, seconds: seconds)
        } else {
            guard digits[15] | 0x20 == UInt8(ascii: "z") else { return nil }
            self = .instant(Zone.utc.instant(day: day, secondsIntoDay: seconds))
        }
    }

    /// The instant, or the start of the day, in a zone.
    func instant(in zone: Zone) -> Instant {
        switch self {
        case .day(let day): zone.beginning(of: day)
        case .local(let day, let seconds): zone.instant(day: day, secondsIntoDay: seconds)
        case .instant(let instant): instant
        }
    }

    /// The day as the value says it, or where the instant lies for somebody in a zone.
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

    /// `20260211`.
    static func text(_ day: Day) -> String {
        var bytes: [UInt8] = []
        bytes.append(day)
        return String(decoding: bytes.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
    }
}
