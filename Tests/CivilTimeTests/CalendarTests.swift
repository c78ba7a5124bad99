import Testing

@testable import CivilTime

@Suite struct MonthTests {
    @Test("Months follow each other without gaps")
    func theMonthsFollowEachOtherWithoutGaps() throws {
        var month = try Month("0001-01")
        var count = 1
        var failures = 0
        while let next = month.next {
            if next.previous != month || next.days.lowerBound != month.days.upperBound || next <= month {
                failures += 1
            }
            if !month.days.contains(month.days.lowerBound.advanced(by: 27)) { failures += 1 }
            month = next
            count += 1
        }
        #expect(failures == 0)
        #expect(count == 9999 * 12)
        #expect(month.description == "9999-12")
        #expect(try Month("0001-01").previous == nil)
    }

    @Test("A month contains its days")
    func aDayLiesInItsMonth() {
        for number in stride(from: -719_162, to: 2_932_896, by: 1_009) {
            let day = Day(clampingDaysSince1970: number)
            let month = day.monthOfYear
            #expect(month.days.contains(day))
            #expect(month.year == day.year)
            #expect(month.month == day.month)
        }
    }

    @Test("A month converts to text and back")
    func textAndMonthAreTheSameThing() throws {
        #expect(try Month("2018-04") == Month(year: 2018, month: 4))
        #expect(Month(year: 2018, month: 4)?.description == "2018-04")
        #expect(Month(year: 0, month: 1) == nil)
        #expect(Month(year: 10_000, month: 1) == nil)
        #expect(Month(year: 2018, month: 13) == nil)
        #expect(Month(year: 2018, month: Int.min) == nil)
    }

    @Test(
        "Other texts are refused",
        arguments: ["", "2018", "2018-4", "2018-13", "2018-00", "0000-01", "2018-04-01", "2018/04", " 2018-04"])
    func otherTextsAreRefused(text: String) {
        #expect(throws: CivilTimeError.malformedMonth(text)) { try Month(text) }
    }
}

@Suite struct WeekdayTests {
    @Test("Weekday numbers are those of ISO 8601")
    func numbersAreThoseOfISO() {
        #expect(Weekday.monday.rawValue == 1)
        #expect(Weekday.sunday.rawValue == 7)
        #expect(Weekday.allCases.count == 7)
    }

    @Test("Names are read in full and short")
    func namesAreReadInFullAndShort() throws {
        for weekday in Weekday.allCases {
            let name = String(describing: weekday)
            #expect(try Weekday(name) == weekday)
            #expect(try Weekday(name.uppercased()) == weekday)
            #expect(try Weekday(String(name.prefix(3))) == weekday)
        }
        for text in ["", "m", "mond", "monday ", "montag", "1"] {
            #expect(throws: CivilTimeError.malformedWeekday(text)) { try Weekday(text) }
        }
    }

    @Test(
        "The first weekday follows the region",
        arguments: [
            ("en_US.UTF-8", Weekday.sunday), ("de_DE", .monday), ("ar_EG", .saturday), ("C", .monday),
            ("POSIX", .monday),
            ("", .monday), ("C.UTF-8", .monday), ("en", .monday), ("en-GB", .monday), ("en_us", .sunday),
            ("zh_Hant_TW", .sunday), ("dv_MV", .friday), ("fa_IR.UTF-8", .saturday), ("pt_BR.UTF-8@euro", .sunday),
            ("ar_AE", .monday), ("sr_RS@latin", .monday), ("xx_QQ", .monday), ("__", .monday), (".@_", .monday),
            ("es_419", .monday), ("ca_ES.UTF-8@valencia_US", .monday),
        ])
    func weeksStartWhereTheRegionHasIt(locale: String, expected: Weekday) {
        #expect(Weekday.firstOfWeek(localeIdentifier: locale) == expected)
    }
}
