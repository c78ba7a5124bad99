import CivilTime
import FoundationEssentials
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

@Suite struct ICalendarReaderTests {
    private let istanbul = try? Zone("Europe/Istanbul")

    private func file(_ lines: String) -> String {
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n\(lines)\r\nEND:VCALENDAR\r\n"
    }

    private func todo(_ lines: String) -> String {
        file("BEGIN:VTODO\r\nUID:a\r\nDTSTAMP:20260210T091500Z\r\n\(lines)\r\nEND:VTODO")
    }

    private func read(_ text: String, skipInvalid: Bool = false) throws -> TaskImport {
        try TaskReader.read(bytes(text), format: .ics, zone: try #require(istanbul), skipInvalid: skipInvalid)
    }

    private func task(_ lines: String) throws -> ImportedTask {
        try #require(try read(todo(lines)).tasks.first)
    }

    @Test("Properties become fields")
    func propertiesBecomeFields() throws {
        let task = try task(
            """
            SUMMARY:Buy milk\\, eggs\\; and\\nbread\\\\n\r
            description:Two\\Nlines\r
            CREATED:20260101T000000Z\r
            LAST-MODIFIED:20260211T100000Z\r
            DTSTART;VALUE=DATE:20260301\r
            DUE;VALUE=DATE:20260302\r
            CATEGORIES:Home\\, sweet,Work\r
            RRULE:FREQ=WEEKLY;BYDAY=MO,-TU
            """.replacing(",-TU", with: ",TU"))
        #expect(task.text == "Buy milk, eggs; and\nbread\\n")
        #expect(task.notes == "Two\nlines")
        #expect(task.createdAt == (try Instant("2026-01-01T00:00:00Z")))
        #expect(task.updatedAt == (try Instant("2026-02-11T10:00:00Z")))
        #expect(task.scheduledDate == (try Day("2026-03-01")))
        #expect(task.dueDay == (try Day("2026-03-02")))
        #expect(task.dueAt == nil)
        #expect(task.category == "Home, sweet")
        #expect(task.recurringPattern == "FREQ=WEEKLY;BYDAY=MO,TU")
        #expect(!task.isUndated)
    }

    @Test("Statuses map to states")
    func statusesMapToStates() throws {
        #expect(try task("SUMMARY:x\r\nSTATUS:NEEDS-ACTION").state == .notStarted)
        #expect(try task("SUMMARY:x\r\nstatus:in-process").state == .active)
        let done = try task("SUMMARY:x\r\nSTATUS:COMPLETED\r\nCOMPLETED:20260211T100000Z")
        #expect(done.state == .completed)
        #expect(done.completedAt == (try Instant("2026-02-11T10:00:00Z")))
        #expect(try task("SUMMARY:x\r\nCOMPLETED:20260211T100000Z").state == .completed)
        let cancelled = try task("SUMMARY:x\r\nSTATUS:CANCELLED")
        #expect(cancelled.state == .notStarted)
        #expect(cancelled.archivedAt == (try Instant("2026-02-10T09:15:00Z")))
        #expect(throws: FileError.self) { try task("SUMMARY:x\r\nSTATUS:DONE") }
    }

    @Test(
        "All forms of dates are read",
        arguments: [
            ("DUE:20260301T120000Z", "2026-03-01T12:00:00Z"), ("DUE:20260301T120000", "2026-03-01T09:00:00Z"),
            ("DUE;TZID=Europe/Berlin:20260301T120000", "2026-03-01T11:00:00Z"),
            ("due;X-A=\"b;c:d\";tzid=\"America/New_York\":20260301T120000", "2026-03-01T17:00:00Z"),
            ("DUE;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20260301T120000", "2026-03-01T11:00:00Z"),
            ("DUE;TZID=/a/b/America/Argentina/Buenos_Aires:20260301T120000", "2026-03-01T15:00:00Z"),
            ("DTSTART:20260301T120000Z\r\nDURATION:P1DT1H", "2026-03-02T13:00:00Z"),
            ("DUE:20261231T235960Z", "2026-12-31T23:59:59Z"),
        ])
    func datesComeInManyForms(_ lines: String, _ instant: String) throws {
        #expect(try task("SUMMARY:x\r\n" + lines).dueAt == (try Instant(instant)))
    }

    @Test(
        "A due day is a day in every zone",
        arguments: ["DUE;VALUE=DATE:20260308", "DTSTART;VALUE=DATE:20260301\r\nDURATION:P1W"])
    func dueDays(_ lines: String) throws {
        let read = try task("SUMMARY:x\r\n" + lines)
        #expect(read.dueDay == (try Day("2026-03-08")))
        let there = text(try written([read], as: .ics, zone: try Zone("Pacific/Apia")))
        #expect(there.contains("20260308") || there.contains("P1W"))
    }

    @Test("A dependency is RELATED-TO with the type of RFC 9253; other relations are kept as they are")
    func relations() throws {
        let parent = "RELATED-TO;RELTYPE=PARENT:00000000-0000-4000-8000-00000000000b"
        let read = try task(
            "SUMMARY:x\r\nRELATED-TO;RELTYPE=DEPENDS-ON:00000000-0000-4000-8000-00000000000a\r\n\(parent)")
        #expect(read.blockedBy.map(\.lowercased) == ["00000000-0000-4000-8000-00000000000a"])
        var changed = read
        changed.blockedBy = [try #require(UUID(uuidString: "00000000-0000-4000-8000-00000000000C"))]
        let lines = text(try written([changed], as: .ics))
        #expect(lines.contains("RELATED-TO;RELTYPE=DEPENDS-ON:00000000-0000-4000-8000-00000000000c"))
        #expect(!lines.contains("RELTYPE=DEPENDS-ON:00000000-0000-4000-8000-00000000000a"))
        #expect(lines.contains(parent))
    }

    @Test("A VTIMEZONE stands for the zone that it names")
    func aZoneOfTheFileCountsAsTheOneThatItNames() throws {
        let zone = "BEGIN:VTIMEZONE\r\nTZID:Mine\r\nX-LIC-LOCATION:Europe/Berlin\r\nEND:VTIMEZONE\r\n"
        let task = "BEGIN:VTODO\r\nDTSTAMP:20260210T091500Z\r\nSUMMARY:x\r\nDUE;TZID=Mine:20260301T120000\r\nEND:VTODO"
        #expect(try read(file(zone + task)).tasks.first?.dueAt == (try Instant("2026-03-01T11:00:00Z")))
        #expect(throws: FileError.self) { try read(file(task)) }
    }

    @Test(
        "Alarms become reminders",
        arguments: [
            ("TRIGGER;VALUE=DATE-TIME:20260301T120000Z", "2026-03-01T12:00:00Z"),
            ("TRIGGER:-PT15M", "2026-03-01T05:45:00Z"), ("TRIGGER;RELATED=END:-P1D", "2026-03-01T18:00:00Z"),
        ])
    func alarmsRemind(_ trigger: String, _ instant: String) throws {
        let dates = "SUMMARY:x\r\nDTSTART:20260301T090000\r\nDUE:20260302T210000\r\n"
        let alarm = "BEGIN:VALARM\r\nACTION:DISPLAY\r\n\(trigger)\r\nEND:VALARM"
        #expect(try task(dates + alarm).reminderAt == (try Instant(instant)))
        #expect(try task(dates + alarm.replacing("DISPLAY", with: "EMAIL")).reminderAt == nil)
    }

    @Test("An alarm of a task without a start counts from when it is due [N-5]", arguments: ["", ";RELATED=START"])
    func alarmBeforeDue(parameter: String) throws {
        let alarm = "BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER\(parameter):-PT30M\r\nEND:VALARM"
        let due = try task("SUMMARY:x\r\nDUE:20260302T210000Z\r\n" + alarm)
        #expect(try due.reminderAt == Instant("2026-03-02T20:30:00Z"))
        #expect(try task("SUMMARY:x\r\n" + alarm).reminderAt == nil)
    }

    @Test("Lines may be folded anywhere, even within a character")
    func aFoldMayStandAnywhereEvenWithinACharacter() throws {
        var folded: [UInt8] = []
        for byte in bytes("SUMMARY:Grüße 🎉") { folded += [byte, 0x0D, 0x0A, 0x20] }
        let file =
            bytes("BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nDTSTAMP:20260210T091500Z\r\n") + folded
            + bytes("\r\nEND:VTODO\r\nEND:VCALENDAR\r\n")
        let tasks = try TaskReader.read(file, format: .ics, zone: .utc).tasks
        #expect(tasks.map(\.text) == ["Grüße 🎉"])
        #expect(text(try written(tasks, as: .ics)).contains("SUMMARY:Grüße 🎉\r\n"))
    }

    @Test("The first line of the description replaces a missing summary")
    func theDescriptionStandsInForAMissingSummary() throws {
        let task = try task("DESCRIPTION:\\n First\\nSecond")
        #expect(task.text == " First")
        #expect(task.notes == "\n First\nSecond")
        #expect(throws: FileError.self) { try self.task("SUMMARY: ") }
    }

    @Test("The same UID means the same task")
    func theSameUidIsTheSameTask() throws {
        let uuid = "9f247ada-f07f-5e73-8876-a3b0f24ebf37"
        func id(_ uid: String) throws -> String? {
            let lines = "BEGIN:VTODO\r\nDTSTAMP:20260210T091500Z\r\n\(uid)\r\nSUMMARY:x\r\nEND:VTODO"
            return try read(file(lines)).tasks.first?.id.lowercased
        }
        #expect(try id("UID:\(uuid.uppercased())") == uuid)
        #expect(try id("UID:urn:uuid:\(uuid)") == uuid)
        #expect(try id("UID:a@b") == id("UID:a@b\r\nPRIORITY:1"))
        #expect(try id("UID:a@b") != id("UID:a@c"))
        #expect(try id("UID:a@b") != id("UID:a@b\r\nRECURRENCE-ID:20260210T091500Z"))
        #expect(try id("X-A:1") == id("X-A:1"))
        #expect(try id("X-A:1") != id("X-A:2"))
    }

    @Test("A change by another program takes precedence over our property")
    func anotherProgramsChangeWinsOverOurProperty() throws {
        var original = try task("SUMMARY:x")
        original.extra = nil
        original.text = "with\u{1}control"
        original.dueAt = try Instant("2026-03-01T12:00:00.5Z")
        original.dueIsAllDay = false
        original.region = .morning
        let export = text(try written([original], as: .ics))
        #expect(try read(export).tasks.content == [original].content)
        let changed = export.replacing("SUMMARY:withcontrol", with: "SUMMARY:new")
            .replacing("DUE:20260301T120000Z", with: "DUE:20260302T120000Z")
        let task = try #require(try read(changed).tasks.first)
        #expect(task.text == "new")
        #expect(task.dueAt == (try Instant("2026-03-02T12:00:00Z")))
        #expect(task.region == .morning)
    }

    @Test(
        "A VTODO without SUMMARY is named by its DESCRIPTION or Untitled, and exported without one [RFC 5545 3.6.2]",
        arguments: [
            ("DESCRIPTION:\\n first line\\nsecond", " first line"), ("STATUS:IN-PROCESS", "Untitled"),
            ("DESCRIPTION: ", "Untitled"), ("DUE;VALUE=DATE:20260302", "Untitled"),
        ])
    func withoutSummary(lines: String, name: String) throws {
        let zone = try #require(istanbul)
        let task = try task(lines)
        #expect(task.text == name)
        let export = text(try written([task], as: .ics, zone: zone))
        #expect(!export.contains("SUMMARY"))
        #expect(export.contains(lines + "\r\n"))
        #expect(try read(export).tasks.content == [task].content)
        // Other edits do not add one; a new text does.
        var edited = task
        edited.category = "Home"
        edited.reminderAt = try Instant("2026-03-01T12:00:00Z")
        let again = text(try written([edited], as: .ics, zone: zone))
        #expect(!again.contains("SUMMARY"))
        #expect(try read(again).tasks.first?.category == "Home")
        #expect(try read(again).tasks.first?.text == name)
        edited.text = "named"
        #expect(text(try written([edited], as: .ics, zone: zone)).contains("SUMMARY:named\r\n"))
        // The other tasks of the file come in as well.
        let both = file(
            todo(lines).split(separator: "\r\n").dropFirst(2).dropLast().joined(separator: "\r\n")
                + "\r\nBEGIN:VTODO\r\nUID:b\r\nDTSTAMP:20260210T091500Z\r\nSUMMARY:b\r\nEND:VTODO")
        #expect(try read(both).tasks.map(\.text) == [name, "b"])
    }

    @Test("Changing a reminder keeps the other alarms")
    func aReminderThatIsChangedLeavesTheOtherAlarms() throws {
        let alarms = ["20260301T120000Z", "20260302T120000Z"].map {
            "BEGIN:VALARM\r\nACTION:DISPLAY\r\nX-NAME:\($0)\r\nTRIGGER;VALUE=DATE-TIME:\($0)\r\nEND:VALARM"
        }
        var task = try task("SUMMARY:x\r\nX-OTHER:y\r\n" + alarms.joined(separator: "\r\n"))
        task.reminderAt = try Instant("2026-04-01T00:00:00Z")
        let changed = text(try written([task], as: .ics))
        #expect(changed.contains("TRIGGER;VALUE=DATE-TIME:20260401T000000Z"))
        #expect(!changed.contains("X-NAME:20260301T120000Z"))
        #expect(changed.contains(alarms[1]))
        task.reminderAt = nil
        let none = text(try written([task], as: .ics))
        #expect(!none.contains("VALARM"))
        #expect(none.contains("X-OTHER:y"))
    }

    @Test("Days are the same in every zone")
    func daysStayDaysInEveryZone() throws {
        var task = try task("SUMMARY:x")
        task.extra = nil
        task.scheduledDate = try Day("2026-03-01")
        for due in [nil, "2026-03-02T21:00:00Z", "2026-01-01T21:00:00Z"] {
            for isAllDay in [true, false] {
                task.dueAt = try due.map { text throws in try Instant(text) }
                task.dueIsAllDay = isAllDay
                let export = try written([task], as: .ics, zone: try #require(istanbul))
                let there = try TaskReader.read(export, format: .ics, zone: try Zone("Pacific/Apia")).tasks.first
                #expect(there?.scheduledDate == task.scheduledDate)
                // Both are days or both are times, and the start is not the later one.
                let fits = due == nil || isAllDay && due?.hasPrefix("2026-03") == true
                #expect(text(export).contains("DTSTART;VALUE=DATE:20260301") == fits)
            }
        }
    }

    @Test(
        "Reading an undated task again finds no changes",
        arguments: ["X-A:1", "STATUS:COMPLETED", "STATUS:CANCELLED", "UID:a\r\nDUE:20260301T120000"])
    func anUndatedTaskThatIsReadAgainHasNothingNew(_ line: String) throws {
        let file = bytes(file("BEGIN:VTODO\r\nSUMMARY:x\r\n\(line)\r\nEND:VTODO"))
        let zone = try #require(istanbul)
        func task(now: Instant, _ file: [UInt8]) throws -> ImportedTask {
            try #require(try TaskReader.read(file, format: .ics, zone: zone, now: now).tasks.first)
        }
        let stored = try task(now: Instant(secondsSince1970: 1), file)
        let later = Instant(secondsSince1970: 2)
        let again = try task(now: later, file)
        #expect(again.isUndated)
        #expect(again.id == stored.id)
        #expect(stored.revised(by: again, in: .ics, zone: zone, now: later) == nil)
        var changed = again
        changed.text = "y"
        #expect(stored.revised(by: changed, in: .ics, zone: zone, now: later)?.text == "y")
    }
}
