import Testing

@testable import ByteStreams
@testable import Exchange

@Suite struct TaskFormatTests {
    @Test("Our own exports are recognized", arguments: TaskFormat.allCases)
    func whatWeWriteIsRecognised(_ format: TaskFormat) throws {
        var random = RandomDocuments(seed: 31)
        #expect(
            try TaskFormat.detect(try written(random.tasks(2), as: format), name: "misleading.jsonl").written == format)
    }

    @Test(
        "The content determines the format",
        arguments: [
            (#"[{"id":1,"description":"x"}]"#, TaskFormat.taskwarrior),
            ("\u{FEFF}\n{\n\"uuid\"\n:\n\"x\"}", .taskwarrior),
            (#"[{"id":"x","text":"x"}]"#, .json), (#"{"other":[1,{"a":2}],"tasks":[]}"#, .json),
            (#"{"format":"daybook","version":9}"#, .ndjson), ("\u{FEFF}\r\nbegin:vcalendar\r\n", .ics),
            ("BEGIN:VTODO\nSUMMARY:x", .ics), ("text,id\n", .csv), ("\u{FEFF}Other;\"TEXT\";sortorder\n", .csv),
            ("sep=;\nthe;text\n", .csv),
        ])
    func contentDecides(_ json: String, _ format: TaskFormat) throws {
        #expect(try TaskFormat.detect(bytes(json)).written == format)
    }

    @Test(
        "Line formats are recognized by their syntax",
        arguments: [
            ("(A) Call\n", TaskFormat.todotxt), ("\n \nx 2026-02-11 Call", .todotxt),
            ("\u{FEFF}2026-02-10 Call due:2026-02-11", .todotxt),
            ("# List\n\n- [ ] Call\n", .markdown), ("> 1. [x] Call", .markdown),
            ("2026-02-10 News\n* [/] Call", .markdown),
            ("Call +home", nil), ("2026-02-10 10:00:00 started\n", nil), ("# List\n- Call\n- [a](b)", nil), ("", nil),
        ])
    func lineFormats(_ file: String, _ format: TaskFormat?) throws {
        #expect((try? TaskFormat.detect(bytes(file), name: "a.unknown"))?.written == format)
        #expect(try TaskFormat.detect(bytes(file), name: "a.TXT").written == format ?? .todotxt)
        #expect(try TaskFormat.detect(bytes(file), name: "a.markdown").written == format ?? .markdown)
    }

    private static let org = """
        #+TITLE: Home
        * TODO [#A] Renew the passport :office:
          DEADLINE: <2026-03-01 Sun -7d>
        * TODO Pack [1/3]
          - [X] socks
          - [-] tools
            - [ ] saw
        """

    @Test(
        "Org is recognized by its headings, whatever boxes it has [N-5]",
        arguments: [
            org, "* Groceries\n** Shop\n- [ ] milk\n- [-] tools\n",
            "- [ ] preamble\n* DONE Order the book\n  CLOSED: [2026-02-01 Sun 10:11]\n",
            "* Trip\n:PROPERTIES:\n:ID: 1\n:END:\n- [ ] tent\n",
        ])
    func orgIsRecognized(_ file: String) throws {
        for name in [nil, "tasks.txt", "tasks", "tasks.org"] {
            #expect(try TaskFile(bytes(file), name: name).detectFormat() == .org)
        }
        #expect(try TaskFormat.detect(bytes("anything"), name: "a.org") == .org)
    }

    @Test("All lines of a file decide, not the first that looks like a task")
    func allLinesDecide() throws {
        func detect(_ file: String, _ name: String? = nil) throws -> ImportFormat {
            try TaskFile(bytes(file), name: name).detectFormat()
        }
        let prose = String(repeating: "A line of a letter.\n", count: 20)
        #expect(throws: FileError.unknownFormat(name: "a.txt")) { try detect(prose + "- [ ] call back\n", "a.txt") }
        #expect(throws: FileError.unknownFormat(name: nil)) { try detect(prose + "- [ ] call back\n") }
        #expect(try detect(prose + "- [ ] call back\n", "a.md") == .markdown)
        #expect(try detect("# Notes\n" + prose + "- [ ] call back\n") == .markdown)
        #expect(try detect("Call\n(A) Pay\n- [ ] odd\n(B) Go\n", "a.txt") == .todotxt)
        #expect(try detect("(A) is a grade\n- [ ] a\n- [ ] b\n") == .markdown)
        // What decides may be far from the beginning.
        let long = String(repeating: "- a bullet without a box\n", count: 10_000)
        #expect(try detect(long + "- [ ] a\n") == .markdown)
        #expect(try detect("- [ ] a\n" + long + "* TODO b\n** DONE c\n") == .org)
        // In Markdown these are an example, a bullet and a task of Logseq.
        #expect(try detect("# Org\n```\n#+TITLE: x\n* TODO y\n```\n- [ ] a\n") == .markdown)
        #expect(try detect("- [ ] a\n* TODO b\n", "a.md") == .markdown)
        #expect(try detect("- [ ] a\n- TODO b\n  SCHEDULED: <2026-02-18 Wed>\n") == .markdown)
    }

    @Test("The name determines the format if the content does not")
    func theNameDecidesWhereTheContentDoesNot() throws {
        #expect(try TaskFormat.detect([], name: "a.JSONL") == .ndjson)
        #expect(try TaskFormat.detect(bytes("[]"), name: "a.json") == .json)
        #expect(try TaskFormat.detect(bytes("[]"), name: "a.taskwarrior.json") == .taskwarrior)
    }

    @Test("An unknown format lists the known ones")
    func anUnknownFormatListsTheKnownOnes() {
        let error = #expect(throws: FileError.self) {
            try TaskFormat.detect(bytes("BEGIN:NOTHING"), name: "a.xyz")
        }
        #expect(error == .unknownFormat(name: "a.xyz"))
        for format in ImportFormat.allCases { #expect(error?.description.contains(format.rawValue) == true) }
    }
}
