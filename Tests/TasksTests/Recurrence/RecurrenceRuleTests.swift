import CivilTime
import Foundation
import Records
import Tasks
import TestSupport
import Testing

@Suite struct RecurrenceRuleTests {
    static func days(_ rule: RecurrenceRule, from start: String, _ count: Int) throws -> [String] {
        rule.days(from: try Day(start)).prefix(count).map(\.description)
    }

    /// A phrase, a start, and its first days.
    struct Example: CustomTestStringConvertible {
        let phrase: String
        let start: String
        let days: [String]
        var testDescription: String { "\(phrase) from \(start)" }

        init(_ phrase: String, from start: String, _ days: String...) {
            self.phrase = phrase
            self.start = start
            self.days = days
        }
    }

    @Test(
        "Rules give the days that a calendar shows [F-1]",
        arguments: [
            Example("daily", from: "2026-02-27", "2026-02-27", "2026-02-28", "2026-03-01"),
            Example("every 3 days", from: "2028-02-27", "2028-02-27", "2028-03-01", "2028-03-04"),
            Example("weekdays", from: "2026-02-12", "2026-02-12", "2026-02-13", "2026-02-16"),
            Example("every weekday", from: "2026-02-14", "2026-02-16", "2026-02-17", "2026-02-18"),
            Example("weekly", from: "2026-02-12", "2026-02-12", "2026-02-19", "2026-02-26"),
            Example("every mon,thu", from: "2026-02-11", "2026-02-12", "2026-02-16", "2026-02-19"),
            Example("every 2 weeks on mon,thu", from: "2026-02-12", "2026-02-12", "2026-02-23", "2026-02-26"),
            Example("every 2 weeks on mon", from: "2026-02-12", "2026-02-23", "2026-03-09", "2026-03-23"),
            Example("monthly on 31", from: "2026-01-31", "2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"),
            Example("monthly on 30", from: "2028-01-31", "2028-02-29", "2028-03-30", "2028-04-30"),
            Example("monthly on 15", from: "2026-01-31", "2026-02-15", "2026-03-15"),
            Example("monthly", from: "2026-01-15", "2026-01-15", "2026-02-15"),
            Example("monthly on last day", from: "2026-02-01", "2026-02-28", "2026-03-31"),
            Example("monthly on 2nd tue", from: "2026-02-11", "2026-03-10", "2026-04-14"),
            Example("monthly on last fri", from: "2026-02-11", "2026-02-27", "2026-03-27", "2026-04-24"),
            Example("monthly on 5th fri", from: "2026-01-01", "2026-01-30", "2026-05-29"),
            Example("every 3 months on 31", from: "2026-01-31", "2026-01-31", "2026-04-30", "2026-07-31"),
            Example("yearly", from: "2026-03-01", "2026-03-01", "2027-03-01"),
            Example("yearly on feb 29", from: "2026-01-01", "2026-02-28", "2027-02-28", "2028-02-29", "2029-02-28"),
            Example("yearly on 24 dec", from: "2026-12-25", "2027-12-24", "2028-12-24"),
            Example("every 4 years on feb 29", from: "2026-01-01", "2026-02-28", "2030-02-28"),
        ])
    func examples(example: Example) throws {
        let rule = try RecurrenceRule(phrase: example.phrase, today: Day(example.start))
        #expect(try Self.days(rule, from: example.start, example.days.count) == example.days)
    }

    @Test("A rule ends after its last day, or after a number of days that count from the start")
    func ends() throws {
        let today = try Day("2026-02-11")
        for (phrase, expected) in [
            ("daily until 2026-02-13", ["2026-02-11", "2026-02-12", "2026-02-13"]), ("daily until feb 10 2026", []),
            ("weekly on mon 2 times", ["2026-02-16", "2026-02-23"]),
            ("weekly until next friday", ["2026-02-11", "2026-02-18"]),
            ("daily 1 time", ["2026-02-11"]),
        ] {
            let rule = try RecurrenceRule(phrase: phrase, today: today)
            #expect(rule.days(from: today).map(\.description) == expected, "\(phrase)")
        }
    }

    @Test("The first day of the week decides which weeks every second week is")
    func weekStarts() throws {
        // The example of RFC 5545, section 3.8.5.3.
        for (start, expected) in [
            ("MO", ["1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24"]),
            ("SU", ["1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31"]),
        ] {
            let rule = try RecurrenceRule(rrule: "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=\(start)")
            #expect(try Self.days(rule, from: "1997-08-05", 9) == expected)
        }
        let sunday = try RecurrenceRule(
            phrase: "every 2 weeks on tue,sun", today: Day("1997-08-05"), weekStart: .sunday)
        #expect(sunday.rrule == "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU")
        #expect(sunday.phrase(weekStart: .sunday) == "every 2 weeks on tue,sun")
        #expect(sunday.phrase() == nil)
    }

    @Test("Monthly from the 31st and yearly from 29 February keep to the end of the month, if anchored at their start")
    func anchors() throws {
        let today = try Day("2026-01-31")
        let monthly = try RecurrenceRule(phrase: "monthly", today: today)
        // Taken literally, RFC 5545 skips the months without a 31st.
        #expect(try Self.days(monthly, from: "2026-01-31", 3) == ["2026-01-31", "2026-03-31", "2026-05-31"])
        let anchored = monthly.anchored(at: today)
        #expect(anchored.rrule == "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1")
        #expect(try Self.days(anchored, from: "2026-01-31", 3) == ["2026-01-31", "2026-02-28", "2026-03-31"])
        #expect(monthly.anchored(at: try Day("2026-01-28")) == monthly)

        let leapDay = try Day("2028-02-29")
        let yearly = try RecurrenceRule(phrase: "yearly 3 times", today: today).anchored(at: leapDay)
        #expect(yearly.days(from: leapDay).map(\.description) == ["2028-02-29", "2029-02-28", "2030-02-28"])
        let named = try RecurrenceRule(rrule: "FREQ=YEARLY;BYMONTH=3")
        #expect(named.anchored(at: today) == named)
    }

    @Test(
        "A rule that never occurs ends soon, and a rule ends with the calendar",
        arguments: [
            "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=31",
            "FREQ=DAILY;BYMONTHDAY=31;BYMONTH=6",
            "FREQ=DAILY;INTERVAL=7;BYDAY=MO", "FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2",
            "FREQ=WEEKLY;INTERVAL=1000000;BYMONTH=1",
            "FREQ=YEARLY;BYDAY=53MO;BYMONTHDAY=5",
        ])
    func neverOccurs(rrule: String) throws {
        let rule = try RecurrenceRule(rrule: rrule)
        // A Wednesday in February.
        var days = rule.days(from: try Day("2026-02-11"))
        let clock = ContinuousClock()
        let time = clock.measure { #expect(days.next() == nil) }
        #expect(days.next() == nil)
        #expect(time < .seconds(5), "\(rrule): \(time)")
    }

    @Test("The days of the calendar's ends are found")
    func endsOfTheCalendar() throws {
        let daily = try RecurrenceRule(.daily)
        #expect(Array(daily.days(from: Day.last.advanced(by: -1))) == [Day.last.advanced(by: -1), Day.last])
        for frequency in RecurrenceRule.Frequency.allCases {
            #expect(Array(try RecurrenceRule(frequency).days(from: .last)) == [.last])
            #expect(Array(try RecurrenceRule(frequency).days(from: .first).prefix(1)) == [.first])
        }
        #expect(Array(try RecurrenceRule(.yearly, every: 9_000).days(from: .first)).count == 2)
    }

    @Test("Ids of occurrences depend on the parent and the day alone [F-1]")
    func identifiers() throws {
        let parent = try #require(UUID(uuidString: "01890000-0000-7000-8000-000000000001"))
        let day = try Day("2026-02-11")
        // The formula of Documentation/Format.md, computed by a separate program.
        #expect(UUID(occurrenceOf: parent, on: day).lowercased == "e3ff6613-d2b4-8fb5-baf1-32cede0a377c")
        var known: Set<UUID> = []
        for offset in 0..<2_000 { known.insert(UUID(occurrenceOf: parent, on: day.advanced(by: offset))) }
        #expect(known.count == 2_000)
    }
}

/// Random rules against a model that looks at every day of some years.
@Suite struct RecurrenceModelTests {
    @Test("Random rules give the days that a look at every day gives")
    func randomRules() throws {
        let seed = UInt64.random(in: 0..<UInt64.max)
        var dice = Dice(seed)
        for _ in 0..<TestBudget.count(400, long: 10_000) {
            let rule = try Self.rule(&dice)
            let start = Day(clampingDaysSince1970: dice.below(40_000) - 10_000)
            let expected = Self.days(of: rule, from: start)
            let found = Array(rule.days(from: start).prefix { $0 < start.advanced(by: 3 * 366) })
            #expect(found == expected, "seed \(seed): \(rule.rrule) from \(start)")
        }
    }

    @Test("A random rule survives both notations")
    func notations() throws {
        let seed = UInt64.random(in: 0..<UInt64.max)
        var dice = Dice(seed)
        var spoken = 0
        for _ in 0..<3_000 {
            var rule = try Self.rule(&dice)
            if dice.chance(20) {
                rule = try RecurrenceRule(
                    rule.frequency, every: rule.interval, months: rule.months, monthDays: rule.monthDays,
                    weekdays: rule.weekdays, positions: rule.positions, weekStart: rule.weekStart, end: rule.end,
                    isAfterCompletion: true)
            }
            #expect((try? RecurrenceRule(rrule: rule.rrule)) == rule, "seed \(seed): \(rule.rrule)")
            #expect(
                (try? RecurrenceRule(rrule: "rrule:" + rule.rrule.lowercased())) == rule, "seed \(seed): \(rule.rrule)")
            guard let phrase = rule.phrase(weekStart: rule.weekStart) else { continue }
            spoken += 1
            let parsed = try? RecurrenceRule(phrase: phrase, today: .first, weekStart: rule.weekStart)
            #expect(parsed == rule, "seed \(seed): \(phrase), \(rule.rrule)")
        }
        #expect(spoken > 300)
    }

    @Test("A rule of a day that its month never has is said by an RRULE only")
    func impossibleDay() throws {
        #expect(try RecurrenceRule(.yearly, every: 2, months: [9], monthDays: [31]).phrase() == nil)
        for phrase in ["yearly on feb 29", "every 2 years on aug 31"] {
            #expect(try RecurrenceRule(phrase: phrase, today: .first).phrase() == phrase)
        }
    }

    static func rule(_ dice: inout Dice) throws -> RecurrenceRule {
        let frequency = dice.pick(RecurrenceRule.Frequency.allCases)
        let isLong = frequency == .monthly || frequency == .yearly
        let end: RecurrenceRule.End =
            switch dice.below(4) {
            case 0: .count(1 + dice.below(20))
            case 1: .until(Day(clampingDaysSince1970: dice.below(40_000) - 9_000))
            default: .never
            }
        var months: [Int] = []
        var monthDays: [Int] = []
        var weekdays: [RecurrenceRule.WeekdayPart] = []
        var positions: [Int] = []
        if dice.chance(25) { months = (0...dice.below(3)).map { _ in 1 + dice.below(12) } }
        if dice.chance(40), frequency != .weekly {
            monthDays = (0...dice.below(3)).map { _ in (1 + dice.below(31)) * (dice.chance(25) ? -1 : 1) }
        }
        if dice.chance(40) {
            let ordinalLimit = isLong ? (frequency == .yearly && months.isEmpty ? 53 : 5) : 0
            weekdays = (0...dice.below(3)).map { _ in
                let ordinal = ordinalLimit == 0 || dice.chance(50) ? 0 : 1 + dice.below(ordinalLimit)
                return .init(dice.pick(Weekday.allCases), ordinal: dice.chance(30) ? -ordinal : ordinal)
            }
        }
        if isLong, dice.chance(30) { positions = (0...dice.below(2)).map { _ in dice.pick([1, 2, -1, -2, 3]) } }
        return try RecurrenceRule(
            frequency, every: 1 + dice.below(4), months: months, monthDays: monthDays, weekdays: weekdays,
            positions: positions, weekStart: dice.pick([.monday, .sunday, .saturday]), end: end)
    }

    /// The days of three years, by a look at each day of all periods that are in them.
    private static func days(of rule: RecurrenceRule, from start: Day) -> [Day] {
        let week = { (day: Day) in day.week(startingOn: rule.weekStart).lowerBound }
        let periods = { (day: Day) -> Int in
            switch rule.frequency {
            case .daily: start.distance(to: day)
            case .weekly: week(start).distance(to: week(day)) / 7
            case .monthly: (day.year - start.year) * 12 + day.month - start.month
            case .yearly: day.year - start.year
            }
        }
        let last = start.advanced(by: 3 * 366)
        var byPeriod: [Int: [Day]] = [:]
        var day = start.advanced(by: -366)
        while day < last.advanced(by: 366) {
            let index = periods(day)
            if index >= 0, index % rule.interval == 0, Self.allows(rule, day, from: start) {
                byPeriod[index, default: []].append(day)
            }
            day = day.advanced(by: 1)
        }
        var found: [Day] = []
        for (_, days) in byPeriod.sorted(by: { $0.key < $1.key }) {
            for (offset, day) in days.enumerated()
            where rule.positions.isEmpty || rule.positions.contains(offset + 1)
                || rule.positions.contains(offset - days.count)
            {
                found.append(day)
            }
        }
        found = found.filter { $0 >= start && $0 < last }
        switch rule.end {
        case .never: return found
        case .count(let count): return Array(found.prefix(count))
        case .until(let end): return found.filter { $0 <= end }
        }
    }

    private static func allows(_ rule: RecurrenceRule, _ day: Day, from start: Day) -> Bool {
        let month = day.monthOfYear.days
        let hasNone = rule.monthDays.isEmpty && rule.weekdays.isEmpty
        let isLong = rule.frequency == .monthly || rule.frequency == .yearly
        let months = rule.frequency == .yearly && hasNone && rule.months.isEmpty ? [start.month] : rule.months
        if !months.isEmpty, !months.contains(day.month) { return false }
        let monthDays = isLong && hasNone ? [start.day] : rule.monthDays
        let fromEnd = -day.distance(to: month.upperBound)
        if !monthDays.isEmpty, !monthDays.contains(day.day), !monthDays.contains(fromEnd) { return false }
        let weekdays = rule.frequency == .weekly && hasNone ? [.init(start.weekday)] : rule.weekdays
        guard !weekdays.isEmpty else { return true }
        let isOfYear = rule.frequency == .yearly && rule.months.isEmpty
        let whole = { (other: Day) in isOfYear ? other.year == day.year : other.monthOfYear == day.monthOfYear }
        return weekdays.contains { part in
            guard part.weekday == day.weekday else { return false }
            if part.ordinal == 0 { return true }
            // Walks over the same weekdays of the month or year.
            var count = 1
            let step = part.ordinal > 0 ? -7 : 7
            while whole(day.advanced(by: step * count)) { count += 1 }
            return count == abs(part.ordinal)
        }
    }
}
