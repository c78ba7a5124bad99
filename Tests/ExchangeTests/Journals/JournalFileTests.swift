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

    @Test("Day One's entries have text, times, ids and city and state, and no coordinates [J-OP10, X-39]")
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
        #expect(file.skipped.map(\.number) == [2] && file.title == nil)
        #expect(file.entries.map(\.content) == ["A day.\n", "No id"])
        #expect(file.entries[0].id == UUID(uuidString: "C29D55E9-5B3A-4D3B-B144-E07919BDF7D1"))
        #expect(file.entries[0].place?.description == "Istanbul, Türkiye")
        #expect(try file.entries.map(\.editedAt) == [Instant("2020-03-24T00:00:00Z"), nil])
        #expect(try file.entries[0].timestamp == Instant("2020-03-23T10:00:00Z"))
        #expect(!"\(file)".contains("41.015"))
        let problem = "entry 2 (c29d55e9-5b3a-4d3b-b144-e07919bdf7d1): `creationDate` is not an instant"
        #expect(throws: FileError.invalidRecord(line: 3, reason: problem)) {
            try read(
                """
                {"metadata": {"entries": 1}, "entries": [{"creationDate": "2020-03-23T10:00:00Z", "text": "x"},

                  {"uuid": "C29D55E95B3A4D3BB144E07919BDF7D1", "creationDate": "yesterday", "text": "x"}]}
                """)
        }
        #expect(throws: FileError.malformed(format: "JSON", line: 2, reason: "it is not valid JSON")) {
            try read("{\"entries\": [\n x]}")
        }
    }

    @Test("Each entry of Day One that is skipped has its number, line, id and reason")
    func skipped() throws {
        let text = #"""
            {"entries": [
              {"uuid": "A1B2C3D4E5F60718293A4B5C6D7E8F90", "creationDate": "2023-05-03T10:00:00Z", "photos": [{"md5": "Y"}]},
              {"creationDate": "2023-05-03T10:00:00Z", "text": "x"},
              {"uuid": "A1B2C3D4E5F60718293A4B5C6D7E8F92", "creationDate": "2023-05-04T10:00:00Z", "text": "", "richText": "{}"},
              {"creationDate": "2023-05-04T10:00:00Z", "text": " "}, {"creationDate": "never"}]}
            """#
        var options = JournalImportOptions()
        options.skipInvalid = true
        let file = try JournalFile(Array(text.utf8), zone: .utc, options: options)
        #expect(file.entries.map(\.content) == ["x"])
        let expected: [(Int, Int, String?, String)] = [
            (1, 2, "A1B2C3D4-E5F6-0718-293A-4B5C6D7E8F90", "it has no text, only media, which are not read"),
            (3, 4, "A1B2C3D4-E5F6-0718-293A-4B5C6D7E8F92", "it has no text, only rich text, which is not read"),
            (4, 5, nil, "it has no text"), (5, 5, nil, "`creationDate` is not an instant"),
        ]
        #expect(
            file.skipped
                == expected.map {
                    SkippedEntry(number: $0.0, line: $0.1, id: $0.2.flatMap { UUID(uuidString: $0) }, reason: $0.3)
                })
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
        #expect(throws: FileError.self) { try read(#"{"entries": [{"title": "x", "date": "05/07/2019"}]}"#) }
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
        #expect(
            file.entries[1].id == UUID(uuidString: "7A7E2E4C-2B5C-4E55-9D0B-9B6A2F7F7B11") && file.skipped.count == 1)
        #expect(
            file.skipped.map(\.line) == [20] && file.skipped[0].number == 3
                && file.skipped[0].reason == "it has no text")
        #expect(throws: FileError.self) { try read("BEGIN:VCALENDAR\nBEGIN:VJOURNAL\n") }
        let damaged =
            "BEGIN:VCALENDAR\nBEGIN:VJOURNAL\nDTSTART:soon\nDTSTAMP:19970901T130000Z\nSUMMARY:x\nEND:VJOURNAL\nEND:VCALENDAR\n"
        #expect(throws: FileError.invalidRecord(line: 2, reason: "its `DTSTART` is not a time")) { try read(damaged) }
    }

    @Test(
        "Files of others are read",
        .enabled(if: SharedData.isExpected, "needs the files of $DAYBOOK_SHARED/data, or ../shared/data"))
    func realFiles() throws {
        let dayOne = try JournalFile(SharedData.bytes("dayone-sample-export.json"), zone: .utc)
        #expect(dayOne.entries.count == 2 && dayOne.skipped.isEmpty)
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
