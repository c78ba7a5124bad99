import CivilTime
import FoundationEssentials
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

@Suite struct MarkdownTests {
    private static let uuid = "9f247ada-f07f-4e73-8876-a3b0f24ebf37"
    private static let now = Instant(secondsSince1970: 1_770_800_000)

    private func read(_ file: String, zone: Zone = .utc) throws -> [ImportedTask] {
        try TaskReader.read(bytes(file), format: .markdown, zone: zone, now: Self.now).tasks
    }

    private func exported(_ tasks: [ImportedTask], zone: Zone = .utc) throws -> String {
        text(try written(tasks, as: .markdown, zone: zone))
    }

    @Test("The fields of a task are read")
    func aTaskSaysWhatItSays() throws {
        let line =
            "- [x] Call home [category:: front garden] 🆔 \(Self.uuid) 🔁 every week ➕ 2026-02-10 ⏳ 2026-02-09 "
            + "📅 2026-02-12 ❌ 2026-02-14 ✅ 2026-02-11"
        let task = try #require(try read(line + "\n    with\n\n      notes\n").first)
        #expect(task.id == UUID(strict: Self.uuid))
        #expect(task.state == .completed)
        #expect(task.text == "Call home")
        #expect(task.category == "front garden")
        #expect(task.recurringPattern == "FREQ=WEEKLY")
        #expect(task.createdAt == (try Instant("2026-02-10T00:00:00Z")))
        #expect(task.scheduledDate == (try Day("2026-02-09")))
        #expect(task.dueDay == (try Day("2026-02-12")))
        #expect(task.archivedAt == (try Instant("2026-02-14T00:00:00Z")))
        #expect(task.completedAt == (try Instant("2026-02-11T00:00:00Z")))
        #expect(task.notes == "with\n\n  notes")
        #expect(task.isUndated)
        #expect(task.kept(of: .markdown) == nil)
        #expect(try exported([task]) == line + "\n    with\n\n      notes\n")
    }

    @Test(
        "Bullets of every kind have check boxes",
        arguments: ["-", "*", "+", "1.", "12)", ">  -", "> > *", "\t -", "        -"])
    func bulletsOfEveryKindHaveBoxes(_ bullet: String) throws {
        let states: [(String, TaskState, Bool)] = [
            (" ", .notStarted, false), ("x", .completed, false), ("X", .completed, false), ("/", .active, false),
            ("-", .notStarted, true), ("?", .notStarted, false), ("é", .notStarted, false), ("🎉", .notStarted, false),
        ]
        for (box, state, isArchived) in states {
            let line = "\(bullet) [\(box)] Call home ➕ 2026-02-10 🆔 \(Self.uuid)"
            let task = try #require(try read(line).first)
            #expect(task.text == "Call home")
            #expect(task.state == state)
            #expect((task.archivedAt != nil) == isArchived)
            #expect(try exported([task]) == line + "\n")
        }
    }

    @Test(
        "Other content is not imported",
        arguments: [
            "[ ] x", "-[ ] x", "- [] x", "- [ ]x", "- [x](http://a.example)", "- [xx] x", "- \\[ ] x",
            "1234567890. [ ] x",
            "- [ ]",
            "- [ ]  \t", "text - [ ] x", "# [ ] x", "- x", "", "```\n- [ ] x\n```", "~~~ a\n- [ ] x\n```\n- [ ] x",
            "> ```\n> - [ ] x", "````\n```\n- [ ] x\n`````", "  ```\n- [ ] x", "- [ ]\n    - x",
        ])
    func whatIsNoTaskIsNotImported(_ file: String) throws {
        #expect(try read(file) == [])
        #expect(try read(file + "\n").count == 0)
    }

    @Test("Tasks after a code block are read")
    func tasksComeBackAfterCode() throws {
        let file = "```swift\n- [ ] no\n```\n- [ ] a\n> ```\n> - [ ] no\n- [ ] b\n``` not ` code\n- [ ] c\n"
        #expect(try read(file).map(\.text) == ["a", "b", "c"])
    }

    @Test("Indented content is notes until the next check box")
    func whatStandsDeeperIsNotesUntilTheNextBox() throws {
        let file = """
            - [ ] a
                one
                  - two

                ```
                - [ ] code
                ```
              - [ ] b
              not deeper
                lost
            > - [ ] c
            >   quoted
            >
            >   > twice

            - [ ] d

            text
            """
        let tasks = try read(file)
        #expect(tasks.map(\.text) == ["a", "b", "c", "d"])
        #expect(tasks[0].notes == "one\n  - two\n\n```\n- [ ] code\n```")
        #expect(tasks[1].notes == nil)
        #expect(tasks[2].notes == "quoted\n\n> twice")
        #expect(tasks[3].notes == nil)
        let export = try exported(tasks)
        #expect(try read(export).map(\.notes) == tasks.map(\.notes))
        #expect(
            export.hasPrefix("- [ ] a 🆔 \(tasks[0].id.lowercased)\n    one\n      - two\n\n    ```\n    - [ ] code\n"))
    }

    @Test(
        "A recurrence that Obsidian Tasks can say is read as a rule and written back; any other pattern is kept [issue 16, item 10]",
        arguments: [
            ("every day", "FREQ=DAILY"), ("every week", "FREQ=WEEKLY"), ("every 2 weeks", "FREQ=WEEKLY;INTERVAL=2"),
            ("every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), ("every 3 months", "FREQ=MONTHLY;INTERVAL=3"),
            ("every year", "FREQ=YEARLY"), ("every week on Monday, Thursday", "FREQ=WEEKLY;BYDAY=MO,TH"),
            ("every day when done", "FREQ=DAILY;X-DAYBOOK-AFTER=COMPLETION"), ("every 1 day", "FREQ=DAILY"),
            ("every 0 days", "every 0 days"), ("every month on the 31st", "FREQ=MONTHLY;BYMONTHDAY=31"),
            ("every", "every"),
            ("every week on", "every week on"), ("every 2 weekdays", "every 2 weekdays"),
            ("every month on Monday", "FREQ=MONTHLY;BYDAY=MO"),
            ("every week on Thursday, Monday", "FREQ=WEEKLY;BYDAY=MO,TH"), ("every Tuesday", "FREQ=WEEKLY;BYDAY=TU"),
            ("every month on the 2nd last Friday", "FREQ=MONTHLY;BYDAY=-2FR"),
            ("every month on the 1st and last", "FREQ=MONTHLY;BYMONTHDAY=-1,1"),
            ("every April and December on the 24th", "FREQ=YEARLY;BYMONTH=4,12;BYMONTHDAY=24"),
            ("every week until January 1, 2027", "FREQ=WEEKLY;UNTIL=20270101"),
            ("every week for 1 time", "FREQ=WEEKLY;COUNT=1"), ("every week for x times", "every week for x times"),
            ("every month on the 32nd", "every month on the 32nd"), ("every moon", "every moon"),
        ])
    func recurrence(_ rule: String, _ pattern: String) throws {
        let line = "- [ ] Call 🆔 \(Self.uuid) 🔁 \(rule) ➕ 2026-02-10"
        let task = try #require(try read(line).first)
        #expect(task.recurringPattern == pattern)
        #expect(try exported([task]) == line + "\n")
    }

    @Test("Date symbols are recognized anywhere and in all variants")
    func signsStandAnywhereAndComeInVariants() throws {
        let file = "- [ ] Call 📅\u{FE0F}2026-02-12 home ⏫ #tag 🔁 every day #b ⌛ 2026-02-09 📆 2026-02-13 ^link-1"
        let task = try #require(try read(file).first)
        #expect(task.text == "Call 📅\u{FE0F}2026-02-12 home #tag #b")
        #expect(task.dueDay == (try Day("2026-02-13")))
        #expect(task.scheduledDate == (try Day("2026-02-09")))
        #expect(task.recurringPattern == "FREQ=DAILY")
        let export = try exported([task])
        #expect(export == file.replacing(" ^link-1", with: " 🆔 \(task.id.lowercased) ^link-1") + "\n")
        #expect(try read(export).first?.id == task.id)
    }

    @Test(
        "A symbol without a value is text",
        arguments: [
            "📅 2026-02-30", "📅 tomorrow", "📅", "📅 2026-02-111", "🔁", "🔁 loop", "⛔", "[category:: ]", "[category:: a",
            "&#128197;x", "a ✅ b", "⛔ ❌",
        ])
    func aSymbolWithoutAValueIsText(_ words: String) throws {
        let task = try #require(try read("- [ ] a \(words)").first)
        #expect(task.text == (words == "&#128197;x" ? "a 📅x" : "a \(words)"))
        #expect(task.dueDay == nil)
        #expect(try exported([task]) == "- [ ] a \(words) 🆔 \(task.id.lowercased)\n")
    }

    @Test("Ids of other programs are kept, and ours are derived")
    func idsOfOthersAreKeptAndTheOurDerived() throws {
        let file = "- [ ] a 🆔 abc123 ⛔ x1,y2 ⏫\n- [ ] a 🆔 abc123 ⛔ x1,y2 ⏫\n"
        let tasks = try read(file)
        #expect(tasks.map(\.text) == ["a", "a"])
        #expect(Set(tasks.map(\.id)).count == 2)
        #expect(try read(file).map(\.id) == tasks.map(\.id))
        let export = try exported(tasks)
        #expect(export.hasPrefix("- [ ] a 🆔 abc123 ⛔ x1,y2 ⏫ 🆔 \(tasks[0].id.lowercased)\n"))
        #expect(try read(export).map(\.id) == tasks.map(\.id))
    }

    @Test("Changes in Daybook take precedence and the rest is kept")
    func whatWasChangedInDaybookWinsAndTheRestStays() throws {
        let file = "  * [>] Call ⏫ 🛫 2026-02-01 🆔 abc ➕ 2026-02-10 ^here\n     note"
        var task = try #require(try read(file).first)
        task.text = "Call twice"
        let stem = "Call twice ⏫ 🛫 2026-02-01 🆔 abc 🆔 \(task.id.lowercased) ➕ 2026-02-10"
        #expect(try exported([task]) == "  * [>] \(stem) ^here\n      note\n")
        task.state = .completed
        task.completedAt = try Instant("2026-02-13T08:00:00Z")
        task.notes = "other\n\n- [ ] no task"
        #expect(
            try exported([task]) == "  * [x] \(stem) ✅ 2026-02-13 ^here\n      other\n\n      - \\[ ] no task\n")
        #expect(try read(try exported([task])).map(\.notes) == ["other\n\n- [ ] no task"])
    }

    @Test(
        "Tasks survive a round trip in everything that the format can express", arguments: [1, 2, 3] as [UInt64],
        ["UTC", "Europe/Istanbul", "America/New_York"])
    func documentsComeBackInAllThatTheFormatCanSay(_ seed: UInt64, _ zone: String) throws {
        let zone = try Zone(zone)
        var random = RandomDocuments(seed: seed)
        var words = SeededWords(seed: seed)
        var tasks = random.tasks(120)
        for index in tasks.indices where !index.isMultiple(of: 3) {
            tasks[index].text = words.joined(1 + words.below(6), of: Self.words, by: [" ", "  ", "\t", "\n", ""])
            if words.chance() { tasks[index].category = words.one(of: ["home", " a [b] ", "📅 2026-01-01", "%41", ""]) }
            if words.chance() {
                tasks[index].recurringPattern = words.one(of: ["every day", "weekly", " every #1", "%", "every  "])
            }
            if words.chance() { tasks[index].notes = words.joined(1 + words.below(9), of: Self.noteWords, by: ["\n"]) }
        }
        let export = try exported(tasks, zone: zone)
        let read = try read(export, zone: zone)
        try #require(read.count == tasks.count)
        for (read, task) in zip(read, tasks) {
            let said = try asMarkdownSays(task, zone)
            #expect(read.content == said.content, "\(read.ownFields(beyond: said) ?? "")")
        }
        #expect(try exported(read, zone: zone) == export)
    }

    private static let words = [
        "milk", "#tag", "📅 2026-01-01", "📅", "⏳ 2026-02-02", "✅ 2026-02-02", "🔁 every day", "🔁", "🔁 weekly", "⏫",
        "⛔ a,b",
        "🏁 delete", "🏁", "🆔 abc", "🆔 \(uuid)", "[category:: a]", "[list:: a]", "[list::", "[category::",
        "[category:: a b", "^link", "&#128197;",
        "&amp;#128197;", "&amp;amp;#91;", "&", "&#91;", "&#1;", "[ ]", "- [x] a", "❌ 2026-01-01", "➕", "é", "e\u{301}",
        "\u{FE0F}", "2026-01-01", "#", "^", "]", "\\",
    ]

    private static let noteWords = [
        "", " ", "a", "  b", "\tc", "- [ ] d", "  * [x]", "- \\[ ] e", "1. \\\\[ ] f", "```", "~~~", "# g", "> h",
        "> - [ ] i",
        "- j", "---", "<!-- -->", "\r", "k\r",
    ]

    private func asMarkdownSays(_ task: ImportedTask, _ zone: Zone) throws -> ImportedTask {
        func day(_ instant: Instant?) -> Instant? { instant.map { zone.start(of: zone.day(of: $0)) } }
        let createdAt = day(task.createdAt) ?? task.createdAt
        var said = ImportedTask(
            id: task.id, text: task.text.onOneLine, state: task.state, createdAt: createdAt,
            updatedAt: day(task.completedAt) ?? createdAt, completedAt: day(task.completedAt),
            scheduledDate: task.scheduledDate)
        said.dueDay = task.dayOfDue(in: zone)
        said.recurringPattern = task.recurringPattern.map {
            MarkdownRecurrence.pattern(of: $0, from: said.scheduledDate ?? said.dueDay)
        }
        said.archivedAt = day(task.archivedAt)
        said.notes = task.notes.flatMap { MarkdownNotes.text(of: MarkdownNotes.lines(of: $0)) }
        said.category = task.category == "" ? nil : task.category
        said.listName = task.listName == "" ? nil : task.listName
        said.listID = said.listName.map { ContentIdentifier.id(of: "list\n\($0)") }
        (said.task.tags, said.priority, said.waitUntil) = (task.task.tags, task.priority, task.waitUntil)
        said.task.parentTaskID = task.parentTaskID
        said.isUndated = true
        try said.noteDays(of: task, in: zone)
        return said
    }

    @Test("Unchanged tasks are exported byte for byte", arguments: [11, 12, 13] as [UInt64])
    func tasksComeBackByteForByte(_ seed: UInt64) throws {
        var words = SeededWords(seed: seed)
        for _ in 0..<250 {
            var file = words.one(of: ["", "", "  ", "\t", "> ", "> >"])
            let lead = file
            file += words.one(of: ["-", "*", "7)"]) + words.one(of: [" ", "  "])
            file += "[\(words.one(of: [" ", "x", "X", "/", "-", "?"]))] "
            file += words.joined(1 + words.below(5), of: Self.words, by: [" ", "  ", "\t"])
            file += words.one(of: ["", " ", " 🆔 \(Self.uuid)", " 🆔 \(Self.uuid) ➕ 2026-01-01", " ^abc"])
            for _ in 0..<words.below(4) {
                file += "\n\(lead)\t" + words.one(of: ["a", "  b", "```", "- c", "- \\[ ] d", "> e"])
            }
            guard let task = try? read(file).first else { continue }
            let item = try #require(MarkdownItem(whole: file))
            let export = try exported([task])
            let identified = MarkdownTask(item).id == nil ? MarkdownTask.identified(item, by: task.id) : file
            #expect(export == identified + "\n")
            let again = try #require(try read(export).first)
            #expect(MarkdownTask(again, zone: .utc) == MarkdownTask(task, zone: .utc))
        }
    }

    @Test("A task never includes another one")
    func oneTaskNeverSwallowsAnother() throws {
        var words = SeededWords(seed: 21)
        for _ in 0..<100 {
            var tasks: [ImportedTask] = []
            while tasks.count < 6 {
                let file =
                    words.one(of: ["", "  ", "\t\t", "> ", "  > "])
                    + "- [ ] a\(tasks.count) 🆔 \(try id(UInt64(tasks.count)).lowercased)"
                var task = try #require(try read(file).first)
                if words.chance() { task.notes = words.joined(3, of: Self.noteWords, by: ["\n"]) }
                tasks.append(task)
            }
            let again = try read(try exported(tasks))
            #expect(again.map(\.id) == tasks.map(\.id))
            #expect(again.map { $0.notes ?? "" } == (try tasks.map { try asMarkdownSays($0, .utc).notes ?? "" }))
        }
    }

    @Test("Hostile files are read or refused")
    func hostileFilesAreReadOrAnError() throws {
        let many = String(repeating: "📅 2026-01-01 [category:: 🆔 \(Self.uuid) 🔁 &amp;", count: 20_000)
        #expect(try read("- [ ] a \(many)").count == 1)
        #expect(try read("- [ ] a " + String(repeating: "&amp;", count: 200_000)).count == 1)
        #expect(try read(String(repeating: ">", count: 100_000) + " - [ ] a\n\n").count == 1)
        #expect(try read(String(repeating: "9", count: 9_999) + ". [ ] a").isEmpty)
        #expect(try read("- [ ] a" + String(repeating: "\n", count: 300_000) + "  b").first?.notes == nil)
        let deep = (0..<1_000).map { String(repeating: " ", count: $0) + "- [ ] a" }.joined(separator: "\n")
        #expect(try read(deep).count == 1_000)
        #expect(throws: FileError.self) { try read("- [ ] a" + String(repeating: "\n  b", count: 100_001)) }
    }

    @Test("An invalid record is reported and the next one is read")
    func aBadRecordIsNamedAndTheNextOneIsRead() throws {
        let file =
            bytes("- [ ] a\n  b\n") + [0x20, 0x20, 0xFF, 0x0A] + bytes("- [ ] c\n- [ ] 📅 2026-01-01\nx\u{0}\n- [ ] d\n")
        let result = try TaskReader.read(file, format: .markdown, zone: .utc, skipInvalid: true, now: Self.now)
        #expect(result.tasks.map(\.text) == ["c", "d"])
        #expect(result.invalid.map(\.line) == [1, 5, 6])
        #expect(throws: FileError.self) { try TaskReader.read(bytes("- [ ] a"), format: .markdown, zone: .utc) }
    }

    @Test("Kept content of other programs is not mistaken for a task")
    func foreignContentIsNoTask() throws {
        for kept in ["- [ ] a\n- [ ] b", "a", "", "- [ ] a\n\n", "- [ ] Write the report\nprose", "- [ ] a\r"] {
            var document = try task()
            try document.keep(.string(kept), of: .markdown)
            #expect(try exported([document]) == "- [ ] Write the report 🆔 \(document.id.lowercased) ➕ 2026-02-10\n")
        }
    }
}
