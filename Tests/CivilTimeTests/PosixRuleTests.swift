import Testing

@testable import CivilTime

@Suite struct PosixRuleTests {
    private func zone(_ rule: String) throws -> Zone {
        Zone(rules: try ZoneFileMaker.rules(ZoneFileMaker.bytes(footer: rule)))
    }

    @Test("Rules are read as POSIX writes them")
    func rulesAreReadAsPOSIXWritesThem() throws {
        #expect(PosixRule(Array("<+03>-3".utf8)) == PosixRule(offset: 10_800, daylightSaving: nil))
        #expect(PosixRule(Array("NST3:30:15".utf8))?.offset == -12_615)
        let berlin = try #require(PosixRule(Array("CET-1CEST,M3.5.0,M10.5.0/3".utf8)))
        #expect(berlin.daylightSaving?.offset == 7_200)
        #expect(berlin.daylightSaving?.start.date == .weekday(month: 3, week: 5, weekday: 0))
        #expect(berlin.daylightSaving?.start.seconds == 7_200)
        let nuuk = try #require(PosixRule(Array("<-02>2<-01>,M3.5.0/-1,M10.5.0/0".utf8)))
        #expect(nuuk.daylightSaving?.start.seconds == -3_600)
        let dublin = try #require(PosixRule(Array("IST-1GMT0,M10.5.0,M3.5.0/1".utf8)))
        #expect(dublin.daylightSaving?.offset == 0)
        let julian = try #require(PosixRule(Array("AAA1BBB0:30,J60/167,365/-167:59:59".utf8)))
        #expect(julian.daylightSaving?.start == PosixRule.Change(date: .julian(60), seconds: 167 * 3600))
        #expect(julian.daylightSaving?.end == PosixRule.Change(date: .ordinal(365), seconds: -(168 * 3600 - 1)))
        #expect(julian.daylightSaving?.offset == -1_800)
    }

    @Test(
        "Other texts are not rules",
        arguments: [
            "", "CE-1", "CET", "<+03-3", "CET-25", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
            "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J1", "CET-1CEST,366,J1",
            "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-1:60", "CET-99999999999999999999",
            "CET-1CEST,M3..0,M10.5.0", ":Europe/Berlin",
        ])
    func otherTextsAreNoRules(text: String) {
        #expect(PosixRule(Array(text.utf8)) == nil)
    }

    @Test("A rule with daylight saving holds until the year 9999")
    func aRuleWithDaylightSavingHoldsUntilTheYear9999() throws {
        let berlin = try Zone("Europe/Berlin")
        let made = try zone("CET-1CEST,M3.5.0,M10.5.0/3")
        for year in [2038, 2100, 2400, 2437, 2438, 2439, 2440, 2838, 5000, 9998, 9999] {
            // The last Sundays of March and October, from a printed calendar.
            for (month, hours, offset) in [(3, 23, 3600), (10, 25, 7200)] {
                var sunday = try #require(Day(year: year, month: month, day: 31))
                while sunday.weekday != .sunday { sunday = sunday.advanced(by: -1) }
                for zone in [berlin, made] {
                    let start = zone.start(of: sunday)
                    #expect(zone.end(of: sunday) == start.advanced(bySeconds: Int64(hours) * 3600))
                    #expect(zone.offsetSeconds(at: start) == offset)
                    #expect(zone.day(of: start) == sunday)
                    #expect(zone.day(of: start.advanced(byMicroseconds: -1)) == sunday.advanced(by: -1))
                }
            }
        }
        #expect(berlin.start(of: .last).description == "9999-12-30T23:00:00Z")
        #expect(berlin.end(of: .last).description == "9999-12-31T23:00:00Z")
    }

    @Test("Julian days skip the leap day and ordinal days count it")
    func julianDaysSkipTheLeapDayAndOrdinalDaysCountIt() throws {
        // J60 is always 1 March; 59 is 29 February in leap years.
        let julian = try zone("AAA0BBB,J60/0,J100/0")
        let ordinal = try zone("AAA0BBB,59/0,J100/0")
        func startsOn(_ zone: Zone, _ day: Day) -> Bool {
            let midnight = zone.start(of: day)
            return zone.offsetSeconds(at: midnight.advanced(byMicroseconds: -1)) == 0
                && zone.offsetSeconds(at: midnight) == 3600
        }
        #expect(startsOn(julian, try Day("2023-03-01")))
        #expect(startsOn(julian, try Day("2024-03-01")))
        #expect(startsOn(ordinal, try Day("2023-03-01")))
        #expect(startsOn(ordinal, try Day("2024-02-29")))
        #expect(startsOn(ordinal, try Day("9996-02-29")))
    }

    @Test("Daylight saving time may last all year")
    func daylightSavingTimeMayLastAllYear() throws {
        let zone = try zone("XXX3EDT4,0/0,J365/23")
        for text in ["1999-12-31T23:00:00Z", "2024-01-01T03:30:00Z", "2024-07-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
            #expect(zone.offsetSeconds(at: try Instant(text)) == -4 * 3600)
        }
    }

    /// The rule repeats every 400 years, so the results must repeat as well, and days must be contiguous.
    @Test(
        "Later cycles repeat the first",
        arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Gaza", "America/Nuuk"])
    func laterCyclesRepeatTheFirst(name: String) throws {
        let zone = try Zone(name)
        // Gaza's file lists Ramadans until 2086.
        for number in stride(from: 43_000, to: 43_000 + 146_097, by: 37) {
            let day = Day(clampingDaysSince1970: number)
            let later = Day(clampingDaysSince1970: number + 10 * 146_097)
            let start = zone.start(of: day)
            #expect(zone.start(of: later) == start.advanced(bySeconds: 10 * 146_097 * 86_400))
            #expect(zone.day(of: zone.start(of: later)) == later)
            #expect(zone.day(of: zone.end(of: later).advanced(byMicroseconds: -1)) == later)
            #expect(zone.end(of: later) == zone.start(of: later.advanced(by: 1)))
        }
    }
}
