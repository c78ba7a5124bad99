import ByteStreams
import CivilTime
import Foundation
import Journals
import TestSupport
import Testing

@testable import Exchange

@Suite struct JournalFileTests {
    private func read(_ text: String) throws -> JournalFile {
        try JournalFile(Array(text.utf8), zone: try Zone("Europe/Berlin"))
    }

    @Test("Day One's entries have text, times, ids and city and state, and no coordinates [J-OP10]")
    func dayOne() throws {
        let file = try read(
            #"""
            {"metadata": {"version": "1.0"}, "entries": [
              {"uuid": "C29D55E95B3A4D3BB144E07919BDF7D1", "creationDate": "2020-03-23T10:00:00Z",
               "modifiedDate": "2020-03-24T00:00:00Z", "text": "A day.\n", "starred": true, "tags": ["x"],
               "location": {"latitude": 41.015137, "longitude": 28.97953, "localityName": "Istanbul", "country": "Türkiye"}},
              {"creationDate": "2020-03-23T10:00:00Z", "modifiedDate": "2020-03-23T10:00:00Z", "text": " \n"},
              {"creationDate": "2020-03-24T10:00:00Z", "text": "No id"}]}
            """#)
        #expect(file.skipped == 1 && file.title == nil)
        #expect(file.entries.map(\.content) == ["A day.\n", "No id"])
        #expect(file.entries[0].id == UUID(uuidString: "C29D55E9-5B3A-4D3B-B144-E07919BDF7D1"))
        #expect(file.entries[0].place?.description == "Istanbul, Türkiye")
        #expect(try file.entries.map(\.editedAt) == [Instant("2020-03-24T00:00:00Z"), nil])
        #expect(try file.entries[0].timestamp == Instant("2020-03-23T10:00:00Z"))
        #expect(!"\(file)".contains("41.015"))
        #expect(throws: FileError.invalidRecord(line: 1, reason: "`creationDate` is not an instant")) {
            try read(#"{"entries": [{"creationDate": "yesterday", "text": "x"}]}"#)
        }
    }

    @Test("The entries of jrnl are the same in its JSON and in its text")
    func jrnl() throws {
        let json = try read(
            """
            {"tags": {"@work": 1}, "entries": [
              {"title": "First entry.", "body": "With a body.\\nOf two lines.", "date": "2026-02-11", "time": "09:30", "tags": [], "starred": false},
              {"title": "Second", "body": "", "date": "2026-07-11", "time": "21:05", "tags": [], "starred": true}]}
            """)
        #expect(json.entries.map(\.content) == ["First entry.\nWith a body.\nOf two lines.", "Second"])
        #expect(
            try json.entries.map(\.timestamp) == [Instant("2026-02-11T08:30:00Z"), Instant("2026-07-11T19:05:00Z")])
        for text in [
            "[2026-02-11 09:30] First entry.\nWith a body.\nOf two lines.\n\n[2026-07-11 21:05] Second\n",
            "2026-02-11 09:30:00 AM First entry.\r\nWith a body.\r\nOf two lines.\r\n\r\n2026-07-11 09:05:00 PM Second",
            "\u{FEFF}[2026-02-11 09:30:00 AM] First entry.\nWith a body.\nOf two lines.\n[2026-07-11 09:05 pm] Second\n\n\n",
        ] {
            #expect(try read(text) == JournalFile(entriesOf: json), "\(text)")
        }
        // A line that only looks like a beginning is text.
        let text = "[2026-02-11 09:30] One\n[2026-13-11 09:30] no day\n2026-02-11 25:00 no time\n[x] 2026-02-11\n"
        #expect(try read(text).entries.count == 1)
        for text in ["", "just text", "\n\n", "{}", "{\"entries\": 1}", "[1]"] {
            #expect(throws: FileError.self) { try read(text) }
        }
    }

    @Test("VJOURNAL components have summary and description at their time")
    func calendar() throws {
        let file = try read(
            """
            BEGIN:VCALENDAR
            VERSION:2.0
            BEGIN:VEVENT
            SUMMARY:not a journal
            END:VEVENT
            BEGIN:VJOURNAL
            UID:19970901T130000Z-123405@example.com
            DTSTAMP:19970901T130000Z
            DTSTART;VALUE=DATE:19970317
            LAST-MODIFIED:19970401T120000Z
            SUMMARY:Minutes\\, long
            DESCRIPTION:One.\\nTwo
              and more.
            END:VJOURNAL
            BEGIN:VJOURNAL
            UID:7A7E2E4C-2B5C-4E55-9D0B-9B6A2F7F7B11
            DTSTART;TZID=America/New_York:20260211T093000
            DESCRIPTION:In New York.
            END:VJOURNAL
            BEGIN:VJOURNAL
            DTSTAMP:19970901T130000Z
            END:VJOURNAL
            END:VCALENDAR
            """)
        #expect(file.entries.map(\.content) == ["Minutes, long\n\nOne.\nTwo and more.", "In New York."])
        #expect(
            try file.entries.map(\.timestamp) == [Instant("1997-03-16T23:00:00Z"), Instant("2026-02-11T14:30:00Z")])
        #expect(try file.entries[0].editedAt == Instant("1997-04-01T12:00:00Z"))
        #expect(file.entries[1].id == UUID(uuidString: "7A7E2E4C-2B5C-4E55-9D0B-9B6A2F7F7B11") && file.skipped == 1)
        #expect(throws: FileError.self) { try read("BEGIN:VCALENDAR\nBEGIN:VJOURNAL\n") }
    }

    @Test(
        "Files of others are read",
        .enabled(if: SharedData.isExpected, "needs the files of $DAYBOOK_SHARED/data, or ../shared/data"))
    func realFiles() throws {
        let dayOne = try JournalFile(SharedData.bytes("dayone-sample-export.json"), zone: .utc)
        #expect(dayOne.entries.count == 2 && dayOne.skipped == 0)
        #expect(dayOne.entries[1].content.hasPrefix("A busy day at home."))
        let example = try JournalFile(SharedData.bytes("icalendar-journal-example.ics"), zone: .utc)
        #expect(example.entries.map(\.content) == ["Staff meeting minutes\n\nAurora project plans were reviewed."])
        let minutes = try JournalFile(SharedData.bytes("libical-4-vjournal.ics"), zone: .utc)
        #expect(minutes.entries.count == 1)
        #expect(minutes.entries[0].content.contains("Participants: John Smith, Jane Doe, Jim Dandy\n-It was"))
    }
}

extension JournalFile {
    /// The entries alone, to compare files of two formats.
    fileprivate init(entriesOf other: JournalFile) throws {
        try self.init(Array("[2026-02-11 09:30] x".utf8), zone: .utc)
        entries = other.entries
    }
}
