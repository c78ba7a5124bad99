import FoundationEssentials
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
            "+3.5d", "feb 11,", "11 feb,", "feb, 11", "feb 11,,", "feb 11,, 2027", "feb 11 2027,",
        ])
    func whatIsNoDayIsAnErrorThatNamesWhatIs(phrase: String) {
        #expect(throws: DatePhraseError.malformedDay) { try Day(parsing: phrase, today: today) }
        #expect(DatePhraseError.malformedDay.description.contains("+3d"))
    }

    @Test(
        "A phrase outside the calendar is an error, not the last day",
        arguments: [
            "+9999999d", "+999999w", "+999999m", "+99999999999999999999d", "+9223372036854775807w", "+10000001m",
        ])
    func aDayOutsideTheCalendarIsAnErrorNotTheLastDay(phrase: String) {
        #expect(throws: DatePhraseError.outOfRange) { try Day(parsing: phrase, today: today) }
    }

    @Test("Days before the first and after the last are errors")
    func theCalendarsEndsHaveNoNeighbours() {
        #expect(throws: DatePhraseError.outOfRange) { try Day(parsing: "tomorrow", today: .last) }
        #expect(throws: DatePhraseError.outOfRange) { try Day(parsing: "yesterday", today: .first) }
        #expect(throws: DatePhraseError.outOfRange) { try Day(parsing: "fri", today: .last) }
        #expect(throws: DatePhraseError.outOfRange) { try Day(parsing: "+1m", today: .last) }
    }

    @Test(
        "An impossible date is not mistaken for a phrase",
        arguments: ["2026-02-30", "feb 30", "30 feb", "april 31", "feb 29 2027", "jan 0", "jan 32", "0001-00-01"])
    func anImpossibleDateIsNotMistakenForAPhrase(phrase: String) {
        #expect(throws: DatePhraseError.impossibleDay) { try Day(parsing: phrase, today: today) }
    }

    @Test(
        "Phrases of several words are parsed",
        arguments: [
            ("next friday", "2026-02-20"), ("Next Mon", "2026-02-16"), ("next wed", "2026-02-18"),
            ("next sunday", "2026-02-22"), ("in 3 days", "2026-02-14"), ("in 1 day", "2026-02-12"),
            ("in 0 days", "2026-02-11"), ("in 2 weeks", "2026-02-25"), ("in 1 month", "2026-03-11"),
            ("in 1 year", "2027-02-11"), ("+1y", "2027-02-11"), ("feb 11", "2026-02-11"), ("11 FEB", "2026-02-11"),
            ("february 10", "2027-02-10"), ("Mar 1", "2026-03-01"), ("feb 29", "2028-02-29"), ("9 Sep", "2026-09-09"),
            ("feb 11 2027", "2027-02-11"), ("feb 11, 2020", "2020-02-11"), ("11 february 0027", "0027-02-11"),
            ("end of month", "2026-02-28"), ("end of week", "2026-02-15"), ("on friday", "2026-02-13"),
            ("on feb 12", "2026-02-12"), ("on 2026-02-12", "2026-02-12"),
        ])
    func severalWords(phrase: String, expected: String) throws {
        #expect(try Day(parsing: phrase, today: today).description == expected)
    }

    @Test("The end of a week and the days of the next one depend on the weekday that weeks start on")
    func weekStarts() throws {
        let days: [(Weekday, String, String)] = [
            (.monday, "2026-02-15", "2026-02-20"), (.sunday, "2026-02-14", "2026-02-20"),
            (.saturday, "2026-02-13", "2026-02-20"), (.friday, "2026-02-12", "2026-02-13"),
        ]
        for (start, end, nextFriday) in days {
            #expect(try Day(parsing: "end of week", today: today, weekStart: start).description == end)
            #expect(try Day(parsing: "next friday", today: today, weekStart: start).description == nextFriday)
        }
    }

    @Test("Months end on the right day, also the last one of the calendar")
    func endsOfMonths() throws {
        for (today, end) in [
            ("2024-02-01", "2024-02-29"), ("2026-12-31", "2026-12-31"), ("9999-12-01", "9999-12-31"),
            ("2026-04-30", "2026-04-30"),
        ] {
            #expect(try Day(parsing: "end of month", today: Day(today)) == Day(end))
        }
        #expect(throws: DatePhraseError.outOfRange) { try Day(parsing: "end of week", today: .last) }
        #expect(throws: DatePhraseError.outOfRange) { try Day(parsing: "feb 11", today: .last) }
    }

    @Test("On random days, every phrase gives what plain arithmetic on days gives")
    func randomDays() throws {
        var dice = SeededNumbers(seed: 16)
        for _ in 0..<5_000 {
            // Far enough from both ends of the calendar.
            let today = Day(clampingDaysSince1970: dice.below(2_900_000) - 700_000)
            let weekStart = Weekday.allCases[dice.below(7)]
            func day(_ phrase: String) throws -> Day { try Day(parsing: phrase, today: today, weekStart: weekStart) }
            let count = dice.below(1_000)
            #expect(try day("in \(count) days") == today.advanced(by: count))
            #expect(try day("in \(count) weeks") == today.advanced(by: 7 * count))
            #expect(try day("+\(count)m") == today.adding(months: count))
            #expect(try day("in \(count) years") == today.adding(months: 12 * count))
            let weekday = Weekday.allCases[dice.below(7)]
            let name = "\(weekday)"
            let following = try #require((1...7).map { today.advanced(by: $0) }.first { $0.weekday == weekday })
            #expect(try day(name) == following)
            #expect(try day(String(name.prefix(3)).uppercased()) == following)
            let thisWeek = today.week(startingOn: weekStart)
            let next = thisWeek.upperBound.week(startingOn: weekStart)
            #expect(try day("next \(name)") == next.first { $0.weekday == weekday })
            #expect(try day("end of week") == thisWeek.upperBound.advanced(by: -1))
            #expect(try day("end of month") == today.monthOfYear.days.upperBound.advanced(by: -1))
        }
    }

    @Test("Every printed form of a random day parses back")
    func printedForms() throws {
        var dice = SeededNumbers(seed: 17)
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for _ in 0..<5_000 {
            let day = Day(clampingDaysSince1970: dice.below(3_652_059) - 719_162)
            let month = names[day.month - 1]
            let year = String(repeating: "0", count: 4 - "\(day.year)".count) + "\(day.year)"
            for text in [
                "\(day)", "\(month) \(day.day) \(year)", "\(month) \(day.day), \(year)", "\(day.day) \(month) \(year)",
                "\(month) \(day.day)",
            ] {
                #expect(try Day(parsing: text, today: day) == day)
            }
            // Without a year, the first one that is not before today.
            let today = day.advanced(by: -dice.below(366))
            let found = try Day(parsing: "\(month) \(day.day)", today: today)
            #expect(found >= today && found <= day && found.month == day.month && found.day == day.day)
        }
    }

    @Test("No error contains what was written")
    func privateErrors() {
        let secret = "buy milk for ada"
        for text in [
            secret, "in \(secret)", "at \(secret)", "2026-02-30t\(secret)", "2026t\(secret)", "2026-02-11T07:00ada",
        ] {
            for error in [
                #expect(throws: DatePhraseError.self) { try Day(parsing: text, today: today) },
                #expect(throws: DatePhraseError.self) { try CivilMoment(parsing: text, today: today) },
            ] {
                #expect(error?.description.contains("ada") == false)
            }
        }
    }
}
