import CivilTime
import Testing

@testable import Tasks

@Suite struct WeekdayPatternTests {
    @Test(
        "A pattern of weekday numbers is a rule of these days of every week [F-1, C-DM2]",
        arguments: [
            ("{\"days\":[1,3,5]}", "FREQ=WEEKLY;BYDAY=MO,WE,FR", "{\"days\":[1,3,5]}"),
            (" { \"days\" : [ 5, 1, 1 ], \"type\": \"weekly\" } ", "FREQ=WEEKLY;BYDAY=MO,FR", "{\"days\":[1,5]}"),
            ("{\"days\":[0]}", "FREQ=WEEKLY;BYDAY=SU", "{\"days\":[7]}"),
            ("{\"days\":[7]}", "FREQ=WEEKLY;BYDAY=SU", "{\"days\":[7]}"),
        ])
    func patterns(text: String, rrule: String, written: String) throws {
        let rule = try RecurrenceRule(weekdayPattern: text)
        #expect(rule == (try RecurrenceRule(rrule: rrule)))
        #expect(rule.weekdayPattern == written)
    }

    @Test(
        "Any other text is refused, without repeating it [F-1]",
        arguments: [
            "", "[1,3]", "{}", "{\"days\":[]}", "{\"days\":[8]}", "{\"days\":[-1]}", "{\"days\":[1.5]}",
            "{\"days\":\"1\"}", "{\"days\":[1,3}", "FREQ=DAILY",
        ])
    func malformed(text: String) {
        #expect(throws: RecurrenceError.malformedPattern) { try RecurrenceRule(weekdayPattern: text) }
    }

    @Test("A rule that is not one of weekdays alone has no pattern [F-1]")
    func others() throws {
        #expect(try RecurrenceRule(.daily).weekdayPattern == nil)
        #expect(try RecurrenceRule(.weekly).weekdayPattern == nil)
        #expect(try RecurrenceRule(rrule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO").weekdayPattern == nil)
        #expect(try RecurrenceRule(rrule: "FREQ=WEEKLY;BYDAY=MO;COUNT=2").weekdayPattern == nil)
    }
}
