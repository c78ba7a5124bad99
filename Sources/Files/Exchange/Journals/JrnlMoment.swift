import ByteStreams
import CivilTime

/// The date and the time of a heading of jrnl, whose `timeformat` the file does not name: numbers in any usual order, English names,
/// 12 or 24 hours.
///
/// Words are taken one after the other. Whether they make a date that exists is known only in the end, as is, after all headings of
/// the file, the order of day and month.
struct JrnlMoment {
    /// The kind of the date, by which the headings of a file without brackets are recognized.
    enum Form: Hashable {
        case yearFirst(Character)
        case yearLast(Character)
        case compact
        case names
    }

    /// Two numbers of which one is the day and one the month.
    struct Unordered {
        let first: Int
        let second: Int
        let separator: Character
    }

    private(set) var form: Form?
    private(set) var unordered: Unordered?
    /// Whether the year has two digits.
    private(set) var hasShortYear = false
    private(set) var weekday: Weekday?
    private(set) var year: Int?
    private var month: Int?
    private var day: Int?
    private var hour: Int?
    private var minute = 0
    private var second = 0
    /// Whether it is after noon, of a clock of 12 hours.
    private var isAfternoon: Bool?
    private var offset: Int?
    /// A number that is an hour if `AM` or `PM` follows.
    private var possibleHour: Int?

    /// Whether there is a whole date.
    var hasDate: Bool { year != nil && (unordered != nil || month != nil && day != nil) }
    var hasTime: Bool { hour != nil }
    var hasMonth: Bool { month != nil }
    var hasDay: Bool { day != nil }
    /// Whether the last word is a number that is an hour only if `AM` or `PM` follows.
    var isIncomplete: Bool { possibleHour != nil }

    // MARK: Words

    /// Takes a word; returns whether it can be a part of a date and time, after those that were taken before.
    mutating func take(_ word: Substring, isBracketed: Bool) -> Bool {
        var word = word.lowercased()[...]
        if word.last == "," { word.removeLast() }
        if let mark = word.firstIndex(where: { $0 == "t" || $0 == "_" }), word[..<mark].last?.isNumber ?? false,
            word[mark...].dropFirst().first?.isNumber ?? false
        {
            return takePart(word[..<mark], isBracketed) && takePart(word[mark...].dropFirst(), isBracketed)
        }
        return takePart(word, isBracketed)
    }

    /// Whether a word separates the parts, and is none.
    static func isFiller(_ word: Substring) -> Bool {
        ["at", "@", "-", "–", "—", "|", "of"].contains(word.lowercased())
    }

    private mutating func takePart(_ word: Substring, _ isBracketed: Bool) -> Bool {
        let hour = possibleHour
        possibleHour = nil
        if let isAfternoon = Self.meridiem(word) {
            guard self.isAfternoon == nil, let hour = self.hour ?? hour else { return false }
            (self.hour, self.isAfternoon) = (hour, isAfternoon)
            return true
        }
        if word.contains(":") { return takeTime(word) }
        return takeName(word) || takeNumber(word) || takeDate(word) || takeZone(word)
            || isBracketed && hasDate && takeOtherTime(word)
    }

    private mutating func takeName(_ word: Substring) -> Bool {
        let name = word.last == "." ? word.dropLast() : word
        if weekday == nil, let found = Self.weekday(name) {
            weekday = found
            return true
        }
        guard month == nil, unordered == nil, let found = Self.month(name) else { return false }
        (month, form) = (found, .names)
        return true
    }

    /// A year, a day of a month with a name, an hour before `AM` or `PM`, `20190724`, `201907242000`.
    private mutating func takeNumber(_ word: Substring) -> Bool {
        var digits = word.prefix { $0.isASCII && $0.isNumber }
        let mark = word[digits.endIndex...]
        guard !digits.isEmpty, let number = Int(digits) else { return false }
        if let isAfternoon = Self.meridiem(mark), digits.count < 3, hour == nil {
            (hour, self.isAfternoon) = (number, isAfternoon)
            return true
        }
        guard ["", ".", "st", "nd", "rd", "th"].contains(mark) else { return false }
        switch digits.count {
        case 1, 2:
            if hasDate || day != nil && month == nil {
                possibleHour = hour == nil ? number : nil
                return possibleHour != nil && mark.isEmpty
            }
            if day == nil {
                day = number
                return unordered == nil
            }
            guard year == nil, mark.isEmpty else { return false }
            (year, hasShortYear) = (Self.year(number), true)
            return true
        case 4 where year == nil && mark.isEmpty:
            year = number
            return true
        case 8 where Self.hasYear(digits), 12 where Self.hasYear(digits), 14 where Self.hasYear(digits):
            guard year == nil, month == nil, mark.isEmpty else { return false }
            func next(_ count: Int) -> Int? {
                defer { digits = digits.dropFirst(count) }
                return Int(digits.prefix(count))
            }
            (year, month, day, form) = (next(4), next(2), next(2), .compact)
            if !digits.isEmpty { (hour, minute) = (next(2), next(2) ?? 0) }
            second = next(2) ?? 0
            return true
        default: return false
        }
    }

    /// `2019-07-24`, `24.07.2019`, `07/24/19`, `24-Jul-2019`.
    private mutating func takeDate(_ word: Substring) -> Bool {
        guard year == nil, month == nil, day == nil, let separator = word.first(where: { "-./".contains($0) }) else {
            return false
        }
        let text = separator == "." && word.last == "." ? word.dropLast() : word
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return false }
        let numbers = parts.map { $0.utf8.count <= 4 && $0.allSatisfy(\.isASCII) ? Int($0) : nil }
        let lengths = parts.map(\.utf8.count)
        if let month = Self.month(parts[1]), let first = numbers[0], let last = numbers[2] {
            (day, self.month, year) = lengths[0] == 4 ? (last, month, first) : (first, month, last)
            if lengths[0] < 3, lengths[2] < 3 { (year, hasShortYear) = (Self.year(last), true) }
            form = .names
        } else if let month = Self.month(parts[0]), let day = numbers[1], let year = numbers[2], lengths[2] == 4 {
            (self.day, self.month, self.year, form) = (day, month, year, .names)
        } else {
            guard let first = numbers[0], let second = numbers[1], let third = numbers[2], lengths[1] < 3,
                first >= 0, second >= 0, third >= 0
            else { return false }
            if lengths[0] == 4, lengths[2] < 3 {
                (year, month, day, form) = (first, second, third, .yearFirst(separator))
            } else {
                guard lengths[0] < 3, lengths[2] != 3 else { return false }
                unordered = Unordered(first: first, second: second, separator: separator)
                (year, form, hasShortYear) = (third, .yearLast(separator), lengths[2] < 3)
                if hasShortYear { year = Self.year(third) }
            }
        }
        return true
    }

    /// `20:00`, `8:00`, `20:00:30.5`, each also with `pm`, `Z` or `+02:00` after it.
    private mutating func takeTime(_ word: Substring) -> Bool {
        var rest = word
        func number(_ count: ClosedRange<Int>) -> Int? {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard count ~= digits.count else { return nil }
            rest = rest[digits.endIndex...]
            return Int(digits)
        }
        func skip(_ mark: Character) -> Bool {
            guard rest.first == mark else { return false }
            rest.removeFirst()
            return true
        }
        guard hour == nil, let hour = number(1...2), skip(":"), let minute = number(2...2) else { return false }
        var second = 0
        if skip(":") {
            guard let found = number(2...2) else { return false }
            second = found
            if skip("."), number(1...9) == nil { return false }
        }
        (self.hour, self.minute, self.second) = (hour, minute, second)
        if rest.isEmpty { return true }
        if let isAfternoon = Self.meridiem(rest) {
            self.isAfternoon = isAfternoon
            return true
        }
        return takeZone(rest)
    }

    /// `20.00`, `20h00`, `20-00`, which are times only after a date.
    private mutating func takeOtherTime(_ word: Substring) -> Bool {
        let parts = word.split(omittingEmptySubsequences: false) { ".h-".contains($0) }
        guard hour == nil, parts.count == 2, 1...2 ~= parts[0].count, parts[1].count == 2,
            parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } })
        else { return false }
        (hour, minute) = (Int(parts[0]), Int(parts[1]) ?? 0)
        return true
    }

    /// `Z`, `UTC`, `+0200`, `+02:00` after a time.
    private mutating func takeZone(_ word: Substring) -> Bool {
        guard hour != nil, offset == nil else { return false }
        if ["z", "utc", "gmt"].contains(word) {
            offset = 0
            return true
        }
        let digits = word.dropFirst().filter { $0 != ":" }
        guard let sign = word.first, "+-".contains(sign), digits.count == 4, word.count <= 6,
            digits.allSatisfy({ $0.isASCII && $0.isNumber }), let hours = Int(digits.prefix(2)), hours < 24,
            let minutes = Int(digits.suffix(2)), minutes < 60
        else { return false }
        offset = (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
        return true
    }

    private static func meridiem(_ word: Substring) -> Bool? {
        switch word {
        case "am", "a.m.", "a.m": false
        case "pm", "p.m.", "p.m": true
        default: nil
        }
    }

    private static func month(_ word: Substring) -> Int? { index(word, among: months, from: 1, also: ["sept": 9]) }

    private static func weekday(_ word: Substring) -> Weekday? {
        index(word, among: weekdays, from: 1, also: ["tues": 2, "thur": 4, "thurs": 4])
            .flatMap(Weekday.init(rawValue:))
    }

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    private static func index(
        _ word: Substring, among names: [String], from first: Int, also others: [Substring: Int]
    ) -> Int? {
        names.firstIndex { $0 == word || word.count == 3 && $0.hasPrefix(word) }.map { $0 + first } ?? others[word]
    }

    /// The year of two digits, as POSIX has it.
    private static func year(_ number: Int) -> Int { number < 69 ? 2000 + number : 1900 + number }

    /// Whether digits begin with a year that journals are written in.
    static func hasYear(_ digits: Substring) -> Bool { digits.hasPrefix("19") || digits.hasPrefix("20") }

    // MARK: The result

    /// Which of the two orders of day and month are possible.
    func orders() -> Set<JournalDateOrder> {
        Set(
            JournalDateOrder.allCases.filter { order in
                guard let date = date(order) else { return false }
                return weekday == nil || weekday == date.weekday
            })
    }

    private func date(_ order: JournalDateOrder?) -> Day? {
        guard let year else { return nil }
        guard let unordered else {
            guard let month, let day else { return nil }
            return Day(year: year, month: month, day: day)
        }
        return switch order {
        case .dayFirst: Day(year: year, month: unordered.second, day: unordered.first)
        case .monthFirst: Day(year: year, month: unordered.first, day: unordered.second)
        case nil: nil
        }
    }

    /// Returns the instant; without a time it is the beginning of the day.
    ///
    /// - Parameter order: the order of day and month; nil if it is not known.
    func instant(_ order: JournalDateOrder?, in zone: Zone) throws(RecordProblem) -> Instant {
        guard let year else { throw RecordProblem("its heading has no year") }
        guard hasDate else { throw RecordProblem("the date of its heading is not complete") }
        if let unordered {
            if hasShortYear, unordered.separator == "-" {
                throw RecordProblem("the year of its heading has two digits; write it as \(Self.example)")
            }
            if order == nil, orders().count == 2, unordered.first != unordered.second {
                throw RecordProblem(
                    "whether its heading begins with the day or the month is not clear; give the order of dates")
            }
        }
        guard 1...9999 ~= year, let day = date(order ?? orders().first) else {
            throw RecordProblem("the date of its heading does not exist")
        }
        guard !isIncomplete else { throw RecordProblem("the time of its heading is not complete") }
        guard weekday == nil || weekday == day.weekday else {
            throw RecordProblem("the weekday of its heading is not that of its date")
        }
        guard let seconds = secondsIntoDay() else { throw RecordProblem("the time of its heading does not exist") }
        guard let offset else { return zone.instant(day: day, secondsIntoDay: seconds) }
        return Zone.utc.instant(day: day, secondsIntoDay: seconds).advanced(byMicroseconds: Int64(-offset) * 1_000_000)
    }

    /// A heading that is always understood.
    static let example = "[2026-02-11 09:30]"

    private func secondsIntoDay() -> Int? {
        var hour = hour ?? 0
        switch isAfternoon {
        case true?:
            guard hour > 0 else { return nil }
            if hour < 12 { hour += 12 }
        case false?:
            guard hour <= 12 else { return nil }
            hour %= 12
        case nil: break
        }
        guard hour < 24, minute < 60, second < 60 else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}
