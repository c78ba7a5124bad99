import Testing

@testable import CivilTime

@Suite struct ZoneTests {
    private static let varied = [
        "Africa/Cairo", "Africa/Casablanca", "Africa/Monrovia", "America/Havana", "America/St_Johns",
        "Antarctica/Casey", "Antarctica/Troll", "Asia/Kathmandu", "Australia/Lord_Howe", "Europe/Dublin",
        "Pacific/Apia", "Pacific/Kiritimati", "UTC",
    ]

    /// Days are ranges without gaps or overlaps, and the day of an instant is the one whose range contains it.
    @Test("Days follow each other without gaps or overlaps [C-AD10, X-32]", arguments: varied)
    func daysTileTime(name: String) throws {
        let zone = try Zone(name)
        let random = SeededRandomSource(seed: 5)
        for round in 0..<1_500 {
            let span: UInt64 = round.isMultiple(of: 2) ? 24_800 : 3_652_000
            let base = round.isMultiple(of: 2) ? 0 : -719_162
            let day = Day(clampingDaysSince1970: base + Int(random.next() % span))
            let start = zone.start(of: day)
            let end = zone.end(of: day)
            #expect(zone.range(of: day..<day.advanced(by: 1)) == start..<end)
            guard zone.exists(day) else {
                #expect(start == end)
                continue
            }
            #expect(start < end)
            #expect(zone.day(of: start) == day)
            #expect(zone.day(of: start.advanced(byMicroseconds: -1)) < day)
            #expect(zone.day(of: end.advanced(byMicroseconds: -1)) == day)
            #expect(zone.day(of: end) > day)
            let noon = zone.instant(day: day, secondsIntoDay: 43_200)
            #expect(zone.day(of: noon) == day)
        }
    }

    @Test("A day that a zone skips is empty")
    func aDayThatDoesNotExistIsEmpty() throws {
        let apia = try Zone("Pacific/Apia")
        let missing = try Day("2011-12-30")
        #expect(!apia.exists(missing))
        #expect(apia.start(of: missing) == apia.end(of: missing))
        #expect(try apia.start(of: missing) == Instant("2011-12-30T10:00:00Z"))
        #expect(try apia.end(of: Day("2011-12-29")) == apia.start(of: Day("2011-12-31")))
        #expect(try apia.instant(day: missing, secondsIntoDay: 9 * 3600) == apia.start(of: Day("2011-12-31")))
    }

    @Test("A time in a gap is the first instant after it")
    func aTimeThatTheClockSkipsIsTheFirstInstantAfterTheGap() throws {
        let berlin = try Zone("Europe/Berlin")
        let spring = try Day("2026-03-29")
        #expect(try berlin.instant(day: spring, secondsIntoDay: 9_000) == Instant("2026-03-29T01:00:00Z"))
        #expect(try berlin.instant(day: spring, secondsIntoDay: 7_199) == Instant("2026-03-29T00:59:59Z"))
        #expect(try berlin.instant(day: spring, secondsIntoDay: 10_800) == Instant("2026-03-29T01:00:00Z"))
        // Cairo skips midnight itself.
        let cairo = try Zone("Africa/Cairo")
        #expect(try cairo.instant(day: Day("2026-04-24"), secondsIntoDay: 0) == cairo.start(of: Day("2026-04-24")))
        // Far in the future, by the rule alone.
        #expect(try berlin.instant(day: Day("9999-03-28"), secondsIntoDay: 9_000) == Instant("9999-03-28T01:00:00Z"))
    }

    @Test("A time in an overlap is its first instant")
    func aTimeThatTheClockShowsTwiceIsTheFirst() throws {
        let berlin = try Zone("Europe/Berlin")
        let autumn = try Day("2026-10-25")
        #expect(try berlin.instant(day: autumn, secondsIntoDay: 9_000) == Instant("2026-10-25T00:30:00Z"))
        #expect(try berlin.instant(day: autumn, secondsIntoDay: 10_800) == Instant("2026-10-25T02:00:00Z"))
        let troll = try Zone("Antarctica/Troll")
        #expect(try troll.instant(day: autumn, secondsIntoDay: 9_000) == Instant("2026-10-25T00:30:00Z"))
    }

    @Test("Times outside the day are clamped")
    func timesOutsideTheDayAreCutOff() throws {
        let day = try Day("2026-02-11")
        #expect(Zone.utc.instant(day: day, secondsIntoDay: -5) == Zone.utc.start(of: day))
        #expect(
            Zone.utc.instant(day: day, secondsIntoDay: Int.max) == Zone.utc.end(of: day).advanced(bySeconds: -1))
    }

    @Test("Both ends of the calendar work in every zone")
    func theCalendarsEndsHoldInEveryZone() throws {
        for name in ["Pacific/Kiritimati", "Etc/GMT+12", "Europe/Berlin", "UTC"] {
            let zone = try Zone(name)
            for day in [Day.first, Day.last] {
                #expect(zone.day(of: zone.start(of: day)) == day)
                #expect(zone.exists(day))
                #expect(zone.start(of: day) < zone.end(of: day))
            }
            #expect(zone.day(of: Instant(microsecondsSince1970: Int64.min)) == Day.first)
            #expect(zone.day(of: Instant(microsecondsSince1970: Int64.max)) == Day.last)
        }
    }

    @Test("A zone can be used from many tasks at once")
    func aZoneCanBeAskedFromManyTasksAtOnce() async throws {
        let bytes = ZoneFileMaker.bytes(footer: "CET-1CEST,M3.5.0,M10.5.0/3")
        let zone = Zone(rules: try ZoneFileMaker.rules(bytes))
        let start = try Instant("2026-06-01T00:00:00Z")
        let days = await withTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask {
                    (0..<1_000).reduce(0) { sum, hour in
                        sum + Int(zone.day(of: start.advanced(bySeconds: Int64(hour + number) * 3600)).daysSince1970)
                    }
                }
            }
            return await group.reduce(0, +)
        }
        let expected = (0..<8).reduce(0) { sum, number in
            (0..<1_000).reduce(sum) { sum, hour in
                sum + Int(start.advanced(bySeconds: Int64(hour + number + 2) * 3600).utcDay.daysSince1970)
            }
        }
        // In June, Berlin is two hours ahead; the hours end in July.
        #expect(days == expected)
    }
}
