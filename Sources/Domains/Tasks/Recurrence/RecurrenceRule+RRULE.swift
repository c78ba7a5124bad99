import CivilTime

/// The notation of RFC 5545, section 3.3.10, for dates.
extension RecurrenceRule {
    /// The part that says "after completion", which RFC 5545 cannot say.
    static let completionPart = "X-DAYBOOK-AFTER"
    /// The parts for days that iCalendar names in properties of their own.
    private static let dayParts = (except: "X-DAYBOOK-EXCEPT", also: "X-DAYBOOK-ALSO", moved: "X-DAYBOOK-MOVED")
    private static let originPart = "X-DAYBOOK-FROM"

    /// Parses an RRULE, with or without `RRULE:` in front, ignoring case.
    ///
    /// What is not said in days is understood where its meaning is: a period of hours or less that is one of whole days, an hour
    /// that is that of the task, an end at a time.
    ///
    /// - Parameters:
    ///   - secondsIntoDay: The time of day of the task, in seconds from midnight; nil if it has none, or it is not known.
    ///   - zone: The zone in which an end at an instant is on a day.
    /// - Throws: ``RecurrenceError/malformedRule``, ``RecurrenceError/invalidValue(part:)``, or
    ///   ``RecurrenceError/unsupported(part:)`` for what RFC 5545 can say and a rule of days cannot: parts of a day, weeks by
    ///   number, days of the year.
    public init(rrule text: String, at secondsIntoDay: Int? = nil, in zone: Zone = .utc) throws(RecurrenceError) {
        var parts = try RulePartList(text)
        let (frequency, interval) = try parts.takePeriod()
        try parts.takeTime(of: secondsIntoDay)
        let count = try parts.take("COUNT").map { text throws(RecurrenceError) in try Self.number(text, "COUNT") }
        let until = try parts.take("UNTIL").map { text throws(RecurrenceError) in
            try Self.until(text, at: secondsIntoDay, in: zone)
        }
        guard count == nil || until == nil else { throw .invalidValue(part: "UNTIL") }
        let end: End = count.map { .count($0) } ?? until.map { .until($0) } ?? .never
        let isAfterCompletion =
            switch parts.take(Self.completionPart) {
            case nil: false
            case "COMPLETION": true
            default: throw RecurrenceError.invalidValue(part: Self.completionPart)
            }
        try self.init(
            frequency, every: interval,
            months: try Self.list(parts.take("BYMONTH")) { text throws(RecurrenceError) in
                try Self.number(text, "BYMONTH")
            },
            monthDays: try Self.list(parts.take("BYMONTHDAY")) { text throws(RecurrenceError) in
                try Self.signedNumber(text, "BYMONTHDAY")
            },
            weekdays: try Self.list(parts.take("BYDAY")) { text throws(RecurrenceError) in try WeekdayPart(text) },
            positions: try Self.list(parts.take("BYSETPOS")) { text throws(RecurrenceError) in
                try Self.signedNumber(text, "BYSETPOS")
            },
            weekStart: try parts.take("WKST").map { text throws(RecurrenceError) in
                guard let weekday = Weekday(code: text) else { throw .invalidValue(part: "WKST") }
                return weekday
            } ?? .monday,
            end: end, isAfterCompletion: isAfterCompletion)
        exceptions = try Self.list(parts.take(Self.dayParts.except), Self.day).sorted()
        additions = try Self.list(parts.take(Self.dayParts.also), Self.day).sorted()
        moved = try Self.list(parts.take(Self.dayParts.moved), Self.day).sorted()
        origin = try parts.take(Self.originPart).map(Self.day)
        try parts.finish()
    }

    /// The rule as an RRULE. What RFC 5545 cannot say in one is in parts of our own: "after completion" in
    /// `X-DAYBOOK-AFTER=COMPLETION`, and days that are left out or added in others (Documentation/Format.md).
    public var rrule: String {
        var parts = [standardRule]
        func add(_ name: String, _ days: [Day]) {
            if !days.isEmpty { parts.append("\(name)=" + days.map(\.basicText).joined(separator: ",")) }
        }
        if isAfterCompletion { parts.append("\(Self.completionPart)=COMPLETION") }
        add(Self.dayParts.except, exceptions)
        add(Self.dayParts.also, additions)
        add(Self.dayParts.moved, moved)
        add(Self.originPart, origin.map { [$0] } ?? [])
        return parts.joined(separator: ";")
    }

    /// What RFC 5545 can say of it in an RRULE.
    package var standardRule: String { standardRule(until: nil) }

    /// The RRULE with an end that is written in another way.
    package func standardRule(until end: String?) -> String {
        var parts = ["FREQ=\(frequency.rawValue)"]
        func add(_ name: String, _ values: [some Any]) {
            if !values.isEmpty { parts.append("\(name)=\(values.map { "\($0)" }.joined(separator: ","))") }
        }
        add("INTERVAL", interval == 1 ? [] : [interval])
        add("BYMONTH", months)
        add("BYMONTHDAY", monthDays)
        add("BYDAY", weekdays.map { ($0.ordinal == 0 ? "" : "\($0.ordinal)") + $0.weekday.code })
        add("BYSETPOS", positions)
        switch self.end {
        case .never: break
        case .count(let count): add("COUNT", [count])
        case .until(let day): add("UNTIL", [end ?? day.basicText])
        }
        add("WKST", weekStart == .monday ? [] : [weekStart.code])
        return parts.joined(separator: ";")
    }

    // MARK: Values

    private static func list<Value>(
        _ text: String?, _ read: (String) throws(RecurrenceError) -> Value
    ) throws(RecurrenceError) -> [Value] {
        guard let text else { return [] }
        var values: [Value] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            values.append(try read(String(part)))
        }
        return values
    }

    fileprivate static func number(_ text: some StringProtocol, _ part: String) throws(RecurrenceError) -> Int {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let number = Int(text)
        else { throw .invalidValue(part: part) }
        return number
    }

    fileprivate static func signedNumber(_ text: some StringProtocol, _ part: String) throws(RecurrenceError) -> Int {
        switch text.first {
        case "-": return -(try number(text.dropFirst(), part))
        case "+": return try number(text.dropFirst(), part)
        default: return try number(text, part)
        }
    }

    private static func day(_ text: String) throws(RecurrenceError) -> Day {
        guard let day = Day(basic: text) else { throw .invalidValue(part: "UNTIL") }
        return day
    }

    /// The last day of a rule: `20261231`, or the last one whose occurrence is not after `20261231T225959Z` or a local time.
    private static func until(
        _ text: String, at secondsIntoDay: Int?, in zone: Zone
    ) throws(RecurrenceError) -> Day {
        guard text.utf8.count > 8 else { return try day(text) }
        let digits = Array(text.dropFirst(9).prefix(6))
        guard text.dropFirst(8).first == "T", digits.count == 6, ["", "Z"].contains(text.dropFirst(15)) else {
            throw .invalidValue(part: "UNTIL")
        }
        let numbers = [0, 2, 4].map { Int(String(digits[$0..<$0 + 2])) ?? 60 }
        guard numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60 else { throw .invalidValue(part: "UNTIL") }
        let seconds = numbers[0] * 3600 + numbers[1] * 60 + min(numbers[2], 59)
        var end = ClockTime(day: try day(String(text.prefix(8))), secondsIntoDay: seconds)
        if text.hasSuffix("Z") { end = ClockTime(of: end.instant(in: .utc), in: zone) }
        // The occurrence of that day would be later.
        return secondsIntoDay.map { $0 > end.secondsIntoDay } ?? false ? end.day.advanced(by: -1) : end.day
    }
}

extension Day {
    /// `20260210`.
    fileprivate init?(basic text: String) {
        let digits = Array(text)
        guard digits.count == 8,
            let day = try? Day("\(String(digits[0..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))")
        else { return nil }
        self = day
    }

    fileprivate var basicText: String { description.filter { $0 != "-" } }
}

extension RecurrenceRule.WeekdayPart {
    /// Parses `MO`, `1MO`, `-1MO`.
    fileprivate init(_ text: String) throws(RecurrenceError) {
        guard let weekday = Weekday(code: text.suffix(2)) else { throw .invalidValue(part: "BYDAY") }
        let digits = text.dropLast(2)
        self.init(weekday, ordinal: digits.isEmpty ? 0 : try RecurrenceRule.signedNumber(digits, "BYDAY"))
        guard digits.isEmpty || ordinal != 0 else { throw .invalidValue(part: "BYDAY") }
    }
}

extension Weekday {
    /// The two letters of RFC 5545.
    fileprivate var code: String { String(name.prefix(2)).uppercased() }

    fileprivate init?(code: some StringProtocol) {
        guard let weekday = Weekday.allCases.first(where: { $0.code == code }) else { return nil }
        self = weekday
    }
}

/// The parts of an RRULE by name, each at most once.
private struct RulePartList {
    /// The parts of RFC 5545 that a rule of days cannot have.
    private static let unsupported = ["BYSECOND", "BYMINUTE", "BYHOUR", "BYYEARDAY", "BYWEEKNO", "RSCALE", "SKIP"]
    /// More than any rule of the supported parts needs, with a thousand days that it leaves out.
    private static let lengthLimit = 16_384
    /// The frequencies of less than a day: how many of their periods a day has.
    private static let partsOfDay = ["HOURLY": 24, "MINUTELY": 1_440, "SECONDLY": 86_400]

    private var values: [String: String] = [:]

    init(_ text: String) throws(RecurrenceError) {
        guard text.utf8.count <= Self.lengthLimit else { throw .malformedRule }
        let upper = text.uppercased()
        let rule = upper.hasPrefix("RRULE:") ? upper.dropFirst(6) : upper[...]
        for part in rule.split(separator: ";", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, values.updateValue(String(sides[1]), forKey: String(sides[0])) == nil else {
                throw .malformedRule
            }
        }
    }

    mutating func take(_ name: String) -> String? { values.removeValue(forKey: name) }

    /// The frequency and the interval, in days if the rule has a smaller unit: some programs write a day as 86,400 seconds.
    mutating func takePeriod() throws(RecurrenceError) -> (RecurrenceRule.Frequency, interval: Int) {
        guard let name = take("FREQ") else { throw .malformedRule }
        let interval =
            try take("INTERVAL").map { text throws(RecurrenceError) in
                try RecurrenceRule.number(text, "INTERVAL")
            } ?? 1
        if let frequency = RecurrenceRule.Frequency(rawValue: name) { return (frequency, interval) }
        guard let perDay = Self.partsOfDay[name] else { throw .invalidValue(part: "FREQ") }
        if interval % perDay == 0, interval > 0 { return (.daily, interval / perDay) }
        // Of every hour only one of the day.
        guard name == "HOURLY", interval == 1, values["BYHOUR"].map({ !$0.contains(",") }) ?? false else {
            throw .unsupported(part: "FREQ")
        }
        return (.daily, 1)
    }

    /// Takes the time of day of a rule that has one, if it is that of the task.
    mutating func takeTime(of secondsIntoDay: Int?) throws(RecurrenceError) {
        for (name, unit, limit) in [("BYHOUR", 3600, 24), ("BYMINUTE", 60, 60), ("BYSECOND", 1, 60)] {
            guard let text = values[name], !text.contains(",") else { continue }
            let number = try RecurrenceRule.number(text, name)
            guard number < limit else { throw .invalidValue(part: name) }
            if let secondsIntoDay, secondsIntoDay / unit % limit != number { throw .unsupported(part: name) }
            values[name] = nil
        }
    }

    /// Throws if a part is left that was not asked for.
    func finish() throws(RecurrenceError) {
        if let part = Self.unsupported.first(where: { values[$0] != nil }) { throw .unsupported(part: part) }
        guard values.isEmpty else { throw .malformedRule }
    }
}
