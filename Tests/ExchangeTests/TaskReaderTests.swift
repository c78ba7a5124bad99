import CivilTime
import Testing

@testable import ByteStreams
@testable import Exchange

@Suite struct TaskReaderTests {
    private static let header = #"{"format":"daybook","version":1}"# + "\n"
    private static let stem = #""createdAt":"2026-02-10T09:15:00Z","text":"x""#

    private func read(_ json: String, _ format: TaskFormat = .json, skipInvalid: Bool = false) throws -> TaskImport {
        try TaskReader.read(bytes(json), format: format, zone: .utc, skipInvalid: skipInvalid)
    }

    @Test("A bare array and unknown keys are accepted")
    func anArrayAloneAndUnknownKeysAreFine() throws {
        let task = #"{"id":"9F247ADA-F07F-5E73-8876-A3B0F24EBF37",\#(Self.stem),"zeta":1e2,"alpha":[true]}"#
        let bare = try read("[\(task)]")
        #expect(bare == (try read("\u{FEFF}{\"more\":{\"a\":[1]},\"tasks\":[\(task)],\"last\":[]}")))
        #expect(bare.tasks.first?.id.lowercased == "9f247ada-f07f-5e73-8876-a3b0f24ebf37")
        #expect(bare.tasks.first?.extra == #"{"alpha":[true],"zeta":1e2}"#)
        #expect(bare.tasks.first?.updatedAt == bare.tasks.first?.createdAt)
    }

    @Test("A task without an id gets the same id in every import")
    func aTaskWithoutAnIdGetsTheSameOneEveryTime() throws {
        let first = try read("[{\(Self.stem)}]").tasks
        #expect(first == (try read("[{ \"text\" : \"\\u0078\", \"createdAt\":\"2026-02-10T09:15:00Z\"}]").tasks))
        let id = try #require(first.first?.id)
        #expect(id.uuid.6 >> 4 == 8)
        #expect(id.uuid.8 >> 6 == 2)
        #expect(try read("[{\(Self.stem),\"notes\":\"n\"}]").tasks.first?.id != id)
    }

    @Test("Completion follows from the state")
    func completionFollowsFromTheState() throws {
        let completed = try read(#"[{\#(Self.stem),"state":"completed","updatedAt":"2026-02-11T00:00:00Z"}]"#)
        #expect(completed.tasks.first?.completedAt == (try Instant("2026-02-11T00:00:00Z")))
        #expect(try read(#"[{\#(Self.stem),"completedAt":"2026-02-11T00:00:00Z"}]"#).tasks.first?.state == .completed)
    }

    @Test(
        "An invalid field is reported with its line",
        arguments: [
            (#""text":"""#, "blank"), (#""text":" \t\u00a0\n""#, "blank"), (#""text":null"#, "`text`"),
            (#""text":7"#, "`text`"), (#""text":"a\u0000b""#, "NUL"), (#""notes":"\u0000""#, "NUL"),
            (#""text":"\ud800""#, "surrogate"), (#""state":"done""#, "`state`"), (#""id":"42""#, "`id`"),
            (#""scheduledDate":"2026-02-30""#, "`scheduledDate`"), (#""scheduledDate":20260211"#, "`scheduledDate`"),
            (#""dueAt":"2026-02-30T00:00:00Z""#, "`dueAt`"), (#""createdAt":"yesterday""#, "`createdAt`"),
            (#""sortOrder":1e99999"#, "`sortOrder`"), (#""sortOrder":123456789012345678901"#, "`sortOrder`"),
            (#""sortOrder":1.5"#, "`sortOrder`"), (#""completionEpoch":-1"#, "`completionEpoch`"),
            (#""carryCount":"1""#, "`carryCount`"), (#""isSticky":0"#, "`isSticky`"), (#""extra":[]"#, "`extra`"),
            (#""region":"noon""#, "`region`"),
            (#""completedAt":"2026-02-11T00:00:00Z","state":"active""#, "`completedAt`"),
        ])
    func aBadFieldIsNamedWithItsLine(_ field: String, _ word: String) throws {
        let good = "{\(Self.stem)}"
        let file = "[\n\(good),\n{\(Self.stem),\(field)},\n\(good)\n]"
        do {
            _ = try read(file)
            Issue.record("\(field) was taken")
        } catch FileError.invalidRecord(let line, let reason, _) {
            #expect(line == 3)
            #expect(reason.contains(word))
        }
        let skipped = try read(file, skipInvalid: true)
        #expect(skipped.tasks.count == 2)
        #expect(skipped.invalid.map(\.line) == [3])
    }

    @Test("A record without a time of creation needs a replacement")
    func aRecordWithoutATimeOfCreationNeedsOne() throws {
        #expect(throws: FileError.self) { try read(#"[{"text":"x"}]"#) }
        let now = try Instant("2026-02-11T00:00:00Z")
        let dated = try TaskReader.read(bytes(#"[{"text":"x"}]"#), format: .json, zone: .utc, now: now)
        #expect(dated.tasks.first?.createdAt == now)
    }

    @Test("Errors contain no text of a task")
    func textNeverStandsInAnError() throws {
        for format in TaskFormat.allCases {
            let secrets = [
                #"[{"text":"SECRET","description":"SECRET","createdAt":"SECRET","entry":"SECRET"}]"#,
                #"{"format":"daybook","version":1}{"collection":"SECRET","SECRET":1}"#, #"[{"SECRET":"#, "SECRET",
                #"{"tasks":[{"text":"SECRET\ud800"}]}"#,
            ]
            for secret in secrets {
                do {
                    _ = try read(secret, format)
                } catch let error as FileError {
                    #expect(!error.description.contains("SECRET"))
                    #expect(!error.description.contains("\n"))
                }
            }
        }
    }

    @Test("A newer version is refused")
    func aNewerVersionIsRefused() {
        #expect(throws: FileError.newerVersion(found: 2, supported: 1)) {
            try read(#"{"format":"daybook","version":2}"#, .ndjson)
        }
        for header in ["", "{}", "[]", #"{"format":"other","version":1}"#, #"{"format":"daybook","version":"1"}"#] {
            #expect(throws: FileError.self) { try read(header, .ndjson) }
        }
    }

    @Test("A line that is not JSON does not hide the others")
    func aLineThatIsNotJSONDoesNotHideTheOthers() throws {
        let line = #"{"collection":"tasks",\#(Self.stem)}"#
        let file = Self.header + line + "\n{\"collection\":\"tasks\",\n" + line + "\n\nnonsense\n" + line + "\n[1]\n"
        #expect(throws: FileError.self) { try read(file, .ndjson) }
        let skipped = try read(file, .ndjson, skipInvalid: true)
        #expect(skipped.tasks.count == 3)
        #expect(skipped.invalid.map(\.line) == [3, 6, 8])
    }

    @Test("A truncated file is an error or a prefix of its records", arguments: TaskFormat.allCases)
    func aFileCutOffAnywhereIsAnErrorOrAPrefix(_ format: TaskFormat) throws {
        var random = RandomDocuments(seed: 21)
        let tasks = random.tasks(2)
        let whole = try written(tasks, as: format)
        let count = try TaskReader.read(whole, format: format, zone: .utc).tasks.count
        for length in 0..<whole.count {
            let part = Array(whole[..<length])
            let strict = try? TaskReader.read(part, format: format, zone: .utc)
            if let strict {
                // The last line may lack its end, which some formats write as two characters.
                let isWhole = length >= whole.count - 2 || length <= 1
                // In line-based formats, a prefix is a valid file.
                #expect(isWhole || [.ndjson, .todotxt, .markdown, .csv].contains(format))
                #expect(strict.tasks.count <= count)
            }
            _ = try? TaskReader.read(part, format: format, zone: .utc, skipInvalid: true)
            _ = try? TaskFormat.detect(part)
        }
    }

    @Test("A file with any byte changed never crashes the reader", arguments: TaskFormat.allCases)
    func aFileWithAnyByteChangedNeverCrashesTheReader(_ format: TaskFormat) throws {
        var random = RandomDocuments(seed: 22)
        let whole = try written([random.task()], as: format)
        for index in whole.indices {
            for byte: UInt8 in [0x00, 0x22, 0x5C, 0x7D, 0xFF] {
                var changed = whole
                changed[index] = byte
                _ = try? TaskReader.read(changed, format: format, zone: .utc, skipInvalid: true)
            }
        }
    }

    @Test("Deeply nested and huge input is refused", arguments: TaskFormat.allCases)
    func deepAndHugeInputIsRefused(_ format: TaskFormat) throws {
        let deep = String(repeating: #"{"a":["#, count: 100_000)
        let digits = String(repeating: "9", count: 9_999)
        let hostile = [
            deep, "[" + deep, #"{"tasks":"# + deep, #"[{"text":"x","sortOrder":\#(digits)}]"#,
            #"[{"description":"x","entry":\#(digits)}]"#, #"[{"description":"x","entry":"\#(digits)"}]"#,
            Self.header + deep,
        ]
        // In Markdown, lines without a check box are ignored.
        for json in hostile where format != .markdown {
            #expect(throws: FileError.self) { try read(json, format) }
        }
    }

    @Test("Kept attributes are readable in every format")
    func whatIsKeptIsReadableInEveryFormat() throws {
        var accepted = 0
        for levels in 1...60 {
            let nested = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            // Taskwarrior accepts no date before 1980, so an export has none.
            let record = #"{"description":"x","entry":1000000000,"odd":\#(nested)}"#
            guard let tasks = try? read("[\(record)]", .taskwarrior).tasks else { continue }
            accepted = levels
            for format in TaskFormat.allCases where ![.todotxt, .markdown].contains(format) {
                let again = try TaskReader.read(try written(tasks, as: format), format: format, zone: .utc)
                #expect(again.tasks.content == tasks.content)
            }
        }
        #expect(accepted == 39)
    }

    @Test("The fields that the command line shows are read like those of a file, in JSON and NDJSON")
    func shownFields() throws {
        let shown =
            #""dueDate":"2026-02-13","recurrence":"FREQ=DAILY","reminderDate":{"day":"2026-02-12","time":"09:30"}"#
        let stored =
            #""dueDay":"2026-02-13","isRecurring":true,"recurringPattern":"FREQ=DAILY","reminderDate":"2026-02-12T09:30:00Z","#
            + #""reminderDay":"2026-02-12","reminderSecondsIntoDay":34200"#
        let id = #""id":"9f247ada-f07f-5e73-8876-a3b0f24ebf37""#
        let expected = try read("[{\(id),\(Self.stem),\(stored)}]").tasks
        #expect(expected.first?.extra == nil && expected.first?.task.recurrence != nil)
        #expect(try read("[{\(id),\(Self.stem),\(shown)}]").tasks == expected)
        let line = "{\"collection\":\"tasks\",\(id),\(Self.stem),\(shown)}\n"
        #expect(try read(Self.header + line, .ndjson).tasks == expected)
        // A task alone, as `show --json` prints it.
        let alone = "{\(id),\(Self.stem),\(shown)}"
        #expect(try read(alone).tasks == expected)
        #expect(try TaskFormat.detect(bytes(alone)) == .json)
        let timed = try read(#"[{\#(Self.stem),"dueDate":"2026-02-13T17:00:00Z"}]"#).tasks.first
        #expect(timed?.dueAt == (try Instant("2026-02-13T17:00:00Z")) && timed?.dueIsAllDay == false)
        let none = try read(#"[{\#(Self.stem),"dueDate":null,"recurrence":null,"reminderDate":null}]"#).tasks.first
        #expect(none?.dueAt == nil && none?.dueDay == nil && none?.isRecurring == false && none?.extra == nil)
    }

    @Test(
        "A shown field that cannot be understood is refused, and never quarantined",
        arguments: [
            #""dueDate":"soon""#, #""dueDate":"2026-02-30""#, #""recurrence":"now and then""#, #""recurrence":3"#,
            #""reminderDate":{"day":"2026-02-12"}"#, #""reminderDate":{"day":"2026-02-12","time":"24:00"}"#,
        ])
    func unreadableShownFields(field: String) {
        #expect(throws: FileError.self) { try read("[{\(Self.stem),\(field)}]") }
    }
}
