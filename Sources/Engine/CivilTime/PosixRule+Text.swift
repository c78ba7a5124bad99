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
