import Daybook
import Foundation
import Testing

@testable import Exchange
@testable import Tasks

/// Recurring tasks that come from files, are completed here, and go back (C-S7).
@Suite struct SeriesOfFilesTests {
    private static let berlin = "2026-02-10T09:15:00Z"

    /// The tasks that are open after all of a file were completed.
    private func completed(_ file: String, _ format: TaskFormat) async throws -> (store: TestDaybook, open: [TaskItem])
    {
        let store = try TestDaybook(at: Self.berlin)
        _ = try await store.import(Array(file.utf8), as: format)
        for task in try open(store) { try await store.tasks.complete(task.id) }
        return (store, try open(store))
    }

    private func open(_ store: TestDaybook) throws -> [TaskItem] {
        try store.tasks.read { reading in
            var tasks: [TaskItem] = []
            try reading.forEach { task, _ in if !task.isCompleted, task.archivedAt == nil { tasks.append(task) } }
            return tasks.sorted { $0.text < $1.text }
        }
    }

    private func todo(_ lines: String...) -> String {
        (["BEGIN:VTODO", "DTSTAMP:20260101T100000Z"] + lines + ["END:VTODO"]).joined(separator: "\r\n")
    }

    private func calendar(_ todos: String...) -> String {
        (["BEGIN:VCALENDAR", "VERSION:2.0"] + todos + ["END:VCALENDAR", ""]).joined(separator: "\r\n")
    }

    @Test(
        "A rule in words keeps to the end of the month",
        arguments: [
            (TaskFormat.todotxt, "2026-01-01 Rent rec:+1m t:2026-01-31", "2026-02-28"),
            (.todotxt, "2026-01-01 Rent rec:+3m t:2025-11-30", "2026-02-28"),
            (.todotxt, "2024-01-01 Leap rec:+1y t:2024-02-29", "2026-02-28"),
            (.markdown, "- [ ] Rent 🔁 every month ⏳ 2026-01-31", "2026-02-28"),
            (.markdown, "- [ ] Rent 🔁 every month on the last ⏳ 2026-01-31", "2026-02-28"),
            (.markdown, "- [ ] Tax 🔁 every January on the 15th ⏳ 2026-01-15", "2027-01-15"),
            (.markdown, "- [ ] Club 🔁 every 2 months on the 2nd Tuesday ⏳ 2026-01-13", "2026-03-10"),
            (.markdown, "- [ ] Gym 🔁 every week on Monday, Thursday ⏳ 2026-02-09", "2026-02-12"),
            (.markdown, "- [ ] Gym 🔁 every 2 weeks until January 1, 2027 ⏳ 2026-02-09", "2026-02-23"),
            (.markdown, "- [ ] Gym 🔁 every week for 3 times ⏳ 2026-02-09", "2026-02-16"),
        ])
    func wordsOfFiles(format: TaskFormat, line: String, next: String) async throws {
        let (store, open) = try await completed(line + "\n", format)
        #expect(open.map(\.scheduledDate) == [try Day(next)])
        // The rule goes back as it was written where it still means the same.
        let file = String(decoding: try store.export(as: format), as: UTF8.self)
        let rule = format == .todotxt ? "rec:" : "🔁 "
        let words = try #require(
            line.split(separator: rule).last?.split(separator: format == .todotxt ? " " : " ⏳").first)
        #expect(file.contains(rule + words))
    }

    @Test("The next occurrence keeps what has no field, with its dates moved [S-67]")
    func keepsAttributes() async throws {
        let (text, _) = try await completed(
            "(A) 2026-02-01 Water +home @balcony t:2026-02-09 rec:+1w foo:bar\n", .todotxt)
        let lines = String(decoding: try text.export(as: .todotxt), as: UTF8.self)
        #expect(lines.contains("(A) 2026-02-10 Water +home @balcony foo:bar t:2026-02-16 rec:+1w"))
        let (list, _) = try await completed("- [ ] Pay ⏫ 🔁 every week 🛫 2026-02-06 📅 2026-02-09 ^one\n", .markdown)
        let boxes = String(decoding: try list.export(as: .markdown), as: UTF8.self)
        #expect(boxes.contains("- [ ] Pay ⏫ 🛫 2026-02-13"))
        #expect(boxes.ranges(of: "^one").count == 1)
        let (other, _) = try await completed(
            #"{"description":"Mow","due":"20260209T230000Z","entry":"20260101T100000Z","imask":1,"parent":"#
                + #""3a1c0d52-0d3f-4d8b-9c7a-1f4f1f7f1e00","priority":"H","recur":"weekly","status":"pending","#
                + #""uuid":"3a1c0d52-0d3f-4d8b-9c7a-1f4f1f7f1e01","wait":"20260208T230000Z"}"#, .taskwarrior)
        let attributes = try #require(
            String(decoding: try other.export(as: .taskwarrior), as: UTF8.self).split(separator: "\n")
                .first { $0.contains(#""status":"pending""#) })
        #expect(attributes.contains(#""priority":"H""#) && attributes.contains(#""wait":"20260215T230000Z""#))
        #expect(!attributes.contains("imask"))
    }

    @Test("The next occurrence of a VTODO keeps its time, place, categories and further alarms")
    func keepsProperties() async throws {
        let file = calendar(
            todo(
                "UID:one", "SUMMARY:Class", "DTSTART;TZID=Europe/Berlin:20260209T080000",
                "DUE;TZID=Europe/Berlin:20260209T090000", "RRULE:FREQ=WEEKLY;UNTIL=20261231T225959Z", "PRIORITY:5",
                "CATEGORIES:a,b", "LOCATION:Hall", "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT15M", "END:VALARM",
                "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER;VALUE=DATE-TIME:20260208T070000Z", "END:VALARM"))
        let (store, open) = try await completed(file, .ics)
        #expect(open.map(\.dueAt) == [try Instant("2026-02-16T08:00:00Z")])
        let exported = String(decoding: try store.export(as: .ics), as: UTF8.self).split(separator: "BEGIN:VTODO")
        let next = try #require(exported.dropFirst().first { !$0.contains("STATUS:COMPLETED") })
        for line in [
            "DTSTART;TZID=Europe/Berlin:20260216T080000", "DUE;TZID=Europe/Berlin:20260216T090000", "PRIORITY:5",
            "LOCATION:Hall", "CATEGORIES:a,b", "TRIGGER;VALUE=DATE-TIME:20260215T070000Z",
        ] { #expect(next.contains(line), "\(line)") }
    }

    @Test("Days that a calendar leaves out or adds are kept, followed and written")
    func exceptionsOfCalendars() async throws {
        let file = calendar(
            todo(
                "UID:a", "SUMMARY:A", "DTSTART;VALUE=DATE:20260209", "RRULE:FREQ=WEEKLY",
                "EXDATE;VALUE=DATE:20260216,20260302"),
            todo(
                "UID:b", "SUMMARY:B", "DTSTART;VALUE=DATE:20260209", "RRULE:FREQ=WEEKLY;COUNT=2",
                "RDATE;VALUE=DATE:20260212"),
            // Its own day is left out, and so is that of an occurrence that was completed elsewhere.
            todo("UID:c", "SUMMARY:C", "DUE;VALUE=DATE:20260209", "RRULE:FREQ=WEEKLY", "EXDATE;VALUE=DATE:20260209"),
            todo(
                "UID:c", "SUMMARY:C done", "DUE;VALUE=DATE:20260216", "RECURRENCE-ID;VALUE=DATE:20260216",
                "STATUS:COMPLETED"))
        let store = try TestDaybook(at: Self.berlin)
        _ = try await store.import(Array(file.utf8), as: .ics)
        #expect(try open(store).first { $0.text == "C" }?.dueDay == (try Day("2026-02-23")))
        let before = String(decoding: try store.export(as: .ics), as: UTF8.self)
        #expect(
            before.contains("RECURRENCE-ID;VALUE=DATE:20260216")
                && before.contains("EXDATE;VALUE=DATE:20260216,20260302"))
        // Importing the same again changes nothing.
        let content = try store.dump()
        #expect(try await store.import(Array(file.utf8), as: .ics).imported == 0)
        #expect(try store.dump() == content)
        for task in try open(store) { try await store.tasks.complete(task.id) }
        let open = try open(store)
        #expect(
            open.map { $0.scheduledDate ?? $0.dueDay }
                == (try ["2026-02-23", "2026-02-12", "2026-03-02"].map { try Day($0) }))
        let exported = String(decoding: try store.export(as: .ics), as: UTF8.self).split(separator: "BEGIN:VTODO")
        let next = try #require(exported.first { $0.contains("SUMMARY:A") && !$0.contains("STATUS:COMPLETED") })
        #expect(next.contains("EXDATE;VALUE=DATE:20260302"))
        #expect(exported.contains { $0.contains("SUMMARY:B") && $0.contains("RDATE;VALUE=DATE:20260212") })
    }

    @Test("A series whose first occurrence was moved elsewhere keeps its lines, and one undo takes the import back")
    func movedOccurrence() async throws {
        let file = calendar(
            todo(
                "UID:m", "SUMMARY:Moved", "RECURRENCE-ID;TZID=Europe/Berlin:20260209T090000",
                "DUE;TZID=Europe/Berlin:20260211T100000"),
            todo(
                "UID:m", "SUMMARY:Standup", "DTSTART;TZID=Europe/Berlin:20260209T083000",
                "DUE;TZID=Europe/Berlin:20260209T090000", "RRULE:FREQ=WEEKLY;COUNT=3", "LOCATION:Room 1"))
        let store = try TestDaybook(at: Self.berlin)
        _ = try await store.import(Array(file.utf8), as: .ics)
        let exported = String(decoding: try store.export(as: .ics), as: UTF8.self).split(separator: "BEGIN:VTODO")
        let series = try #require(exported.first { $0.contains("SUMMARY:Standup") })
        for line in [
            "UID:m\r", "LOCATION:Room 1", "RRULE:FREQ=WEEKLY;COUNT=2", "DTSTART;TZID=Europe/Berlin:20260216T083000",
            "DUE;TZID=Europe/Berlin:20260216T090000",
        ] { #expect(series.contains(line), "\(line)") }
        #expect(try store.dump().count == 2)
        try await store.tasks.undo()
        #expect(try store.dump().isEmpty)
    }

    @Test("A series whose last occurrence was completed elsewhere is archived, once")
    func completedElsewhere() async throws {
        let file = calendar(
            todo("UID:m", "SUMMARY:Series", "DUE;VALUE=DATE:20260209", "RRULE:FREQ=WEEKLY;COUNT=1"),
            todo("UID:m", "SUMMARY:Done", "RECURRENCE-ID;VALUE=DATE:20260209", "STATUS:COMPLETED"))
        let store = try TestDaybook(at: Self.berlin)
        _ = try await store.import(Array(file.utf8), as: .ics)
        #expect(try open(store).isEmpty)
        let content = try store.dump()
        store.clock.setWall(try Instant("2026-02-11T09:00:00Z"))
        _ = try await store.import(Array(file.utf8), as: .ics)
        #expect(try store.dump() == content)
    }

    @Test("A task that recurs by its file and not here is reported, and its rule is kept [S-67]")
    func unsupported() async throws {
        let file = calendar(
            todo("UID:a", "SUMMARY:A", "DUE;VALUE=DATE:20260209", "RRULE:FREQ=YEARLY;BYWEEKNO=20"),
            todo("UID:b", "SUMMARY:B", "DUE;VALUE=DATE:20260209", "RRULE:FREQ=YEARLY;BYWEEKNO=20", "STATUS:COMPLETED"),
            todo("UID:c", "SUMMARY:C", "DUE;VALUE=DATE:20260209", "RRULE:FREQ=SECONDLY;INTERVAL=86400"))
        let store = try TestDaybook(at: Self.berlin)
        let report = try await store.import(Array(file.utf8), as: .ics)
        #expect(report.unsupported.map(\.record) == [1] && report.unsupported.map(\.part) == ["BYWEEKNO"])
        #expect(String(decoding: try store.export(as: .ics), as: UTF8.self).contains("RRULE:FREQ=YEARLY;BYWEEKNO=20"))
    }

    @Test("A due time of a file keeps the hour of its zone, wherever the task is completed [S-65]")
    func hourOfZone() async throws {
        let file = calendar(
            todo("UID:a", "SUMMARY:A", "DUE;TZID=America/New_York:20260302T180000", "RRULE:FREQ=WEEKLY"))
        // The clocks change there on 8 March, and here three weeks later.
        let (store, open) = try await completed(file, .ics)
        #expect(open.map(\.dueAt) == [try Instant("2026-03-09T22:00:00Z")])
        let exported = String(decoding: try store.export(as: .ics), as: UTF8.self)
        #expect(exported.contains("DUE;TZID=America/New_York:20260309T180000"))
    }
}
