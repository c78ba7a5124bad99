/// A day, a local time on a day, or an instant: the three things that WHEN may be (Documentation/Dates.md).
public enum CivilMoment: Hashable, Sendable {
    /// A whole day.
    case day(Day)
    /// A local time on a day, in seconds as the clock shows it (09:00 is 32,400, also on a day of 23 hours).
    case time(Day, secondsIntoDay: Int)
    /// A point in time.
    case instant(Instant)

    /// Parses a day, a time, or both, as people write them, ignoring case: what ``Day/init(parsing:today:weekStart:)``
    /// accepts; `17:30`, `5pm`, `5:30pm`, `at 9`, `noon`, which are of today; a day and a time in any order (`tomorrow 17:30`,
    /// `17:30 tomorrow`, `tomorrow at 9`); `tonight`, which is 20:00; `2026-02-11T17:30`, a local time; instants in ISO 8601; and
    /// `in 2 hours`, `in 30 minutes`, which need to know now.
    ///
    /// - Parameter now: the time that hours and minutes count from; nil to refuse them.
    /// - Throws: ``DatePhraseError``, which does not contain the text.
    public init(
        parsing text: String, today: Day, weekStart: Weekday = .monday, now: Instant? = nil
    ) throws(DatePhraseError) {
        let phrase = DayPhrase(today: today, weekStart: weekStart, now: now)
        self = try Self.moment(DayPhrase.words(of: text)[...], by: phrase)
    }

    /// Parses a moment as people write it, counted from today in the context.
    ///
    /// - Throws: ``DatePhraseError``, which does not contain the text.
    public init(parsing text: String, in context: Context) throws(DatePhraseError) {
        try self.init(
            parsing: text, today: context.today, weekStart: context.weekStart, now: context.clock.wall)
    }

    /// The day; of an instant, the day in the zone.
    public func day(in zone: Zone) -> Day {
        switch self {
        case .day(let day), .time(let day, _): day
        case .instant(let instant): zone.day(of: instant)
        }
    }

    /// The instant in a zone: of a local time, by the rule of ``Zone/instant(day:secondsIntoDay:)`` (in a gap the first
    /// instant after it, in an overlap the first of the two). Nil for a whole day.
    public func instant(in zone: Zone) -> Instant? {
        switch self {
        case .day: nil
        case .time(let day, let seconds): zone.instant(day: day, secondsIntoDay: seconds)
        case .instant(let instant): instant
        }
    }

    /// The moment of lower-case words.
    package static func moment(_ words: ArraySlice<String>, by phrase: DayPhrase) throws(DatePhraseError) -> CivilMoment
    {
        if words.count == 1, let word = words.first, looksLikeInstant(word) {
            if let time = localTime(word) { return time }
            return .instant(try instant(word))
        }
        if let moment = try momentFromNow(words, by: phrase) { return moment }
        if words.elementsEqual(["tonight"]) { return .time(phrase.today, secondsIntoDay: tonight) }
        if let (seconds, rest) = timeAtEnd(words) ?? timeAtStart(words) {
            return .time(rest.isEmpty ? phrase.today : try phrase.day(rest), secondsIntoDay: seconds)
        }
        do {
            return .day(try phrase.day(words))
        } catch .malformedDay {
            throw .malformedMoment
        }
    }

    /// The seconds of a time alone, such as "17:30" or "at 9"; nil for words that are anything else.
    package static func timeOfDay(_ words: ArraySlice<String>) -> Int? {
        guard let (seconds, rest) = timeAtEnd(words), rest.isEmpty else { return nil }
        return seconds
    }

    // MARK: Times

    /// The time that "tonight" means: 20:00.
    private static let tonight = 20 * 3600

    /// "in 2 hours", "in 30 minutes"; nil for anything else.
    private static func momentFromNow(
        _ words: ArraySlice<String>, by phrase: DayPhrase
    ) throws(DatePhraseError) -> CivilMoment? {
        let words = Array(words)
        guard words.count == 3, words[0] == "in", let now = phrase.now else { return nil }
        let unit: Int64
        switch words[2] {
        case "min", "minute", "minutes": unit = 60
        case "h", "hour", "hours": unit = 3600
        default: return nil
        }
        var cursor = TextCursor(words[1])
        guard let count = cursor.number(), cursor.isAtEnd else { return nil }
        // A year of minutes; whoever means more names a day.
        guard count <= 527_040 else { throw .outOfRange }
        return .instant(now.advanced(bySeconds: Int64(count) * unit))
    }

    /// "2026-02-11t17:30", an instant without an offset: a local time.
    private static func localTime(_ word: String) -> CivilMoment? {
        let parts = word.split(separator: "t", omittingEmptySubsequences: false)
        guard parts.count == 2, let day = try? Day(String(parts[0])), let seconds = time(String(parts[1])) else {
            return nil
        }
        return .time(day, secondsIntoDay: seconds)
    }

    /// "tomorrow 17:30", "tomorrow at 9".
    private static func timeAtEnd(_ words: ArraySlice<String>) -> (seconds: Int, rest: ArraySlice<String>)? {
        guard let last = words.last else { return nil }
        let rest = words.dropLast()
        if rest.last == "at" { return (time(last) ?? hour(last)).map { ($0, rest.dropLast()) } }
        return time(last).map { ($0, rest) }
    }

    /// "17:30 tomorrow", "at 9 tomorrow".
    private static func timeAtStart(_ words: ArraySlice<String>) -> (seconds: Int, rest: ArraySlice<String>)? {
        guard let first = words.first else { return nil }
        if first == "at", let second = words.dropFirst().first {
            return (time(second) ?? hour(second)).map { ($0, words.dropFirst(2)) }
        }
        return time(first).map { ($0, words.dropFirst()) }
    }

    /// `17:30`, `9:05`, `17:30:15`, `5pm`, `5:30pm`, `noon`.
    private static func time(_ word: String) -> Int? {
        if word == "noon" { return 12 * 3600 }
        let isHalf = word.hasSuffix("am") || word.hasSuffix("pm")
        var cursor = TextCursor(isHalf ? String(word.dropLast(2)) : word)
        guard var hour = cursor.number(), cursor.position <= 2 else { return nil }
        var rest = 0
        if cursor.skip(":") {
            guard let minute = cursor.digits(2), minute < 60 else { return nil }
            rest = minute * 60
            if cursor.skip(":") {
                guard let second = cursor.digits(2), second < 60 else { return nil }
                rest += second
            }
        } else if !isHalf {
            return nil
        }
        if isHalf {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (word.hasSuffix("pm") ? 12 : 0)
        }
        return cursor.isAtEnd && hour < 24 ? hour * 3600 + rest : nil
    }

    /// The `9` of `at 9`.
    private static func hour(_ word: String) -> Int? {
        var cursor = TextCursor(word)
        guard let hour = cursor.number(), cursor.position <= 2, cursor.isAtEnd, hour < 24 else { return nil }
        return hour * 3600
    }

    // MARK: Instants

    /// Whether a word is meant as an instant: a number with a `t` in it, such as `2026-02-11t07:00:00z`.
    private static func looksLikeInstant(_ word: String) -> Bool {
        var cursor = TextCursor(word)
        _ = cursor.skip(anyOf: "+-")
        return cursor.digits(4) != nil && word.contains("t")
    }

    private static func instant(_ word: String) throws(DatePhraseError) -> Instant {
        do {
            return try Instant(word)
        } catch .malformedInstant(_, let reason) {
            throw .malformedInstant(reason: reason)
        } catch {
            throw .malformedMoment
        }
    }
}

extension CivilMoment: CustomStringConvertible {
    /// The moment as `2026-02-11`, `2026-02-11 17:30` or `2026-02-11T07:00:00Z`, each of which parses to the same moment.
    public var description: String {
        switch self {
        case .day(let day): return day.description
        case .instant(let instant): return instant.description
        case .time(let day, let seconds):
            let time = "\(day) \(padded(seconds / 3600, width: 2)):\(padded(seconds / 60 % 60, width: 2))"
            return seconds % 60 == 0 ? time : "\(time):\(padded(seconds % 60, width: 2))"
        }
    }
}
