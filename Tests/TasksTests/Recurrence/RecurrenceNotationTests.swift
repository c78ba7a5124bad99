import CivilTime
import Tasks
import Testing

@Suite struct RecurrenceNotationTests {
    private let today = Day(clampingDaysSince1970: 20_495)

    @Test(
        "Phrases say what RRULEs say",
        arguments: [
            ("daily", "FREQ=DAILY", "daily"),
            ("Every Day", "FREQ=DAILY", "daily"),
            ("every 2 days", "FREQ=DAILY;INTERVAL=2", "every 2 days"),
            ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "weekdays"),
            ("every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "weekdays"),
            ("weekly", "FREQ=WEEKLY", "weekly"),
            ("every friday", "FREQ=WEEKLY;BYDAY=FR", "weekly on fri"),
            ("every 2 weeks on mon,thu", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", "every 2 weeks on mon,thu"),
            ("every 2 weeks on thursday, mon", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", "every 2 weeks on mon,thu"),
            ("monthly", "FREQ=MONTHLY", "monthly"),
            ("monthly on 1", "FREQ=MONTHLY;BYMONTHDAY=1", "monthly on 1"),
            ("monthly on 31", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1", "monthly on 31"),
            ("monthly on 29", "FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1", "monthly on 29"),
            ("every month on last day", "FREQ=MONTHLY;BYMONTHDAY=-1", "monthly on last day"),
            ("monthly on 2nd tuesday", "FREQ=MONTHLY;BYDAY=2TU", "monthly on 2nd tue"),
            ("every 3 months on last fri", "FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR", "every 3 months on last fri"),
            ("yearly", "FREQ=YEARLY", "yearly"),
            ("every year on 11 feb", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=11", "yearly on feb 11"),
            ("yearly on feb 29", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1", "yearly on feb 29"),
            ("yearly on dec 31", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31", "yearly on dec 31"),
            ("daily 10 times", "FREQ=DAILY;COUNT=10", "daily 10 times"),
            ("daily until tomorrow", "FREQ=DAILY;UNTIL=20260212", "daily until 2026-02-12"),
            (
                "weekdays until end of month", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20260228",
                "weekdays until 2026-02-28"
            ),
            (
                "every 3 days after completion", "FREQ=DAILY;INTERVAL=3;X-DAYBOOK-AFTER=COMPLETION",
                "every 3 days after completion"
            ),
            (
                "monthly on 1 after completion 5 times", "FREQ=MONTHLY;BYMONTHDAY=1;COUNT=5;X-DAYBOOK-AFTER=COMPLETION",
                "monthly on 1 5 times after completion"
            ),
        ])
    func phrases(phrase: String, rrule: String, printed: String) throws {
        let rule = try RecurrenceRule(phrase: phrase, today: today)
        #expect(rule.rrule == rrule)
        #expect(rule.phrase() == printed)
        #expect(try RecurrenceRule(phrase: printed, today: today) == rule)
        #expect(try RecurrenceRule(rrule: rrule) == rule)
    }

    @Test(
        "What is no rule is an error that says what to write",
        arguments: [
            "", "never", "every", "every 0 days", "every 2", "every day on mon", "weekly on", "weekly on mon thu",
            "every -1 days",
            "weekly on mo", "monthly on", "monthly on 32", "monthly on 0", "monthly on 6th fri", "monthly on last",
            "daily on mon",
            "yearly on feb 30", "yearly on feb", "daily daily", "daily 0 times", "daily times",
            "daily 10 times 10 times",
            "after completion", "weekdays on mon", "every mon,", "monthly on 1,15", " daily", "every fri on fri",
            "every 99999999 days", "daily 9999999 times", "every  day", "monthly on last day day",
        ])
    func malformedPhrases(phrase: String) {
        #expect(throws: RecurrenceError.malformedPhrase) { try RecurrenceRule(phrase: phrase, today: today) }
        #expect(RecurrenceError.malformedPhrase.description.contains("every 2 weeks on mon,thu"))
    }

    @Test("An unusable day after 'until' is an error that says which form a day has")
    func malformedDays() {
        #expect(throws: RecurrenceError.malformedDay(.malformedDay)) {
            try RecurrenceRule(phrase: "daily until someday", today: today)
        }
        #expect(throws: RecurrenceError.malformedDay(.impossibleDay)) {
            try RecurrenceRule(phrase: "daily until feb 30", today: today)
        }
        #expect(RecurrenceError.malformedDay(.impossibleDay).description.contains("calendar"))
    }

    @Test(
        "RRULEs that a rule of days cannot say are refused by the name of the part",
        arguments: [
            ("FREQ=HOURLY", "FREQ"), ("FREQ=DAILY;BYHOUR=9,18", "BYHOUR"), ("FREQ=YEARLY;BYWEEKNO=20", "BYWEEKNO"),
            ("FREQ=YEARLY;BYYEARDAY=1", "BYYEARDAY"),
        ])
    func unsupported(rrule: String, part: String) {
        #expect(throws: RecurrenceError.unsupported(part: part)) { try RecurrenceRule(rrule: rrule) }
    }

    @Test(
        "RRULEs with values that RFC 5545 does not allow are refused by the name of the part",
        arguments: [
            ("FREQ=OFTEN", "FREQ"), ("FREQ=DAILY;INTERVAL=0", "INTERVAL"), ("FREQ=DAILY;INTERVAL=x", "INTERVAL"),
            ("FREQ=DAILY;COUNT=0", "COUNT"), ("FREQ=DAILY;COUNT=3;UNTIL=20260211", "UNTIL"),
            ("FREQ=DAILY;UNTIL=2026", "UNTIL"),
            ("FREQ=DAILY;UNTIL=20260230", "UNTIL"), ("FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY"),
            ("FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY"), ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY"),
            ("FREQ=MONTHLY;BYMONTHDAY=", "BYMONTHDAY"), ("FREQ=DAILY;BYDAY=1MO", "BYDAY"),
            ("FREQ=MONTHLY;BYDAY=6MO", "BYDAY"),
            ("FREQ=MONTHLY;BYDAY=0MO", "BYDAY"), ("FREQ=WEEKLY;BYDAY=XX", "BYDAY"), ("FREQ=WEEKLY;BYDAY=MO,", "BYDAY"),
            ("FREQ=YEARLY;BYMONTH=13", "BYMONTH"), ("FREQ=DAILY;BYSETPOS=1", "BYSETPOS"),
            ("FREQ=WEEKLY;WKST=XX", "WKST"),
            ("FREQ=DAILY;X-DAYBOOK-AFTER=LUNCH", "X-DAYBOOK-AFTER"), ("FREQ=DAILY;INTERVAL=９", "INTERVAL"),
        ])
    func invalidValues(rrule: String, part: String) {
        #expect(throws: RecurrenceError.invalidValue(part: part)) { try RecurrenceRule(rrule: rrule) }
    }

    @Test(
        "What is no RRULE is an error",
        arguments: [
            "", "RRULE:", "daily", "FREQ", "INTERVAL=2", "FREQ=DAILY;", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;FOO=1",
            "FREQ=DAILY=1", String(repeating: "A", count: 5_000),
        ])
    func malformedRules(rrule: String) {
        #expect(throws: RecurrenceError.malformedRule) { try RecurrenceRule(rrule: rrule) }
    }

    @Test("No error contains what was written")
    func privateErrors() {
        for text in [
            "every secret", "daily until secret", "FREQ=DAILY;SECRET=1", "FREQ=SECRET", "FREQ=DAILY;BYDAY=SECRET",
        ] {
            let phrase = #expect(throws: RecurrenceError.self) { try RecurrenceRule(phrase: text, today: today) }
            let rule = #expect(throws: RecurrenceError.self) { try RecurrenceRule(rrule: text) }
            for error in [phrase, rule] { #expect(error?.description.lowercased().contains("secret") == false) }
        }
    }
}
