import CivilTime
import Testing

@testable import ByteStreams
@testable import Exchange

@Suite struct ICalendarDamageTests {
    private static let good = "BEGIN:VTODO\nUID:good\nDTSTAMP:20260210T091500Z\nSUMMARY:good\nEND:VTODO\n"

    private func read(_ text: String, skipInvalid: Bool = false) throws(FileError) -> TaskImport {
        try TaskReader.read(bytes(text), format: .ics, zone: .utc, skipInvalid: skipInvalid)
    }

    /// The error names the first line of the record and the line of the invalid property; the tasks around it are read.
    @Test(
        "An invalid record is reported with its line, and the others are read",
        arguments: [
            ("DUE:20260230", "`DUE` in line 9"), ("DUE:", "`DUE`"), ("DUE:20260210T250000Z", "`DUE`"),
            ("DUE;VALUE=DATE:20260210T100000Z", "`DUE`"), ("DUE:\(String(repeating: "9", count: 9_999))", "`DUE`"),
            ("DTSTAMP:yesterday", "`DTSTAMP`"), ("DUE;TZID=Nowhere/City:20260210T100000", "`TZID`"),
            ("DTSTART:20260210\nDURATION:P", "`DURATION`"), ("DTSTART:20260210\nDURATION:P1DT", "`DURATION`"),
            ("STATUS:DONE", "`STATUS`"), ("no colon", "line 9 has no colon"), (":x", "line 9 does not begin"),
            ("X-A;B=\"c:d", "quotation mark"), ("X-A;B:d", "parameter"), ("SUMMARY:a\u{0}b", "NUL"),
            ("X-A:a\rb", "carriage return"), ("RRULE:FREQ=OFTEN", "`RRULE` in line 9"), ("END:VALARM", "not open"),
            ("BEGIN:VALARM", "line 9 has no end"),
            ("BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:soon\nEND:VALARM", "`TRIGGER`"),
            ("X-DAYBOOK:{\"state\":\"done\"}", "`state`"), ("X-DAYBOOK:{\"text\":\" \"}", "blank"),
        ])
    func oneBadRecordIsNamedAndTheOthersAreRead(_ lines: String, _ word: String) throws {
        let summary = word == "blank" ? "" : "SUMMARY:bad\n"
        let bad = "BEGIN:VTODO\n\(lines)\nDTSTAMP:20260210T091500Z\n\(summary)END:VTODO\n"
        let head = "BEGIN:VCALENDAR\nVERSION:2.0\n"
        let file = head + Self.good + bad + Self.good + "END:VCALENDAR\n"
        let error = #expect(throws: FileError.self) { try read(file) }
        guard case .invalidRecord(8, let reason, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains(word), "\(reason)")
        #expect(!reason.contains("yesterday") && !reason.contains("Nowhere"))
        let rest = try read(file, skipInvalid: true)
        #expect(rest.tasks.map(\.text) == ["good", "good"])
        #expect(rest.invalid == [InvalidRecord(line: 8, reason: reason)])
    }

    @Test(
        "Invalid lines outside of tasks are reported",
        arguments: [
            ("BEGIN:VTODO\nSUMMARY:lost\n", 7), ("END:VEVENT\n", 7), ("BEGIN:VEVENT\nSUMMARY:lost\n", 7),
            ("BEGIN:VEVENT\nRRULE:FREQ=DAILY;COUNT=0\nEND:VEVENT\n", 8), ("BEGIN:VEVENT\nno colon\nEND:VEVENT\n", 8),
            ("BEGIN:VEVENT\nX-A:\u{0}\nEND:VEVENT\n", 8), ("END:VCALENDAR\nEND:VCALENDAR\nBEGIN:VCALENDAR\n", 8),
        ])
    func whatIsWrongAroundTasksIsNamedToo(_ lines: String, _ line: Int) throws {
        let file = "BEGIN:VCALENDAR\n" + Self.good + lines + Self.good + "END:VCALENDAR\n"
        let error = #expect(throws: FileError.self) { try read(file) }
        guard case .invalidRecord(let found, _, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found == line)
        let rest = try read(file, skipInvalid: true)
        #expect(rest.tasks.first?.text == "good")
        // Everything inside a component without an end is lost with it.
        #expect(rest.tasks.count == (lines.contains("VEVENT\nSUMMARY") ? 1 : 2))
    }

    @Test("A truncated file is refused")
    func aFileThatIsCutOffIsRefused() throws {
        let whole = "BEGIN:VCALENDAR\n" + Self.good + Self.good + "END:VCALENDAR\n"
        for count in 0..<whole.utf8.count - 1 {
            let part = String(decoding: whole.utf8.prefix(count), as: UTF8.self)
            #expect(throws: FileError.self, "\(count)") { try read(part) }
        }
        #expect(try read(String(whole.dropLast())).tasks.count == 2)
    }

    @Test("A file that is not a calendar is refused")
    func whatIsNoCalendarIsRefused() {
        for file in ["", "\n\n", "hello\n", " BEGIN:VCALENDAR\n", "BEGIN:VEVENT\nEND:VEVENT\n", "\u{FEFF}"] {
            #expect(throws: FileError.self, "\(file)") { try read(file) }
        }
    }

    @Test("Depth, length and number of components are limited")
    func depthLengthAndNumberAreBounded() throws {
        let deep = String(repeating: "BEGIN:X\n", count: 100_000)
        #expect(throws: FileError.self) { try read("BEGIN:VCALENDAR\n" + deep, skipInvalid: true) }
        let folds = "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:x\n" + String(repeating: " y\n", count: 150_000)
        let lines = "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:x\n" + String(repeating: "X-A:y\n", count: 100_001)
        for file in [folds, lines] {
            let rest = try read(file + "END:VTODO\n" + Self.good + "END:VCALENDAR\n", skipInvalid: true)
            #expect(rest.tasks.map(\.text) == ["good"])
            #expect(rest.invalid.map(\.line) == [2])
        }
    }

    @Test("Thousands of unknown zones are rejected quickly")
    func unknownZonesByTheThousandTakeNoTimeEach() throws {
        let todos = (0..<2_000).map {
            "BEGIN:VTODO\nDTSTAMP:20260210T091500Z\nSUMMARY:x\nDUE;TZID=\($0)/x/y:20260210T100000\nEND:VTODO\n"
        }
        let file = "BEGIN:VCALENDAR\n\(todos.joined())END:VCALENDAR\n"
        #expect(try read(file, skipInvalid: true).invalid.count == 2_000)
    }

    @Test(
        "Valid recurrence rules are accepted",
        arguments: [
            "FREQ=DAILY", "freq=weekly;byday=mo,tu;wkst=su", "FREQ=MONTHLY;BYDAY=-1FR,+2MO,3TU", "RRULE;COUNT=1",
            "FREQ=YEARLY;UNTIL=19980404T070000Z;BYDAY=1SU;BYMONTH=4", "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
            "FREQ=MONTHLY;BYMONTHDAY=-31,31;BYSETPOS=-1", "FREQ=DAILY;INTERVAL=1;BYHOUR=0,23;BYMINUTE=59;BYSECOND=60",
            "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=5L;SKIP=FORWARD",
        ])
    func rulesThatMayStand(_ rule: String) {
        #expect((RecurrenceGrammar.problem(in: rule) == nil) == (rule != "RRULE;COUNT=1"))
    }

    @Test(
        "Invalid recurrence rules are rejected",
        arguments: [
            "", "FREQ", "FREQ=", "COUNT=2", "FREQ=DAILY;", ";FREQ=DAILY", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;X=1",
            "FREQ=DAILY;COUNT=0", "FREQ=DAILY;COUNT=-1", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;COUNT=1;UNTIL=20260101",
            "FREQ=DAILY;UNTIL=20260230", "FREQ=DAILY;BYHOUR=24", "FREQ=DAILY;BYMINUTE=60", "FREQ=DAILY;BYSECOND=61",
            "FREQ=DAILY;BYMONTH=13", "FREQ=DAILY;BYMONTH=0", "FREQ=MONTHLY;BYMONTHDAY=0", "FREQ=MONTHLY;BYMONTHDAY=32",
            "FREQ=YEARLY;BYYEARDAY=367", "FREQ=YEARLY;BYWEEKNO=54", "FREQ=MONTHLY;BYWEEKNO=1", "FREQ=WEEKLY;BYDAY=1MO",
            "FREQ=WEEKLY;BYDAY=XX", "FREQ=MONTHLY;BYDAY=0MO", "FREQ=MONTHLY;BYDAY=54MO", "FREQ=WEEKLY;BYMONTHDAY=1",
            "FREQ=DAILY;BYYEARDAY=1", "FREQ=DAILY;BYSETPOS=1", "FREQ=DAILY;WKST=1", "FREQ=DAILY;BYDAY=MO,",
            "FREQ=DAILY;COUNT=99999999999999999999", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO", "FREQ=DAILY;COUNT=١",
        ])
    func rulesThatMayNotStand(_ rule: String) {
        #expect(RecurrenceGrammar.problem(in: rule) != nil)
    }

    @Test("Random bytes do not crash the reader", arguments: [1, 2, 3] as [UInt64])
    func noBytesMakeItCrash(_ seed: UInt64) throws {
        var random = RandomCalendars(seed: seed)
        var numbers = RandomDocuments(seed: seed)
        for _ in 0..<300 {
            var file = bytes("BEGIN:VCALENDAR\r\n" + random.todo() + random.todo() + "END:VCALENDAR\r\n")
            for _ in 0...numbers.number(below: 4) {
                let place = numbers.number(below: file.count)
                switch numbers.number(below: 3) {
                case 0: file[place] = UInt8(numbers.number(below: 256))
                case 1: file.removeSubrange(place..<min(file.count, place + numbers.number(below: 9)))
                default: file.insert(contentsOf: file.suffix(numbers.number(below: 30)), at: place)
                }
            }
            let now = Instant(secondsSince1970: 0)
            let result = try? TaskReader.read(file, format: .ics, zone: .utc, skipInvalid: true, now: now)
            for task in result?.tasks ?? [] {
                let again = try TaskReader.read(try written([task], as: .ics), format: .ics, zone: .utc, now: now).tasks
                #expect(again.count == 1)
                #expect(again.first?.text == task.text)
            }
        }
    }
}
