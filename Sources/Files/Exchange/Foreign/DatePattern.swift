import ByteStreams
import CivilTime

/// How dates are written in a table: the order and the separators of day, month and year, such as `d.m.y` or `m/d/y`.
public struct DatePattern: Sendable, Hashable {
    /// The order in which the parts come.
    private let parts: [Character]
    private let separators: [Character]

    /// Nil unless the text is `d`, `m` and `y` in any order with one character between them that is neither a letter nor a digit.
    /// Doubled letters, as in `dd.mm.yyyy`, are the same.
    public init?(_ text: String) {
        var parts: [Character] = []
        var separators: [Character] = []
        for character in text.lowercased() {
            if "dmy".contains(character) {
                if character == parts.last, parts.count == separators.count + 1 { continue }
                guard separators.count == parts.count, !parts.contains(character) else { return nil }
                parts.append(character)
            } else {
                guard !character.isLetter, !character.isNumber, separators.count == parts.count - 1 else { return nil }
                separators.append(character)
            }
        }
        guard parts.count == 3, separators.count == 2 else { return nil }
        (self.parts, self.separators) = (parts, separators)
    }

    /// Returns the day, or the day and the time, that a cell names; nil if it is not written this way. A year of two digits is one of
    /// this century. The time may be `9:05`, `09:05:30` or `9:05 PM`.
    func moment(of text: String) -> CivilMoment? {
        var rest = text[...]
        while rest.last?.isWhitespace == true { rest.removeLast() }
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        var numbers: [Character: Int] = [:]
        for (index, part) in parts.enumerated() {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard (1...4).contains(digits.count), let number = Int(digits) else { return nil }
            numbers[part] = part == "y" && digits.count <= 2 ? 2000 + number : number
            rest = rest.dropFirst(digits.count)
            guard index < 2 else { continue }
            guard rest.first == separators[index] else { return nil }
            rest.removeFirst()
            if separators[index] != " ", rest.first == " " { rest.removeFirst() }
        }
        guard let day = Day(year: numbers["y"] ?? 0, month: numbers["m"] ?? 0, day: numbers["d"] ?? 0) else {
            return nil
        }
        return ForeignDate.moment(on: day, rest)
    }
}

/// Dates as other programs write them.
enum ForeignDate {
    /// Returns the moment that a text names: by a pattern if there is one, else a day or a local time as in ISO 8601
    /// (`2026-02-11`, `2026-02-11 17:30`), or an instant (`2026-02-11T17:30:00+0000`).
    static func moment(of text: String, _ pattern: DatePattern?) -> CivilMoment? {
        if let moment = pattern?.moment(of: text) { return moment }
        if let instant = instant(text) { return .instant(instant) }
        guard text.utf8.count >= 10, let day = try? Day(String(text.prefix(10))) else { return nil }
        let rest = text.dropFirst(10)
        return moment(on: day, rest.first == "T" ? rest.dropFirst() : rest)
    }

    /// An instant in ISO 8601, also with an offset without a colon.
    static func instant(_ text: String) -> Instant? {
        if let instant = try? Instant(text) { return instant }
        guard let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }), text[sign...].count == 5 else { return nil }
        let minutes = text.index(sign, offsetBy: 3)
        return try? Instant("\(text[..<minutes]):\(text[minutes...])")
    }

    /// The day with the time of day that a text names: nothing, `9:05`, `9:05:30`, `9:05 PM`.
    static func moment(on day: Day, _ text: Substring) -> CivilMoment? {
        let words = text.uppercased().split(whereSeparator: \.isWhitespace)
        guard let clock = words.first else { return .day(day) }
        let numbers = clock.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...3).contains(numbers.count), let hour = numbers[0], let minute = numbers[1],
            (0..<60).contains(minute),
            let second = numbers.count == 3 ? numbers[2] : 0, (0..<60).contains(second)
        else { return nil }
        let half = words.dropFirst().first
        switch (half, words.count) {
        case (nil, 1):
            guard (0..<24).contains(hour) else { return nil }
            return .time(day, secondsIntoDay: hour * 3600 + minute * 60 + second)
        case ("AM", 2), ("PM", 2):
            guard (1...12).contains(hour) else { return nil }
            let hours = hour % 12 + (half == "PM" ? 12 : 0)
            return .time(day, secondsIntoDay: hours * 3600 + minute * 60 + second)
        default: return nil
        }
    }
}
