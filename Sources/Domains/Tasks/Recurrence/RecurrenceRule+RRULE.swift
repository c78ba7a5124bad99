import CivilTime

/// The notation of RFC 5545, section 3.3.10, for dates.
extension RecurrenceRule {
    /// The part that says "after completion", which RFC 5545 cannot say.
    static let completionPart = "X-DAYBOOK-AFTER"

    /// Parses an RRULE, with or without `RRULE:` in front, ignoring case.
    ///
    /// - Throws: ``RecurrenceError/malformedRule``, ``RecurrenceError/invalidValue(part:)``, or
    ///   ``RecurrenceError/unsupported(part:)`` for what RFC 5545 can say and a rule of days cannot: hours and less, weeks by
    ///   number, days of the year, an end at a time of day.
    public init(rrule text: String) throws(RecurrenceError) {
        var parts = try RulePartList(text)
        guard let name = parts.take("FREQ") else { throw .malformedRule }
        guard let frequency = Frequency(rawValue: name) else {
            throw ["HOURLY", "MINUTELY", "SECONDLY"].contains(name)
                ? .unsupported(part: "FREQ") : .invalidValue(part: "FREQ")
        }
        let count = try parts.take("COUNT").map { text throws(RecurrenceError) in try Self.number(text, "COUNT") }
        let until = try parts.take("UNTIL").map { text throws(RecurrenceError) in try Self.until(text) }
        guard count == nil || until == nil else { throw .invalidValue(part: "UNTIL") }
        let end: End = count.map { .count($0) } ?? until.map { .until($0) } ?? .never
        let isAfterCompletion =
            switch parts.take(Self.completionPart) {
            case nil: false
            case "COMPLETION": true
            default: throw RecurrenceError.invalidValue(part: Self.completionPart)
            }
        try self.init(
            frequency,
            every: try parts.take("INTERVAL").map { text throws(RecurrenceError) in
                try Self.number(text, "INTERVAL")
            } ?? 1,
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
        try parts.finish()
    }

    /// The rule as an RRULE. "After completion", which RFC 5545 cannot say, is the part `X-DAYBOOK-AFTER=COMPLETION`.
    public var rrule: String {
        var parts = ["FREQ=\(frequency.rawValue)"]
        func add(_ name: String, _ values: [some Any]) {
            if !values.isEmpty { parts.append("\(name)=\(values.map { "\($0)" }.joined(separator: ","))") }
        }
        add("INTERVAL", interval == 1 ? [] : [interval])
        add("BYMONTH", months)
        add("BYMONTHDAY", monthDays)
        add("BYDAY", weekdays.map { ($0.ordinal == 0 ? "" : "\($0.ordinal)") + $0.weekday.code })
        add("BYSETPOS", positions)
        switch end {
        case .never: break
        case .count(let count): add("COUNT", [count])
        case .until(let day): add("UNTIL", [day.description.filter { $0 != "-" }])
        }
        add("WKST", weekStart == .monday ? [] : [weekStart.code])
        if isAfterCompletion { add(Self.completionPart, ["COMPLETION"]) }
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

    private static func until(_ text: String) throws(RecurrenceError) -> Day {
        if text.utf8.count > 8, text.contains("T") { throw .unsupported(part: "UNTIL") }
        let digits = Array(text)
        guard digits.count == 8,
            let day = try? Day("\(String(digits[0..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))")
        else { throw .invalidValue(part: "UNTIL") }
        return day
    }
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
    private static let unsupported = ["BYSECOND", "BYMINUTE", "BYHOUR", "BYYEARDAY", "BYWEEKNO"]
    /// More than any rule of the supported parts needs.
    private static let lengthLimit = 4_096

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

    /// Throws if a part is left that was not asked for.
    func finish() throws(RecurrenceError) {
        if let part = Self.unsupported.first(where: { values[$0] != nil }) { throw .unsupported(part: part) }
        guard values.isEmpty else { throw .malformedRule }
    }
}
