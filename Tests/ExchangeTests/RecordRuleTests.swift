import CivilTime
import Testing

@testable import ByteStreams
@testable import Exchange

/// Rules for the values of a record, so that every imported task can be exported and imported again.
@Suite struct RecordRuleTests {
    private static let stem = #""createdAt":"2026-02-10T09:15:00Z","text":"x""#

    @Test(
        "Values that some format cannot express are refused",
        arguments: [
            ("dueAt", #""+010000-01-01T00:00:00Z""#), ("reminderDate", #""0000-12-31T23:59:59Z""#),
            ("expiresAt", #""0001-01-01T00:00:00+01:00""#), ("completedOffsetSeconds", "2147483648"),
            ("archivedAt", #""9999-12-31T23:59:59-01:00""#), ("updatedAt", #""+010000-01-01T00:00:00Z""#),
        ])
    func whatNotEveryFormatCanSayIsRefused(_ field: String, _ value: String) {
        do {
            _ = try TaskReader.read(bytes("[{\(Self.stem),\"\(field)\":\(value)}]"), format: .json, zone: .utc)
            Issue.record("\(field) was taken")
        } catch {
            #expect(error.description.contains("`\(field)`"))
        }
    }

    @Test("The first and the last instant are accepted")
    func theFirstAndTheLastMomentAreTaken() throws {
        let file = "[{\(Self.stem),\"dueAt\":\"0001-01-01T00:00:00Z\",\"expiresAt\":\"9999-12-31T23:59:59.999999Z\"}]"
        let tasks = try TaskReader.read(bytes(file), format: .json, zone: .utc).tasks
        #expect(tasks.count == 1)
        let again = try TaskReader.read(try written(tasks, as: .json), format: .json, zone: .utc).tasks
        #expect(again.content == tasks.content)
    }

    @Test(
        "The first day of the calendar is accepted in every format", arguments: [TaskFormat.todotxt, .markdown, .ics])
    func theFirstDayOfAllIsTakenEverywhere(_ format: TaskFormat) throws {
        var first = try task()
        first.dueDay = try Day("0001-01-01")
        let zone = try Zone("Europe/Berlin")
        let file = try written([first], as: format, zone: zone)
        let again = try TaskReader.read(file, format: format, zone: zone).tasks
        #expect(again.first?.dueDay == first.dueDay)
    }

    @Test("Kept lines that begin another task are not written")
    func keptLinesThatBeginAnotherTaskAreNotWritten() throws {
        for name in ["VTODO", "vcalendar"] {
            var task = try task()
            task.extra = """
                {"ics":["UID:\(task.id.lowercased)","SUMMARY:y","BEGIN:X-A","BEGIN:\(name)","END:\(name)","END:X-A"]}
                """
            let again = try TaskReader.read(try written([task], as: .ics), format: .ics, zone: .utc).tasks
            #expect(again.count == 1)
            #expect(again.first?.text == task.text)
        }
    }

    @Test("Long blank lines count towards the length of a task")
    func longBlankLinesCountTowardsTheLengthOfATask() throws {
        var item = try #require(MarkdownItem(TextLine(number: 1, text: "- [ ] x")))
        let blank = TextLine(number: 2, text: String(repeating: " ", count: 1 << 23))
        var count = 0
        while count < 100, item.take(blank) { count += 1 }
        #expect(count == 4)
    }

    @Test("In Markdown the notes are part of the derived id")
    func notesMakeAnotherIdInMarkdown() throws {
        let file = "- [ ] x\n    one\n- [ ] x\n    two\n- [ ] x\n"
        let now = try Instant("2026-02-11T00:00:00Z")
        func ids(_ file: String) throws -> [String] {
            try TaskReader.read(bytes(file), format: .markdown, zone: .utc, now: now).tasks.map(\.id.lowercased)
        }
        let all = try ids(file)
        #expect(Set(all).count == 3)
        // Each has its own id, whatever its position.
        #expect(try ids("- [ ] x\n    two\n") == [all[1]])
        #expect(try ids("- [ ] x\n") == [all[2]])
    }
}
