extension Duration {
    /// Whole minutes.
    public static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    /// Whole hours.
    public static func hours(_ count: Int) -> Duration { .seconds(3_600 * count) }
    /// Periods of 24 hours, whatever the calendar says of them.
    public static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }

    /// In microseconds, cut off.
    var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    private static let units: [(name: String, microseconds: Int64)] = [
        ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1),
    ]

    /// Reads `3d`, `1h 30m`, `2.9s`, `500ms`, with a sign before it when one is meant: `-1d`. Nil when it is none of
    /// these, or longer than a thousand years.
    public init?(text: String) {
        var rest = Substring(text)
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest.removeFirst() }
        var sum: Int64 = 0
        let parts = rest.split(separator: " ", omittingEmptySubsequences: false)
        for part in parts {
            let number = part.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let unit = Self.units.first(where: { $0.name == part.dropFirst(number.count) }),
                let amount = Double(number), amount * Double(unit.microseconds) <= 3.2e16
            else { return nil }
            sum += Int64((amount * Double(unit.microseconds)).rounded())
            guard sum <= 32_000_000_000_000_000 else { return nil }
        }
        self = .microseconds(isNegative ? -sum : sum)
    }

    /// The text that it is read from, in the largest units that fit.
    public var text: String {
        var rest = wholeMicroseconds.magnitude
        var parts: [String] = []
        for (name, size) in Self.units {
            let (count, remainder) = rest.quotientAndRemainder(dividingBy: UInt64(size))
            if count > 0 { parts.append("\(count)\(name)") }
            rest = remainder
        }
        return (wholeMicroseconds < 0 ? "-" : "") + (parts.isEmpty ? "0s" : parts.joined(separator: " "))
    }
}
