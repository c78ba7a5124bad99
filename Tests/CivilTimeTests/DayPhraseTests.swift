import Testing

@testable import CivilTime

@Suite struct DayPhraseTests {
    /// A Wednesday.
    private let today = Day(clampingDaysSince1970: 20_495)

    @Test(
        "Day phrases are parsed",
        arguments: [
            ("2026-02-12", "2026-02-12"), ("today", "2026-02-11"), ("Tomorrow", "2026-02-12"),
            ("YESTERDAY", "2026-02-10"), ("+3d", "2026-02-14"), ("+0d", "2026-02-11"), ("+2w", "2026-02-25"),
            ("+1m", "2026-03-11"), ("+12M", "2027-02-11"), ("fri", "2026-02-13"), ("Friday", "2026-02-13"),
            ("wed", "2026-02-18"), ("tue", "2026-02-17"), ("thu", "2026-02-12"), ("SUNDAY", "2026-02-15"),
        ])
    func peopleWriteDaysInManyWays(phrase: String, expected: String) throws {
        #expect(try Day(parsing: phrase, today: today).description == expected)
    }

    @Test("A weekday phrase means the next one, never today")
    func aWeekdayIsTheNextOneAndNeverToday() throws {
        for offset in 0..<7 {
            let today = today.advanced(by: offset)
            for weekday in Weekday.allCases {
                let day = try Day(parsing: String(describing: weekday), today: today)
                #expect(day.weekday == weekday)
                #expect((1...7).contains(today.distance(to: day)))
            }
        }
    }

    @Test(
        "An invalid day phrase is an error that names the valid forms",
        arguments: [
            "", "+", "+d", "+3", "3d", "-3d", "+3x", "+-3d", "+ 3d", "frid", "fr", "to day", "2026-2-1", "+3d ", "+٣d",
            "feb 30", "+3.5d",
        ])
    func whatIsNoDayIsAnErrorThatNamesWhatIs(phrase: String) {
        #expect(throws: CivilTimeError.malformedDayPhrase(phrase)) { try Day(parsing: phrase, today: today) }
        #expect(CivilTimeError.malformedDayPhrase(phrase).description.contains("+3d"))
    }

    @Test(
        "A phrase outside the calendar is an error, not the last day",
        arguments: [
            "+9999999d", "+999999w", "+999999m", "+99999999999999999999d", "+9223372036854775807w", "+10000001m",
        ])
    func aDayOutsideTheCalendarIsAnErrorNotTheLastDay(phrase: String) {
        #expect(throws: CivilTimeError.dayOutOfRange(phrase)) { try Day(parsing: phrase, today: today) }
    }

    @Test("Days before the first and after the last are errors")
    func theCalendarsEndsHaveNoNeighbours() {
        #expect(throws: CivilTimeError.dayOutOfRange("tomorrow")) { try Day(parsing: "tomorrow", today: .last) }
        #expect(throws: CivilTimeError.dayOutOfRange("yesterday")) { try Day(parsing: "yesterday", today: .first) }
        #expect(throws: CivilTimeError.dayOutOfRange("fri")) { try Day(parsing: "fri", today: .last) }
        #expect(throws: CivilTimeError.dayOutOfRange("+1m")) { try Day(parsing: "+1m", today: .last) }
    }

    @Test("An impossible date is not mistaken for a phrase")
    func anImpossibleDateIsNotMistakenForAPhrase() {
        #expect(throws: CivilTimeError.impossibleDay("2026-02-30")) { try Day(parsing: "2026-02-30", today: today) }
    }
}
