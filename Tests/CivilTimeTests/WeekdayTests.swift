import Testing

@testable import CivilTime

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
