import Daybook

/// What a clock on the wall of some zone shows.
struct LocalTime {
    /// Seconds into the day, as the clock shows them.
    let secondsIntoDay: Int
    /// Microseconds of the second.
    let fraction: Int

    init(of instant: Instant, in zone: Zone) {
        self.init(of: instant, offsetSeconds: zone.offsetSeconds(at: instant))
    }

    init(of instant: Instant, offsetSeconds: Int) {
        let local = Int(instant.microsecondsSince1970) + offsetSeconds * 1_000_000
        let day = 86_400_000_000
        let intoDay = ((local % day) + day) % day
        (secondsIntoDay, fraction) = intoDay.quotientAndRemainder(dividingBy: 1_000_000)
    }

    /// `23:59`, with seconds where there are any.
    var short: String {
        let (hours, minutes, seconds) = (secondsIntoDay / 3600, secondsIntoDay / 60 % 60, secondsIntoDay % 60)
        let text = "\(PageText.two(hours)):\(PageText.two(minutes))"
        return seconds == 0 && fraction == 0 ? text : text + ":\(PageText.two(seconds))"
    }

    /// Milliseconds of the second, as `.5`, where there are any.
    var milliseconds: String {
        guard fraction >= 1_000 else { return "" }
        var digits = String(fraction / 1_000)
        digits = String(repeating: "0", count: 3 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return ".\(digits)"
    }

    /// The same, with every digit of the fraction that counts.
    var exact: String {
        guard fraction != 0 else { return short }
        var digits = String(fraction)
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(short).\(digits)"
    }
}
