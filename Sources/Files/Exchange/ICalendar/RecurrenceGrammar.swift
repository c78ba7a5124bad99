/// The grammar of RRULE values (RFC 5545, 3.3.10). The rules are not evaluated.
enum RecurrenceGrammar {
    /// Returns the problem of a value; nil if it is valid.
    static func problem(in value: String) -> String? {
        var parts: [String: String] = [:]
        for part in value.uppercased().split(separator: ";", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { return "must be parts such as FREQ=DAILY, separated by semicolons" }
            guard let check = checks[String(pair[0])] else { return "has a part that RFC 5545 does not define" }
            guard parts[String(pair[0])] == nil else { return "has `\(pair[0])` twice" }
            guard check(pair[1]) else { return "has a value for `\(pair[0])` that RFC 5545 does not allow" }
            parts[String(pair[0])] = String(pair[1])
        }
        return problem(between: parts)
    }

    private static func problem(between parts: [String: String]) -> String? {
        guard let frequency = parts["FREQ"] else { return "has no `FREQ`" }
        if parts["COUNT"] != nil, parts["UNTIL"] != nil { return "has both `COUNT` and `UNTIL`" }
        if parts["BYWEEKNO"] != nil, frequency != "YEARLY" { return "may have `BYWEEKNO` only with FREQ=YEARLY" }
        if parts["BYMONTHDAY"] != nil, frequency == "WEEKLY" { return "may not have `BYMONTHDAY` with FREQ=WEEKLY" }
        if parts["BYYEARDAY"] != nil, ["DAILY", "WEEKLY", "MONTHLY"].contains(frequency) {
            return "may not have `BYYEARDAY` with that `FREQ`"
        }
        if let days = parts["BYDAY"], days.utf8.contains(where: { (0x30...0x39).contains($0) }) {
            guard frequency == "MONTHLY" || frequency == "YEARLY", parts["BYWEEKNO"] == nil else {
                return "may have numbers in `BYDAY` only with FREQ=MONTHLY, or FREQ=YEARLY without `BYWEEKNO`"
            }
        }
        if parts["BYSETPOS"] != nil, !parts.keys.contains(where: { $0.hasPrefix("BY") && $0 != "BYSETPOS" }) {
            return "may have `BYSETPOS` only with another part that begins with BY"
        }
        return nil
    }

    private typealias Check = @Sendable (Substring) -> Bool

    private static let checks: [String: Check] = [
        "FREQ": { ["SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"].contains($0) },
        "UNTIL": { ICalendarDate(String($0)) != nil },
        "COUNT": { isNumber($0, 1...999_999_999) },
        "INTERVAL": { isNumber($0, 1...999_999_999) },
        "BYSECOND": { areNumbers($0, 0...60) },
        "BYMINUTE": { areNumbers($0, 0...59) },
        "BYHOUR": { areNumbers($0, 0...23) },
        "BYDAY": { areAll($0) { isWeekday($0.suffix(2)) && isWeek($0.dropLast(2)) } },
        "BYMONTHDAY": { areNumbers($0, 1...31, signed: true) },
        "BYYEARDAY": { areNumbers($0, 1...366, signed: true) },
        "BYWEEKNO": { areNumbers($0, 1...53, signed: true) },
        // RFC 7529 marks leap months with an L.
        "BYMONTH": { areAll($0) { $0.hasSuffix("L") ? isNumber($0.dropLast(), 1...13) : isNumber($0, 1...12) } },
        "BYSETPOS": { areNumbers($0, 1...366, signed: true) },
        "WKST": { isWeekday($0) },
        "RSCALE": { !$0.isEmpty },
        "SKIP": { ["OMIT", "BACKWARD", "FORWARD"].contains($0) },
    ]

    private static func areAll(_ list: Substring, _ check: (Substring) -> Bool) -> Bool {
        list.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(check)
    }

    private static func areNumbers(_ list: Substring, _ range: ClosedRange<Int>, signed: Bool = false) -> Bool {
        areAll(list) { isNumber(signed ? withoutSign($0) : $0, range) }
    }

    private static func isNumber(_ text: Substring, _ range: ClosedRange<Int>) -> Bool {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text)
        else { return false }
        return range.contains(number)
    }

    private static func isWeek(_ text: Substring) -> Bool {
        text.isEmpty || isNumber(withoutSign(text), 1...53)
    }

    private static func withoutSign(_ text: Substring) -> Substring {
        text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text
    }

    private static func isWeekday(_ text: Substring) -> Bool {
        ["MO", "TU", "WE", "TH", "FR", "SA", "SU"].contains(text)
    }
}
