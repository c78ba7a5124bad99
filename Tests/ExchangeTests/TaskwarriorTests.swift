import CivilTime
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

@Suite struct TaskwarriorTests {
    private static let uuid = "9f247ada-f07f-5e73-8876-a3b0f24ebf37"

    private func read(_ attributes: String, zone: Zone = .utc) throws -> ImportedTask {
        let file = #"[{"uuid":"\#(Self.uuid)","description":"x","entry":"20260210T091500Z",\#(attributes)}]"#
        let tasks = try TaskReader.read(bytes(file), format: .taskwarrior, zone: zone).tasks
        return try #require(tasks.first)
    }

    private func exported(_ task: ImportedTask, zone: Zone = .utc) throws -> [JSONMember] {
        try #require(try objects(try written([task], as: .taskwarrior, zone: zone)).first)
    }

    @Test("Statuses map to states [X-30]")
    func statusesMapToStates() throws {
        let end = try Instant("2026-02-11T10:00:00Z")
        #expect(try read(#""status":"pending""#).state == .notStarted)
        #expect(try read(#""status":"waiting","wait":"20270101T000000Z""#).state == .notStarted)
        #expect(try read(#""status":"pending","start":"20260211T100000Z""#).state == .active)
        let completed = try read(#""status":"completed","end":"20260211T100000Z""#)
        #expect(completed.state == .completed)
        #expect(completed.completedAt == end)
        #expect(completed.updatedAt == end)
        let deleted = try read(#""status":"deleted","end":"20260211T100000Z""#)
        #expect(deleted.state == .notStarted)
        #expect(deleted.archivedAt == end)
        let pattern = try read(#""status":"recurring","recur":"monthly","modified":"20260211T100000Z""#)
        #expect(pattern.isRecurring)
        #expect(pattern.archivedAt == end)
        #expect(pattern.recurringPattern == "FREQ=MONTHLY")
        #expect(throws: FileError.self) { try read(#""status":"done""#) }
    }

    @Test(
        "All forms of dates are read",
        arguments: [
            #""20150723T234931Z""#, #""2015-07-23T23:49:31Z""#, #""2015-07-24T02:49:31+03:00""#, #""1437695371""#,
            "1437695371",
        ])
    func datesComeInManyForms(_ date: String) throws {
        #expect(try read("\"due\":\(date)").dueAt == (try Instant("2015-07-23T23:49:31Z")))
        #expect(try exported(try read("\"due\":\(date)"))["due"] == (try parsed(bytes(date))))
    }

    @Test(
        "Dates that do not exist are refused",
        arguments: [
            #""20150230T000000Z""#, #""soon""#, #""""#, "true", "1.5", "99999999999999999999", "-99999999999999", "[]",
        ])
    func datesThatDoNotExistAreRefused(_ date: String) {
        #expect(throws: FileError.self) { try read("\"due\":\(date)") }
    }

    @Test("The scheduled instant is a day in the zone")
    func theScheduledInstantIsADayInTheZone() throws {
        let istanbul = try Zone("Europe/Istanbul")
        let task = try read(#""scheduled":"20260210T210000Z""#, zone: istanbul)
        #expect(task.scheduledDate == (try Day("2026-02-11")))
        // The instant is kept: in another zone it is the start of no day.
        #expect(task.extra == #"{"taskwarrior":{"scheduled":"20260210T210000Z"}}"#)
        #expect(try exported(task, zone: istanbul)["daybook"] == nil)
        #expect(try exported(task, zone: istanbul)["scheduled"] == .string("20260210T210000Z"))
        let noon = try read(#""scheduled":"20260211T090000Z""#, zone: istanbul)
        #expect(noon.scheduledDate == task.scheduledDate)
        #expect(try exported(noon, zone: istanbul)["scheduled"] == .string("20260211T090000Z"))
    }

    @Test("Changes in Daybook take precedence over kept attributes")
    func whatDaybookChangedWins() throws {
        var task = try read(
            #""status":"waiting","scheduled":"20260211T090000Z","wait":"20270101T000000Z","due":1437695371,"#
                + #""tags":["a"]"#)
        task.scheduledDate = try Day("2026-03-01")
        task.dueAt = nil
        task.state = .completed
        task.completedAt = try Instant("2026-02-12T00:00:00Z")
        let attributes = try exported(task)
        #expect(attributes["scheduled"] == .string("20260301T000000Z"))
        #expect(attributes["due"] == nil)
        #expect(attributes["status"] == .string("completed"))
        #expect(attributes["end"] == .string("20260212T000000Z"))
        #expect(attributes["tags"] == .array([.string("a")]))
        #expect(attributes["wait"] == .string("20270101T000000Z"))

        task.scheduledDate = nil
        #expect(try exported(task)["scheduled"] == nil)
    }

    @Test("A task that is stopped in Daybook is not started in Taskwarrior")
    func aTaskStoppedInDaybookIsNotStartedInTaskwarrior() throws {
        var task = try read(#""start":"20260211T100000Z""#)
        #expect(try exported(task)["start"] == .string("20260211T100000Z"))
        task.state = .notStarted
        #expect(try exported(task)["start"] == nil)
        task.state = .active
        task.extra = nil
        #expect(try exported(task)["start"] == .string("20260210T091500Z"))
    }

    @Test("Fields without an attribute are written in ours")
    func fieldsWithoutAnAttributeTravelInOneOfOurs() throws {
        var task = try read(#""status":"pending""#)
        #expect(try exported(task)["daybook"] == nil)
        task.notes = "two\nlines"
        task.sortOrder = 7
        #expect(try exported(task)["daybook"] == .string(#"{"note":"two\nlines"}"#))
    }

    @Test("A completion in Taskwarrior takes precedence over our attribute")
    func completingInTaskwarriorWinsOverOurAttribute() throws {
        let task = try read(#""status":"completed","end":"20260211T100000Z","daybook":"{\"state\":\"active\"}""#)
        #expect(task.state == .completed)
    }

    @Test("An attribute of that name that is not ours is kept")
    func anAttributeOfThatNameThatIsNotOursIsKept() throws {
        for value in [#""hello""#, "7", #""{\"unheard\":1}""#] {
            let task = try read("\"daybook\":\(value)")
            #expect(try exported(task)["daybook"] == (try parsed(bytes(value))))
        }
    }

    @Test("A task without a UUID is the same task in every import")
    func aTaskWithoutAUuidIsTheSameTaskNextTime() throws {
        func id(_ urgency: String) throws -> String? {
            let file = #"{"description":"x","entry":"1234567889","id":3,"urgency":\#(urgency)}"#
            return try TaskReader.read(bytes(file), format: .taskwarrior, zone: .utc).tasks.first?.id.lowercased
        }
        #expect(try id("1") == id("2"))
    }

    @Test("Lines with and without commas are read")
    func linesWithAndWithoutCommasAreRead() throws {
        let one = #"{"description":"x","entry":"1234567889"}"#
        for file in ["\(one)\n\(one)\n", "\(one),\n\(one)\n", "[\(one),\(one)]", "[\n\(one)\n,\n\(one)\n]\n"] {
            #expect(try TaskReader.read(bytes(file), format: .taskwarrior, zone: .utc).tasks.count == 2)
        }
    }

    /// For any of these, Taskwarrior refuses the whole file or crashes (see Scripts/interop).
    @Test("Dates outside of Taskwarrior's range are written in our attribute")
    func datesBeyondWhatTaskwarriorTakesTravelInOurAttribute() throws {
        var task = try read(#""status":"pending""#)
        task.createdAt = try Instant("1979-12-31T23:59:59.5Z")
        task.updatedAt = try Instant("1979-12-31T23:59:59.75Z")
        task.scheduledDate = try Day("0001-01-01")
        task.dueAt = try Instant("9999-12-31T00:00:01Z")
        task.dueIsAllDay = false
        task.expiresAt = try Instant("1970-01-01T00:00:00Z")
        let attributes = try exported(task)
        #expect(attributes["entry"] == .string("19800101T000000Z"))
        #expect(attributes["modified"] == .string("19800101T000000Z"))
        for name in ["scheduled", "due", "until"] { #expect(attributes[name] == nil, "\(name)") }
        let file = try written([task], as: .taskwarrior)
        #expect(try TaskReader.read(file, format: .taskwarrior, zone: .utc).tasks.content == [task].content)
    }

    @Test(
        "Only periods that Taskwarrior supports are written",
        arguments: [
            ("weekly", true), ("3mo", true), ("2 weeks", true), ("P3D", true), ("every day", false),
            ("36h", true), ("2q", true),
            ("Weekly", false), ("7", false), ("0d", false), ("", false), ("P", false), ("3", false), ("99999d", false),
        ])
    func onlyPeriodsThatTaskwarriorSupportsAreWritten(pattern: String, isKnown: Bool) throws {
        var task = try read(#""due":"20260211T000000Z","parent":"\#(Self.uuid)""#)
        task.recurringPattern = pattern
        #expect(try exported(task)["recur"] == (isKnown ? .string(pattern) : nil))
        let file = try written([task], as: .taskwarrior)
        var read = task
        if isKnown { read.recurringPattern = TaskwarriorRecurrence.pattern(of: pattern, from: nil) }
        #expect(
            try TaskReader.read(file, format: .taskwarrior, zone: .utc).tasks.map(\.recurringPattern) == [
                read.recurringPattern
            ])
        // Taskwarrior would refuse it without a date, and treat it as a template without a parent.
        task.dueAt = nil
        #expect(try exported(task)["recur"] == nil)
        task.dueAt = try Instant("2026-02-11T00:00:00Z")
        task.parentRecurringID = nil
        #expect(try exported(task)["recur"] == nil)
        task.state = .completed
        task.completedAt = task.updatedAt
        #expect(try exported(task)["recur"] == (isKnown ? .string(pattern) : nil))
    }

    @Test(
        "A rule that Taskwarrior can say is its period, any other rule is ours, and both come back [issue 16, item 10]",
        arguments: [
            ("FREQ=DAILY", "daily"), ("FREQ=WEEKLY", "weekly"), ("FREQ=MONTHLY", "monthly"), ("FREQ=YEARLY", "yearly"),
            ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "weekdays"), ("FREQ=DAILY;INTERVAL=3", "3d"),
            ("FREQ=WEEKLY;INTERVAL=2", "2w"), ("FREQ=MONTHLY;INTERVAL=6", "6mo"), ("FREQ=YEARLY;INTERVAL=10", "10y"),
            ("FREQ=WEEKLY;X-DAYBOOK-AFTER=COMPLETION", nil), ("FREQ=DAILY;COUNT=2", nil), ("FREQ=WEEKLY;BYDAY=MO", nil),
            ("FREQ=MONTHLY;BYMONTHDAY=1", nil), ("FREQ=DAILY;INTERVAL=10000", nil),
        ] as [(String, String?)])
    func rules(pattern: String, period: String?) throws {
        var task = try read(#""due":"20260211T000000Z","parent":"\#(Self.uuid)""#)
        task.recurringPattern = pattern
        #expect(try exported(task)["recur"] == period.map(JSONValue.string))
        let file = try written([task], as: .taskwarrior)
        #expect(try TaskReader.read(file, format: .taskwarrior, zone: .utc).tasks.content == [task].content)
    }

    @Test(
        "Every spelling of a period is read as its rule and written back as it was",
        arguments: [
            ("biweekly", "FREQ=WEEKLY;INTERVAL=2"), ("fortnight", "FREQ=WEEKLY;INTERVAL=2"),
            ("P3D", "FREQ=DAILY;INTERVAL=3"),
            ("quarterly", "FREQ=MONTHLY;INTERVAL=3"), ("2 weeks", "FREQ=WEEKLY;INTERVAL=2"), ("annual", "FREQ=YEARLY"),
            ("1w", "FREQ=WEEKLY"), ("36h", "36h"), ("2q", "FREQ=MONTHLY;INTERVAL=6"),
            ("2yrs", "FREQ=YEARLY;INTERVAL=2"),
        ])
    func spellings(period: String, pattern: String) throws {
        let task = try read(#""due":"20260211T000000Z","parent":"\#(Self.uuid)","recur":"\#(period)""#)
        #expect(task.recurringPattern == pattern)
        #expect(try exported(task)["recur"] == .string(period))
        // A change of the rule in Daybook wins.
        var changed = task
        changed.recurringPattern = "FREQ=MONTHLY"
        #expect(try exported(changed)["recur"] == .string("monthly"))
    }

    @Test("A period of Taskwarrior is exported again")
    func aPeriodOfTaskwarriorsOwnIsGivenBack() throws {
        let task = try read(#""due":"20260211T000000Z","parent":"\#(Self.uuid)","recur":"PT36H""#)
        #expect(task.recurringPattern == "PT36H")
        #expect(try exported(task)["recur"] == .string("PT36H"))
    }

    @Test("Later changes in Taskwarrior take precedence over our attribute")
    func whatTaskwarriorHasSetSinceWinsOverOurAttribute() throws {
        let own = #""daybook":"{\"dueAt\":\"1970-01-01T00:00:00Z\",\"recurringPattern\":\"every day\"}""#
        let task = try read(#""due":"20260211T000000Z","recur":"weekly",\#(own)"#)
        #expect(task.dueAt == (try Instant("2026-02-11T00:00:00Z")))
        #expect(task.recurringPattern == "FREQ=WEEKLY")
        #expect(try read(own).recurringPattern == "every day")
    }
}
