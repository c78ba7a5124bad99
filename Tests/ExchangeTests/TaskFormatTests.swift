import Testing

@testable import ByteStreams
@testable import Exchange

@Suite struct TaskFormatTests {
    @Test("Our own exports are recognized", arguments: TaskFormat.allCases)
    func whatWeWriteIsRecognised(_ format: TaskFormat) throws {
        var random = RandomDocuments(seed: 31)
        #expect(try TaskFormat.detect(try written(random.tasks(2), as: format), name: "misleading.jsonl") == format)
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
        #expect(try TaskFormat.detect(bytes(json)) == format)
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
        #expect((try? TaskFormat.detect(bytes(file), name: "a.unknown")) == format)
        #expect(try TaskFormat.detect(bytes(file), name: "a.TXT") == format ?? .todotxt)
        #expect(try TaskFormat.detect(bytes(file), name: "a.markdown") == format ?? .markdown)
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
        for format in TaskFormat.allCases { #expect(error?.description.contains(format.rawValue) == true) }
    }
}
