import FoundationEssentials
import Processes
import Testing

@testable import CivilTime

@Suite struct DayTests {
    private let someDay = Day(clampingDaysSince1970: 20_495)  // 2026-02-11

    /// Counts the days month by month, so that no formula is tested against itself.
    @Test("Every day of the calendar converts to its number and back")
    func everyDayOfTheCalendarHasItsNumberAndBack() {
        var number = Day.first.daysSince1970
        var failures = 0
        for year in 1...9999 {
            for month in 1...12 {
                let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
                let length = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
                if Day(year: year, month: month, day: length + 1) != nil { failures += 1 }
                // By default all days of some years and the ends of months in the others, because 3.6 million days take
                // long.
                let all = CurrentProcess.variable("DAYBOOK_EXHAUSTIVE") == "1" || year % 20 == 0
                for day in all ? Array(1...length) : [1, length] {
                    let expected = number + Int32(day) - 1
                    let date = Day(year: year, month: month, day: day)
                    let parts = date?.components
                    if date?.daysSince1970 != expected || parts?.year != year || parts?.month != month
                        || parts?.day != day
                    {
                        failures += 1
                    }
                }
                number += Int32(length)
            }
        }
        #expect(failures == 0)
        #expect(number == Day.last.daysSince1970 + 1)
    }

    @Test("The epoch is a Thursday, and weekdays repeat")
    func theEpochIsAThursdayAndWeekdaysGoRound() {
        #expect(Day(daysSince1970: 0)?.weekday == .thursday)
        for number in stride(from: Day.first.daysSince1970, to: Day.last.daysSince1970, by: 997) {
            let day = Day(clampingDaysSince1970: Int(number))
            #expect(day.advanced(by: 1).weekday.rawValue == day.weekday.rawValue % 7 + 1)
        }
    }

    @Test("Dates that do not exist are refused")
    func datesThatNoCalendarHasAreRefused() {
        #expect(Day(year: 2026, month: 2, day: 30) == nil)
        #expect(Day(year: 1900, month: 2, day: 29) == nil)
        #expect(Day(year: 2000, month: 2, day: 29) != nil)
        #expect(Day(year: 0, month: 12, day: 31) == nil)
        #expect(Day(year: 10_000, month: 1, day: 1) == nil)
        #expect(Day(year: 2026, month: 13, day: 1) == nil)
        #expect(Day(year: 2026, month: 1, day: Int.max) == nil)
        #expect(Day(year: Int.min, month: 1, day: 1) == nil)
        #expect(Day(daysSince1970: Day.last.daysSince1970 + 1) == nil)
        #expect(Day(daysSince1970: Day.first.daysSince1970 - 1) == nil)
        #expect(Day(daysSince1970: Int32.min) == nil)
    }

    @Test("Arithmetic is clamped at the ends of the calendar")
    func arithmeticStopsAtTheEndsOfTheCalendar() {
        #expect(Day.last.advanced(by: 1) == Day.last)
        #expect(Day.first.advanced(by: -1) == Day.first)
        #expect(someDay.advanced(by: Int.max) == Day.last)
        #expect(someDay.advanced(by: Int.min) == Day.first)
        #expect(someDay.adding(months: Int.max) == Day.last)
        #expect(someDay.adding(months: Int.min) == Day.first)
        #expect(Day(clampingDaysSince1970: Int.max) == Day.last)
        #expect(Day(clampingDaysSince1970: Int.min) == Day.first)
        #expect(Day.first.distance(to: Day.last) == 3_652_058)
    }

    @Test("Adding months keeps the day or takes the last day of the month")
    func addingMonthsKeepsTheDayOrTakesTheMonthsLast() throws {
        #expect(try Day("2026-01-31").adding(months: 1) == Day("2026-02-28"))
        #expect(try Day("2024-01-31").adding(months: 1) == Day("2024-02-29"))
        #expect(try Day("2024-02-29").adding(months: 12) == Day("2025-02-28"))
        #expect(try Day("2024-02-29").adding(months: -48) == Day("2020-02-29"))
        #expect(try Day("2026-03-31").adding(months: -13) == Day("2025-02-28"))
        for months in -500...500 {
            let sum = someDay.adding(months: months)
            #expect(sum.day == 11)
            #expect((sum.year * 12 + sum.month) - (2026 * 12 + 2) == months)
        }
    }

    @Test("A week contains its day and starts on the given weekday", arguments: Weekday.allCases)
    func aWeekHoldsItsDayAndStartsOnTheGivenWeekday(firstWeekday: Weekday) {
        for number in stride(from: -719_100, to: 2_932_800, by: 1_237) {
            let day = Day(clampingDaysSince1970: number)
            let week = day.week(startingOn: firstWeekday)
            #expect(week.contains(day))
            #expect(week.count == 7)
            #expect(week.lowerBound.weekday == firstWeekday)
            #expect(week.allSatisfy { $0.week(startingOn: firstWeekday) == week })
        }
    }

    @Test("Ranges end at the last day of the calendar")
    func rangesEndAtTheLastDayOfTheCalendar() {
        let week = Day.last.week(startingOn: .monday)
        #expect(week.upperBound == Day.last)
        #expect(week.lowerBound.description == "9999-12-27")
        #expect(Day.first.week(startingOn: .sunday).lowerBound == Day.first)
        #expect(Day.last.monthOfYear.days.upperBound == Day.last)
        #expect(Array(Day.last.monthOfYear.days).count == 30)
    }

    @Test("A day converts to text and back")
    func textAndDayAreTheSameThing() throws {
        #expect(someDay.description == "2026-02-11")
        #expect(Day.first.description == "0001-01-01")
        #expect(Day.last.description == "9999-12-31")
        for number in stride(from: Day.first.daysSince1970, through: Day.last.daysSince1970, by: 499) {
            let day = Day(clampingDaysSince1970: Int(number))
            #expect(try Day(day.description) == day)
        }
    }

    @Test(
        "Other forms of a day are refused",
        arguments: [
            "", "2026", "2026-2-11", "26-02-11", "2026-02-11 ", " 2026-02-11", "2026/02/11", "20260211", "2026-02-1a",
            "+2026-02-11", "-026-02-11", "2026-02-11T00:00:00Z", "٢٠٢٦-٠٢-١١", "2026-02-111", "2026-02-",
        ])
    func otherFormsOfADayAreRefused(text: String) {
        #expect(throws: CivilTimeError.malformedDay(text)) { try Day(text) }
    }

    @Test(
        "Errors about impossible dates say what is possible",
        arguments: ["2026-02-30", "2026-00-01", "2026-13-01", "2026-01-00", "0000-01-01", "1900-02-29"])
    func impossibleDatesSayWhatIsPossible(text: String) {
        #expect(throws: CivilTimeError.impossibleDay(text)) { try Day(text) }
        #expect(CivilTimeError.impossibleDay(text).description.contains("0001-01-01 to 9999-12-31"))
    }

    @Test("A day is encoded as text")
    func aDayIsCodedAsText() throws {
        let data = try JSONEncoder().encode([someDay, Day.first])
        #expect(String(decoding: data, as: UTF8.self) == #"["2026-02-11","0001-01-01"]"#)
        #expect(try JSONDecoder().decode([Day].self, from: data) == [someDay, Day.first])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Day].self, from: Data(#"["2026-02-30"]"#.utf8))
        }
    }
}
