import CivilTime

/// A text that a person typed in one line, and the phrases at its end: "Call Ada tomorrow 17:30 #home !must".
///
/// The rule: words are read from the end of the text backward. As long as the last words are a phrase, they are taken off, the
/// longest phrase first, each kind but tags at most once. What is left is the text, unchanged. The first word is always text, and
/// reading stops at a word with a quotation mark. (Documentation/Dates.md has examples.)
///
/// A text is interpreted only where someone asked for it; Daybook never does so by itself.
public struct QuickAdd: Sendable, Hashable {
    /// The text in front of the phrases.
    public var text: String
    /// The day of a DAY, or of the time.
    public var day: Day?
    /// A time on a day, or an instant, at which to remind.
    public var reminder: CivilMoment?
    /// What follows the word "due".
    public var due: CivilMoment?
    /// The name after the last `#`: as before there were tags, so that what was typed for years means the same.
    public var category: String?
    /// The bucket after `!`.
    public var bucket: TaskBucket?
    /// The part of the day after `@`.
    public var region: TaskRegion?
    /// The rule of "every weekday", "monthly on 31".
    public var rule: RecurrenceRule?
    /// The names after `#`, in the order of the text.
    public var tags: [String] = []
    /// The priority after `!`: `!high`, `!medium`, `!low`.
    public var priority: TaskPriority?

    /// Splits a text into itself and the phrases at its end.
    ///
    /// - Parameters:
    ///   - text: What was typed.
    ///   - today: The day that phrases count from.
    ///   - weekStart: The first day of a week.
    ///   - zone: The zone in which an instant has its day.
    ///   - now: The time that "in 2 hours" counts from; nil to take it for text.
    public init(parsing text: String, today: Day, weekStart: Weekday = .monday, zone: Zone, now: Instant? = nil) {
        self.text = text
        let dates = DayPhrase(today: today, weekStart: weekStart, now: now)
        var rest = text[...]
        var time: Int?
        var words = Self.lastWords(of: rest)
        while let length = takePhrase(at: words, dates, &time, zone) {
            rest = rest[..<words[words.count - length].startIndex]
            words = Self.lastWords(of: rest)
        }
        if let time {
            // A time and a day may stand apart: "fri #home 17:30".
            let day = self.day ?? today
            self.day = day
            reminder = .time(day, secondsIntoDay: time)
        }
        if rest.endIndex < text.endIndex { self.text = String(Self.trimmed(rest)) }
    }

    /// Splits a text into itself and the phrases at its end, counted from today in the context.
    public init(parsing text: String, in context: Context) {
        self.init(
            parsing: text, today: context.today, weekStart: context.weekStart, zone: context.zone,
            now: context.clock.wall)
    }

    // MARK: Words

    /// The most words that a phrase has: "every 2 weeks on mon,thu until feb 11 2027 after completion".
    private static let phraseLength = 11

    /// The last words that may be a phrase: none with a quotation mark or before one, and not the first word of the text.
    private static func lastWords(of text: Substring) -> [Substring] {
        var words: [Substring] = []
        var rest = trimmed(text)
        while words.count < phraseLength {
            // No white space in front: this is the first word.
            guard let space = rest.lastIndex(where: \.isWhitespace) else { break }
            let word = rest[rest.index(after: space)...]
            rest = trimmed(rest[...space])
            guard !rest.isEmpty, !word.contains("\"") else { break }
            words.append(word)
        }
        return words.reversed()
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    // MARK: Phrases

    /// Takes over the longest phrase at the end of the words and returns its number of words; nil if there is none.
    private mutating func takePhrase(
        at words: [Substring], _ dates: DayPhrase, _ time: inout Int?, _ zone: Zone
    ) -> Int? {
        if let word = words.last, takeMark(word) { return 1 }
        for length in stride(from: words.count, to: 0, by: -1) {
            let phrase = words.suffix(length).map { $0.lowercased() }
            if takeRule(phrase, dates) || takeDue(phrase, dates) || takeDate(phrase, dates, &time, zone) {
                return length
            }
        }
        return nil
    }

    /// `#home`, `!high`, `!must`, `@morning`.
    private mutating func takeMark(_ word: Substring) -> Bool {
        let name = String(word.dropFirst())
        switch word.first {
        case "#" where !name.isEmpty:
            category = category ?? name
            tags.insert(name, at: 0)
            return true
        case "!":
            if priority == nil, let found = TaskPriority(name: name.lowercased()), found != .none {
                priority = found
                return true
            }
            guard bucket == nil else { return false }
            bucket = TaskBucket(name: name.lowercased())
            return bucket != nil
        case "@" where region == nil:
            region = TaskRegion(name: name.lowercased())
            return region != nil
        default: return false
        }
    }

    private mutating func takeRule(_ words: [String], _ dates: DayPhrase) -> Bool {
        guard rule == nil else { return false }
        rule = try? RecurrenceRule(
            phrase: words.joined(separator: " "), today: dates.today, weekStart: dates.weekStart)
        return rule != nil
    }

    private mutating func takeDue(_ words: [String], _ dates: DayPhrase) -> Bool {
        guard due == nil, words.count > 1, words[0] == "due" else { return false }
        due = try? CivilMoment.moment(words[1...], by: dates)
        return due != nil
    }

    private mutating func takeDate(_ words: [String], _ dates: DayPhrase, _ time: inout Int?, _ zone: Zone) -> Bool {
        if let seconds = CivilMoment.timeOfDay(words[...]) {
            guard time == nil, reminder == nil else { return false }
            time = seconds
            return true
        }
        guard let moment = try? CivilMoment.moment(words[...], by: dates), day == nil else { return false }
        if case .day(let named) = moment {
            day = named
            return true
        }
        guard time == nil, reminder == nil else { return false }
        day = moment.day(in: zone)
        reminder = moment
        return true
    }
}
