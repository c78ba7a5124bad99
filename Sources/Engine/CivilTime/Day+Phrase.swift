extension Day {
    /// Reads a day as a person writes it; upper and lower case are the same.
    ///
    /// Accepted are `2026-02-11`; `today`, `tomorrow`, `yesterday`; `+3d`, `+2w`, `+1m` (days, weeks, months from today);
    /// and a weekday such as `fri` or `friday`, which is the next one after today, never today itself.
    ///
    /// - Throws: ``CivilTimeError/malformedDayPhrase(_:)`` for anything else, ``CivilTimeError/impossibleDay(_:)`` for a
    ///   date that the calendar does not have, ``CivilTimeError/dayOutOfRange(_:)`` where the way from today leads out
    ///   of the calendar.
    public init(parsing text: String, today: Day) throws(CivilTimeError) {
        let phrase = text.lowercased()
        switch phrase {
        case "today":
            self = today
        case "tomorrow":
            self = try today.stepping(1, of: "d", for: text)
        case "yesterday":
            self = try today.stepping(-1, of: "d", for: text)
        default:
            if let weekday = Weekday(name: phrase) {
                let ahead = CalendarMath.floorModulo(weekday.rawValue - today.weekday.rawValue - 1, by: 7) + 1
                self = try today.stepping(ahead, of: "d", for: text)
            } else if phrase.utf8.first == UInt8(ascii: "+") {
                self = try Day(offset: phrase, today: today, text: text)
            } else {
                self = try Day(isoPhrase: text)
            }
        }
    }

    private init(isoPhrase text: String) throws(CivilTimeError) {
        do {
            try self.init(text)
        } catch .malformedDay {
            // The message must name everything that is accepted here, not only the strict form.
            throw .malformedDayPhrase(text)
        }
    }

    private init(offset phrase: String, today: Day, text: String) throws(CivilTimeError) {
        let digits = phrase.utf8.dropFirst().dropLast()
        guard let unit = phrase.unicodeScalars.last, "dwm".unicodeScalars.contains(unit), !digits.isEmpty,
            digits.allSatisfy({ TextCursor.digit($0) != nil })
        else { throw .malformedDayPhrase(text) }
        var cursor = TextCursor(Array(digits))
        guard let count = cursor.number() else { throw .dayOutOfRange(text) }
        self = try today.stepping(count, of: unit, for: text)
    }

    /// The day `count` units away, as an error instead of a clamped day when that is outside the calendar.
    private func stepping(_ count: Int, of unit: Unicode.Scalar, for text: String) throws(CivilTimeError) -> Day {
        // Far more than the calendar holds of any unit, and far too little to overflow.
        guard abs(count) <= 10_000_000 else { throw .dayOutOfRange(text) }
        if unit == "m" {
            let months = monthOfYear.ordinal + count
            guard months <= Day.last.monthOfYear.ordinal else { throw .dayOutOfRange(text) }
            return adding(months: count)
        }
        let days = Int(daysSince1970) + (unit == "w" ? count * 7 : count)
        guard let number = Int32(exactly: days), let day = Day(daysSince1970: number) else {
            throw .dayOutOfRange(text)
        }
        return day
    }
}
