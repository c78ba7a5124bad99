import ByteStreams
import CivilTime
import Foundation
import Journals
import TestSupport
import Testing

@testable import Exchange

/// The text of jrnl, whose headings have whatever form its `timeformat` says.
@Suite struct JrnlTests {
    private func read(
        _ text: String, skipsInvalid: Bool = false, _ order: JournalDateOrder? = nil
    ) throws -> JournalFile {
        var options = JournalImportOptions()
        (options.skipInvalid, options.dateOrder) = (skipsInvalid, order)
        return try JournalFile(Array(text.utf8), zone: try Zone("Europe/Berlin"), options: options)
    }

    /// Headings of 2019-07-24 20:00 in Berlin.
    static let evening = [
        "2019-07-24 20:00", "2019-07-24 20:00:00", "2019-07-24 8:00 PM", "2019-07-24 08:00:00 PM", "2019-07-24 8:00pm",
        "2019-07-24 8 p.m.", "2019-07-24 8PM", "2019-07-24 20:00 PM", "07/24/2019 08:00 PM", "24/07/2019 20:00",
        "24.07.2019 20:00", "24.7.2019 20:00", "24.07.2019, 20:00", "24-07-2019 20:00", "2019/07/24 20:00",
        "2019.07.24 20:00", "07/24/19 20:00:00", "24.07.19 20:00", "20190724 20:00", "201907242000", "20190724200000",
        "2019-07-24T20:00:00", "2019-07-24T18:00:00Z", "2019-07-24T14:00:00-0400", "2019-07-24 20:00:00+02:00",
        "2019-07-24 18:00 UTC", "2019-07-24_20:00", "2019-07-24 20.00", "2019-07-24 20h00", "2019-07-24 20-00",
        "20:00 24.07.2019", "Wed Jul 24 20:00:00 2019", "Wednesday, 24 July 2019 20:00", "Wed, 24 Jul 2019 20:00",
        "Wednesday, July 24, 2019 at 8:00 PM", "July 24th, 2019 8:00 pm", "24. July 2019 20:00", "24-Jul-2019 20:00",
        "24/Jul/2019 20:00", "2019-Jul-24 20:00", "2019-07-24 Wed 20:00", "Wed 2019-07-24 20:00",
        "2019-07-24 - 20:00", "2019-07-24 @ 20:00", "WED 24 JUL 2019 20:00", "24 Jul. 2019 20:00",
    ]

    @Test("Headings of any usual form begin entries, after headings of any other", arguments: evening)
    func forms(_ form: String) throws {
        let text = "[\(form)] One\nbody\n\n[2019-07-25 8:00] Two\n[\(form)] Three"
        let file = try read(text)
        #expect(file.entries.map(\.content) == ["One\nbody", "Two", "Three"])
        let (evening, morning) = (try Instant("2019-07-24T18:00:00Z"), try Instant("2019-07-25T06:00:00Z"))
        #expect(file.entries.map(\.timestamp) == [evening, morning, evening])
    }

    @Test(
        "A heading without a time is at the beginning of its day",
        arguments: [
            "2019-07-24", "24.07.2019", "07/24/2019", "24 July 2019", "July 24, 2019", "Wed, 24 Jul 2019", "20190724",
        ])
    func days(_ form: String) throws {
        for text in ["[\(form)] One\nbody", "\(form) One\nbody"] {
            let file = try read(text)
            #expect(file.entries.map(\.content) == ["One\nbody"])
            #expect(try file.entries.map(\.timestamp) == [Instant("2019-07-23T22:00:00Z")])
        }
    }

    @Test("Where headings have brackets, a line that begins with a bare date is text, and one in brackets is a heading")
    func brackets() throws {
        let file = try read(
            """
            [2026-01-05 10:00] Server trouble
            2026-01-05 09:58:01 worker started
            2026-01-05 09:58 worker died
            2026-13-05 25:00 nonsense
            07/24/2019 08:00 PM Pacific
            2026-01-05 is the day
             [2026-01-06 10:00] indented

            [2026-01-06 10:00] Next
            [2026-01-05 10:00] See this line
            Body
            """)
        #expect(file.entries.map { $0.content.split(separator: "\n").count } == [7, 1, 2])
        #expect(file.entries[0].content.hasSuffix("\n [2026-01-06 10:00] indented"))
        #expect(try file.entries[2].timestamp == Instant("2026-01-05T09:00:00Z"))
    }

    @Test(
        "A line in brackets that is no date is text",
        arguments: [
            "[x] done", "[ ] open", "[1] footnote", "[12:30] said", "[12:30:15] joined", "[Tuesday] met",
            "[2019] review",
            "[1.2.3] version", "[10.20.30] version", "[192.168.100.100] host", "[2026-01-05](notes.md) link",
            "[2026-01-05]: url", "[see 2026-01-05 for details] x", "[ERROR] x", "[100/2000] x", "[10:15-11:00] x", "[]",
            "[",
            "[2026-01-05 10:00", "[ERROR 500] at 10:00", "[ticket 12345678] x", "[12345678] ticket", "[July] plans",
        ])
    func text(_ line: String) throws {
        let text = "[2026-02-11 09:30] One\n\(line)\n[2026-02-12 09:30] Two"
        #expect(try read(text).entries.map(\.content) == ["One\n\(line)", "Two"])
    }

    @Test(
        "A line that looks like a heading and cannot be read is an error with its line, and skipped with what follows it",
        arguments: [
            "[2026-13-11 09:30]", "[2026-02-30 09:30]", "[2026-02-11 25:00]", "[2026-02-11 09:60]",
            "[31.02.2026 20:00]",
            "[13.13.2026 20:00]", "[Thu 2026-02-11 20:00]", "[2026-02-11 13:00 AM]", "[2026-02-11 0:30 PM]",
            "[2026-02-11 09:30 CEST]", "[Mittwoch, 24. Juli 2019 20:00]", "[24. Juli 2019]", "[2019-07]", "[July 2019]",
            "[Jul 24 20:00]", "[07-24 20:00]", "[24.07. 20:00]", "[19-07-24 20:00]", "[2019年7月24日 20:00]",
            "[2026-02-11 9]",
            "[07/05/2019 20:00]", "[24.07.2019 um 20:00 Uhr]", "[2019-07-24 20:00 Uhr]", "[0000-07-24 20:00]",
        ])
    func unreadable(_ heading: String) throws {
        let text = "[2026-02-11 09:30] One\n\n\(heading) secret\nmore\n[2026-02-12 09:30] Two"
        do {
            _ = try read(text)
            Issue.record("it was read")
        } catch FileError.invalidRecord(let line, let reason, _) {
            #expect(line == 3 && !reason.contains("secret") && !reason.contains(heading))
        }
        let file = try read(text, skipsInvalid: true)
        #expect(file.entries.map(\.content) == ["One", "Two"])
        #expect(file.skipped.map(\.number) == [2] && file.skipped.map(\.line) == [3])
    }

    @Test("The whole file decides whether the day or the month comes first, by separator")
    func order() throws {
        func days(_ dates: String..., order: JournalDateOrder? = nil) throws -> [String] {
            let zone = try Zone("Europe/Berlin")
            return try read(dates.map { "[\($0) 20:00] x\(dates.count)" }.joined(separator: "\n"), order)
                .entries.map { zone.day(of: $0.timestamp).description }
        }
        #expect(try days("07/05/2019", "07/13/2019", "01/02/2020") == ["2019-07-05", "2019-07-13", "2020-01-02"])
        #expect(try days("07/05/2019", "13/05/2019") == ["2019-05-07", "2019-05-13"])
        // A weekday shows it as well; dates with points begin with the day; equal numbers need no order.
        #expect(try days("Sun 07/05/2020", "08/05/2020") == ["2020-07-05", "2020-08-05"])
        #expect(try days("07.05.2019") == ["2019-05-07"])
        #expect(try days("05/05/2019") == ["2019-05-05"])
        #expect(try days("07.05.2019", "07/13/2019", "08/01/2019") == ["2019-05-07", "2019-07-13", "2019-08-01"])
        for dates in [
            ["07/05/2019"], ["07-05-2019"], ["07/05/2019", "13/05/2019", "05/13/2019"], ["07/05/2019", "13.05.2019"],
        ] {
            #expect(throws: FileError.self) {
                try read(dates.map { "[\($0) 20:00] x" }.joined(separator: "\n"))
            }
        }
        #expect(try days("07/05/2019", order: .dayFirst) == ["2019-05-07"])
        #expect(try days("07/05/2019", order: .monthFirst) == ["2019-07-05"])
        // What the file shows wins.
        #expect(try days("07/05/2019", "13/05/2019", order: .monthFirst) == ["2019-05-07", "2019-05-13"])
    }

    @Test("Without brackets, headings begin as the first one does: with a date, and with a time if it has one")
    func bare() throws {
        let timed = try read(
            """
            2026-02-11 09:30 One
            2026-02-11 is the day
            2026-02-30 was none
            2026-02-12 10:00 PM Two
            12.02.2026 23:00 Three
            [2026-02-13 10:00] Four
            """)
        #expect(
            timed.entries.map(\.content) == ["One\n2026-02-11 is the day\n2026-02-30 was none", "Two", "Three", "Four"])
        let days = try read("2026-02-11 One\n07/24/2019 body\n2026-02-12 Sun is out\n2026-02-13 3 eggs\n2026-02-14 May")
        #expect(days.entries.map(\.content) == ["One\n07/24/2019 body", "Sun is out", "3 eggs", "May"])
        for (text, line) in [("2026-02-11 09:30 One\n2026-02-11 25:00 x", 2), ("2026-02-11 One\n\n2026-02-30 x", 3)] {
            #expect(throws: FileError.self) { try read(text) }
            #expect(try read(text, skipsInvalid: true).skipped.map(\.line) == [line])
        }
    }

    @Test("Text before the first heading is an error, and bytes that some take for line ends stay in the text")
    func edges() throws {
        #expect(throws: FileError.invalidRecord(line: 2, reason: "it is before the first heading")) {
            try read("\nintroduction\n[2026-02-11 09:30] One")
        }
        #expect(try read("introduction\n[2026-02-11 09:30] One", skipsInvalid: true).entries.map(\.content) == ["One"])
        let content = "a\u{2028}b\u{0B}c\u{85}d"
        #expect(try read("\u{FEFF}\r\n\r\n[2026-02-11 09:30] \(content)\r\n").entries.map(\.content) == [content])
        let empty = try read("\n[2026-02-11 09:30]\n\n[2026-02-12 09:30] Two")
        #expect(
            empty.entries.count == 1 && empty.skipped.map(\.line) == [2] && empty.skipped[0].reason == "it has no text")
    }

    @Test("Any two headings of any forms with any text between them give two entries of that text")
    func property() throws {
        var dice = Dice(seed: 34)
        let lines = [
            "", "text", "2026-01-05 09:58 log", "24.07.2019 x", "[x] box", "  [2026-01-05 10:00] indented",
            "12:30 said",
        ]
        for _ in 0..<400 {
            let forms = (0..<3).map { _ in Self.evening[dice.below(Self.evening.count)] }
            let bodies = (0..<3).map { number in
                (["title \(number)"] + (0..<dice.below(4)).map { _ in lines[dice.below(lines.count)] } + ["end"])
                    .joined(separator: "\n")
            }
            let text = zip(forms, bodies).map { "[\($0)] \($1)\n" }.joined(separator: "\n")
            let file = try read(text)
            #expect(file.entries.map(\.content) == bodies && file.skipped.isEmpty, "\(forms)")
            #expect(try file.entries.allSatisfy { try $0.timestamp == Instant("2019-07-24T18:00:00Z") }, "\(forms)")
        }
    }
}
