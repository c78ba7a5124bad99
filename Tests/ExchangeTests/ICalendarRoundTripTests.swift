import CivilTime
import Testing

@testable import Exchange
@testable import Tasks

@Suite struct ICalendarRoundTripTests {
    @Test(
        "Every field survives a round trip", arguments: [1, 2, 3] as [UInt64],
        ["UTC", "Europe/Istanbul", "America/New_York"])
    func everyFieldSurvives(_ seed: UInt64, _ zone: String) throws {
        let zone = try Zone(zone)
        var random = RandomDocuments(seed: seed)
        let tasks = random.linkedTasks(60).map(withoutPosition)
        let export = try written(tasks, as: .ics, zone: zone)
        let read = try TaskReader.read(export, format: .ics, zone: zone)
        #expect(read.tasks.content == tasks.content)
        #expect(try written(read.tasks, as: .ics, zone: zone) == export)
    }

    @Test(
        "A reminder as a time of day has an alarm at its instant, comes back, and gives way to an alarm that was moved or removed"
    )
    func timeOfDay() throws {
        var random = RandomDocuments(seed: 3)
        var task = withoutPosition(random.task())
        task.extra = nil
        task.reminderAt = try Instant("2026-02-11T06:00:00Z")
        (task.reminderDay, task.reminderSecondsIntoDay) = (try Day("2026-02-11"), 32_400)
        let zone = try Zone("Europe/Istanbul")
        let export = text(try written([task], as: .ics, zone: zone))
        let trigger = "TRIGGER;VALUE=DATE-TIME:20260211T060000Z"
        #expect(export.contains(trigger))
        #expect(try TaskReader.read(bytes(export), format: .ics, zone: zone).tasks.content == [task].content)

        let moved = export.replacing(trigger, with: "TRIGGER;VALUE=DATE-TIME:20260211T070000Z")
        var read = try #require(try TaskReader.read(bytes(moved), format: .ics, zone: zone).tasks.first)
        #expect(read.reminderAt == (try Instant("2026-02-11T07:00:00Z")))
        #expect(read.reminderDay == nil && read.reminderSecondsIntoDay == nil)

        let start = try #require(export.range(of: "BEGIN:VALARM\r\n")).lowerBound
        let end = try #require(export.range(of: "END:VALARM\r\n")).upperBound
        let removed = export.replacingCharacters(in: start..<end, with: "")
        read = try #require(try TaskReader.read(bytes(removed), format: .ics, zone: zone).tasks.first)
        #expect(read.reminderAt == nil && read.reminderDay == nil && read.reminderSecondsIntoDay == nil)
    }

    @Test("Lines have at most 75 bytes and end with CRLF")
    func linesAreShortAndEndAsTheyMust() throws {
        var random = RandomDocuments(seed: 4)
        let export = try written(random.tasks(100), as: .ics)
        let lines = text(export).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.last == "")
        #expect(lines.allSatisfy { $0.utf8.count <= 75 })
        #expect(!lines.contains { line in line.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F } })
        #expect(lines.contains { $0.utf8.count == 75 })
    }

    @Test("An unchanged file is exported byte for byte", arguments: [5, 6, 7, 8] as [UInt64])
    func whatAFileSaysComesBackByteForByte(_ seed: UInt64) throws {
        var random = RandomCalendars(seed: seed)
        for _ in 0..<60 {
            let todo = random.todo()
            let file = "BEGIN:VCALENDAR\r\n" + todo + "END:VCALENDAR\r\n"
            let now = try Instant("2026-02-10T09:15:00Z")
            let task = try #require(
                try TaskReader.read(bytes(file), format: .ics, zone: .utc, now: now).tasks.first, "\(file)")
            #expect(exported(task) == todo)
            // Also after a round trip through one of our own files.
            let again = try TaskReader.read(try written([task], as: .ndjson), format: .ndjson, zone: .utc).tasks
            #expect(exported(try #require(again.first)) == todo)
        }
    }

    @Test("Changes take precedence and other properties are kept", arguments: [9, 10, 11, 12] as [UInt64])
    func whatWasChangedWinsAndTheRestIsCarriedAlong(_ seed: UInt64) throws {
        var random = RandomCalendars(seed: seed)
        var documents = RandomDocuments(seed: seed)
        let zone = try Zone("Europe/Istanbul")
        for _ in 0..<40 {
            let file = "BEGIN:VCALENDAR\r\n" + random.todo() + "END:VCALENDAR\r\n"
            let now = try Instant("2026-02-10T09:15:00Z")
            let task = try #require(
                try TaskReader.read(bytes(file), format: .ics, zone: zone, now: now).tasks.first)
            var changed = withoutPosition(documents.task())
            changed.id = task.id
            changed.extra = task.extra
            let export = try written([changed], as: .ics, zone: zone)
            var read = try #require(try TaskReader.read(export, format: .ics, zone: zone).tasks.first)
            read.extra = nil
            changed.extra = nil
            #expect(read.ownFields(beyond: changed) == nil, "\(file)\(text(export))")
            #expect(read.id == changed.id)
            for line in file.split(separator: "\r\n")
            where line.hasPrefix("X-OTHER")
                || line.hasPrefix("PRIORITY") && changed.priority == task.priority
            {
                #expect(text(export).contains(line))
            }
        }
    }

    private func withoutPosition(_ task: ImportedTask) -> ImportedTask {
        var task = task
        task.sortOrder = 0
        return task
    }

    private func exported(_ task: ImportedTask) -> String {
        let lines = (try? written([task], as: .ics)).map(text) ?? ""
        let start = lines.firstRange(of: "BEGIN:VTODO")?.lowerBound ?? lines.startIndex
        return String(lines[start...].replacing("END:VCALENDAR\r\n", with: ""))
    }
}

/// VTODOs of all kinds, folded like ours or at other positions.
struct RandomCalendars {
    private var random: RandomDocuments

    init(seed: UInt64) {
        random = RandomDocuments(seed: seed)
    }

    mutating func todo() -> String {
        var lines = [
            random.pick([
                "SUMMARY:Buy milk\\, eggs", "summary;LANGUAGE=de:Straße und Überweg mit einem sehr langen Namen",
                "DESCRIPTION:Only notes\\nin two lines",
            ])
        ]
        let others = [
            "UID:20070313T123432Z-456553@example.com", "UID:9F247ADA-F07F-5E73-8876-A3B0F24EBF37",
            "DTSTAMP:20070313T123432Z", "CREATED:20070101T000000Z", "LAST-MODIFIED:20080101T000000Z",
            "DUE;VALUE=DATE:20070501", "DUE;TZID=Europe/Berlin:20070501T120000", "DUE:20070501T120000",
            "DTSTART:20070401T080000Z", "DTSTART;VALUE=DATE:20070401", "DURATION:P1DT2H", "DESCRIPTION:a\\;b\\\\c\\Nd",
            "CATEGORIES:FAMILY,FINANCE", "CATEGORIES:", "RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20301231T000000Z",
            "STATUS:IN-PROCESS", "STATUS:COMPLETED", "STATUS:CANCELLED", "COMPLETED:20070707T100000Z",
            "PERCENT-COMPLETE:50", "PRIORITY:1", "X-OTHER;X-P=\"a;b:c\":anything, at all; really",
            "X-DAYBOOK:not ours", "SUMMARY:again", "X-OTHER-FOLDED:abc\r\n def\r\n\tghi", "SEQUENCE:2",
            "RECURRENCE-ID:20070401T080000Z", "CLASS:CONFIDENTIAL",
        ]
        for _ in 0..<random.number(below: 10) { lines.append(random.pick(others)) }
        for _ in 0..<random.number(below: 3) {
            let trigger = random.pick([
                "TRIGGER;VALUE=DATE-TIME:19980403T120000Z", "TRIGGER:-PT15M", "TRIGGER;RELATED=END:-P1D",
                "X-NO-TRIGGER:1",
            ])
            let action = random.pick(["ACTION:DISPLAY", "ACTION:AUDIO", "ACTION:EMAIL"])
            lines += ["BEGIN:VALARM", trigger, action, "DESCRIPTION:x", "END:VALARM"]
        }
        return "BEGIN:VTODO\r\n" + lines.map { $0 + "\r\n" }.joined() + "END:VTODO\r\n"
    }
}
