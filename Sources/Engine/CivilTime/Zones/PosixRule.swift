/// A rule of POSIX: the offsets after the last transition of a zone file, from its footer, or at all times, from `$TZ`.
struct PosixRule: Equatable, Sendable {
    /// When daylight saving time begins or ends, each year.
    struct Change: Equatable, Sendable {
        enum Date: Equatable, Sendable {
            /// `Jn`: the nth day of the year, 1...365; 29 February is never counted.
            case julian(Int)
            /// `n`: days after 1 January, 0...365; 29 February is counted.
            case ordinal(Int)
            /// `Mm.w.d`: the wth weekday d (0 is Sunday) of the month; the fifth is the last.
            case weekday(month: Int, week: Int, weekday: Int)
        }

        var date: Date
        /// Seconds after the date's local midnight; negative, or more than a day, in some zones.
        var seconds: Int

        /// Local seconds since 1970, by the clock that is used until then.
        func localSecond(year: Int) -> Int {
            day(year: year) * CalendarMath.secondsPerDay + seconds
        }

        private func day(year: Int) -> Int {
            let newYear = CalendarMath.days(year: year, month: 1, day: 1)
            switch date {
            case .julian(let number):
                return newYear + number - (CalendarMath.isLeap(year) && number >= 60 ? 0 : 1)
            case .ordinal(let number):
                return newYear + number
            case .weekday(let month, let week, let weekday):
                let first = CalendarMath.days(year: year, month: month, day: 1)
                let isoWeekday = weekday == 0 ? 7 : weekday
                let ahead = CalendarMath.floorModulo(isoWeekday - CalendarMath.weekday(days: first), by: 7)
                let day = ahead + 7 * (week - 1)
                return first + (day < CalendarMath.length(ofMonth: month, year: year) ? day : day - 7)
            }
        }
    }

    struct DaylightSaving: Equatable, Sendable {
        var offset: Int
        var start: Change
        var end: Change
    }

    /// Seconds that local time is ahead of UTC outside daylight saving time.
    var offset: Int
    /// nil where the offset never changes.
    var daylightSaving: DaylightSaving?

    /// The transitions of the years, in the order of time.
    func transitions(years: ClosedRange<Int>) -> [(second: Int, offset: Int)] {
        guard let daylightSaving else { return [] }
        var transitions: [(second: Int, offset: Int, place: Int)] = []
        transitions.reserveCapacity(years.count * 2)
        for year in years {
            let start = daylightSaving.start.localSecond(year: year) - offset
            let end = daylightSaving.end.localSecond(year: year) - daylightSaving.offset
            let place = transitions.count
            // Where one year's end is the next year's start, daylight saving time goes on: the later year has the
            // last word, so places decide among equals.
            transitions.append((start, daylightSaving.offset, place))
            transitions.append((end, offset, place + 1))
        }
        transitions.sort { ($0.second, $0.place) < ($1.second, $1.place) }
        return transitions.map { ($0.second, $0.offset) }
    }
}

extension PosixRule {
    /// Reads a rule such as `CET-1CEST,M3.5.0,M10.5.0/3` or `<+03>-3`; nil when it is none.
    ///
    /// Hours of a change go from -167 to 167, as in TZif version 3.
    init?(_ text: [UInt8]) {
        var cursor = TextCursor(text)
        guard cursor.skipName(), let west = cursor.time(hoursMax: 24) else { return nil }
        offset = -west
        guard !cursor.isAtEnd else { return }

        guard cursor.skipName() else { return nil }
        var summer = offset + 3600
        if let next = cursor.next, next != UInt8(ascii: ",") {
            guard let west = cursor.time(hoursMax: 24) else { return nil }
            summer = -west
        }
        guard cursor.skip(","), let start = cursor.change(), cursor.skip(","), let end = cursor.change(),
            cursor.isAtEnd
        else { return nil }
        daylightSaving = DaylightSaving(offset: summer, start: start, end: end)
    }
}

extension PosixRule {
    /// Reads a rule from `$TZ`, where daylight saving time may be named without its dates: the C library then uses those of
    /// the United States since 2007.
    init?(environmentText text: String) {
        let text = Array(text.utf8)
        let dates = Array((text.last == UInt8(ascii: ",") ? "M3.2.0,M11.1.0" : ",M3.2.0,M11.1.0").utf8)
        guard let rule = PosixRule(text) ?? PosixRule(text + dates) else { return nil }
        self = rule
    }
}

extension TextCursor {
    /// An abbreviation: three or more letters, or anything in angle brackets.
    fileprivate mutating func skipName() -> Bool {
        if skip("<") {
            while next != nil {
                if skip(">") { return true }
                _ = skipByte()
            }
            return false
        }
        let start = position
        while let byte = next, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) { _ = skipByte() }
        return position - start >= 3
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    fileprivate mutating func time(hoursMax: Int) -> Int? {
        let sign = skip(anyOf: "+-")
        guard let hours = number(), hours <= hoursMax else { return nil }
        var seconds = hours * 3600
        for unit in [60, 1] where skip(":") {
            guard let count = number(), count < 60 else { return nil }
            seconds += count * unit
        }
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    /// A date and, after a slash, a time of day; 02:00 where it is not given.
    fileprivate mutating func change() -> PosixRule.Change? {
        guard let date = date() else { return nil }
        guard skip("/") else { return PosixRule.Change(date: date, seconds: 2 * 3600) }
        guard let seconds = time(hoursMax: 167) else { return nil }
        return PosixRule.Change(date: date, seconds: seconds)
    }

    private mutating func date() -> PosixRule.Change.Date? {
        if skip("M") {
            guard let month = number(), skip("."), let week = number(), skip("."), let weekday = number(),
                (1...12).contains(month), (1...5).contains(week), (0...6).contains(weekday)
            else { return nil }
            return .weekday(month: month, week: week, weekday: weekday)
        }
        if skip("J") {
            guard let day = number(), (1...365).contains(day) else { return nil }
            return .julian(day)
        }
        guard let day = number(), (0...365).contains(day) else { return nil }
        return .ordinal(day)
    }
}
