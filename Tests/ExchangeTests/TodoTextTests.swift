import CivilTime
import FoundationEssentials
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

@Suite struct TodoTextTests {
    private static let id = "9f247ada-f07f-4e73-8876-a3b0f24ebf37"
    private static let now = Instant(secondsSince1970: 1_770_800_000)

    private func read(_ file: String, zone: Zone = .utc) throws -> [ImportedTask] {
        try TaskReader.read(bytes(file), format: .todotxt, zone: zone, now: Self.now).tasks
    }

    private func exported(_ tasks: [ImportedTask], zone: Zone = .utc) throws -> String {
        text(try written(tasks, as: .todotxt, zone: zone))
    }

    @Test("The fields of a line are read")
    func aLineSaysWhatItSays() throws {
        let line = "x 2026-02-11 2026-02-10 Call +home about +garden @phone due:2026-02-12 t:2026-02-09 rec:+1w pri:B"
        let task = try #require(try read(line).first)
        #expect(task.state == .completed)
        #expect(task.completedAt == (try Instant("2026-02-11T00:00:00Z")))
        #expect(task.createdAt == (try Instant("2026-02-10T00:00:00Z")))
        #expect(task.text == "Call +home about +garden @phone")
        #expect(task.category == "home")
        #expect(task.dueDay == (try Day("2026-02-12")))
        #expect(task.scheduledDate == (try Day("2026-02-09")))
        #expect(task.recurringPattern == "FREQ=WEEKLY")
        #expect(task.isUndated)
        #expect(try exported([task]) == "\(line) id:\(task.id.lowercased)\n")
    }

    @Test(
        "A recurrence that todo.txt can say is read as a rule and written back; any other pattern is kept",
        arguments: [
            ("+1w", "FREQ=WEEKLY"), ("1w", "FREQ=WEEKLY;X-DAYBOOK-AFTER=COMPLETION"), ("+3d", "FREQ=DAILY;INTERVAL=3"),
            ("+1b", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), ("2m", "FREQ=MONTHLY;INTERVAL=2;X-DAYBOOK-AFTER=COMPLETION"),
            ("+1y", "FREQ=YEARLY"), ("2b", "2b"), ("+0d", "+0d"), ("+01d", "FREQ=DAILY"), ("w", "w"), ("+1x", "+1x"),
            ("FREQ=MONTHLY;BYMONTHDAY=1", "FREQ=MONTHLY;BYMONTHDAY=1"), ("FREQ=DAILY;COUNT=2", "FREQ=DAILY;COUNT=2"),
        ])
    func recurrence(_ value: String, _ pattern: String) throws {
        let line = "2026-02-10 Call rec:\(value) id:\(Self.id)"
        let task = try #require(try read(line).first)
        #expect(task.recurringPattern == pattern)
        #expect(try exported([task]) == line + "\n")
    }

    /// A regression found by `Scripts/fuzz`: the reader removed the mark as if it were the file's.
    @Test("A text that begins like a byte order mark survives", arguments: ["\u{FEFF}", "\u{FEFF}milk"])
    func aTextThatBeginsLikeAByteOrderMarkSurvives(_ text: String) throws {
        var first = try task(text)
        first.id = try #require(UUID(uuidString: Self.id))
        let file = try exported([first, try task(text)])
        #expect(try read(file).map(\.text) == [text, text])
        let kept = try read("\u{FEFF}\(text) due:soon\n")
        #expect(try read(try exported(kept)).map(\.text) == ["\(text) due:soon"])
    }

    @Test("Days are days of the zone")
    func daysAreDaysOfTheZone() throws {
        let zone = try Zone("Europe/Istanbul")
        let task = try #require(try read("2026-02-10 x due:2026-02-12", zone: zone).first)
        #expect(task.createdAt == (try Instant("2026-02-09T21:00:00Z")))
        #expect(task.dueDay == (try Day("2026-02-12")))
        #expect(try exported([task], zone: zone) == "2026-02-10 x due:2026-02-12 id:\(task.id.lowercased)\n")
    }

    @Test(
        "A word that only resembles a key is text",
        arguments: [
            "x", "(A)", "(a) x", "(A)x", "xylophone", "X 2026-01-01 x", "2026-02-30 x", "due:2026-02-30 x",
            "due:soon x",
            "due: tomorrow", "id:42 x", "pri:A x", "t: x", "rec: x", "state:done x", "note:%4 x", "note:%00 x",
            "http://a.example/b:c", "+", "@", "::: x", "Due:2026-01-01 x",
        ])
    func whatOnlyLooksLikeAKeyIsText(_ line: String) throws {
        let task = try #require(try read(line).first)
        #expect(task.text == line)
        #expect(task.state == .notStarted)
        #expect(task.createdAt == Self.now)
        #expect(task.dueDay == nil)
    }

    @Test(
        "A completed task has its priority before, between or without days",
        arguments: [
            ("x (A) 2021-03-14 2021-03-07 Ring the bank @desk", "A", "2021-03-14", "2021-03-07"),
            ("x (B) 2021-03-15 Ring the bank @desk", "B", "2021-03-15", nil),
            ("x 2022-08-11 (A) 2022-08-02 Ring the bank @desk", "A", "2022-08-11", "2022-08-02"),
            ("x 2022-08-11 (Z) Ring the bank @desk", "Z", "2022-08-11", nil),
            ("x (C) Ring the bank @desk", "C", nil, nil),
            ("x 2022-08-11 2022-08-02 Ring the bank @desk", nil, "2022-08-11", "2022-08-02"),
        ] as [(String, String?, String?, String?)])
    func officialOrder(_ line: String, _ priority: String?, _ done: String?, _ created: String?) throws {
        let task = try #require(try read(line).first)
        #expect(task.text == "Ring the bank @desk")
        #expect(task.state == .completed)
        #expect(task.completedAt == (try done.map { try Instant("\($0)T00:00:00Z") } ?? Self.now))
        #expect(task.createdAt == (try (created ?? done).map { try Instant("\($0)T00:00:00Z") } ?? Self.now))
        #expect(TodoTextLine(line).priority == priority)
        #expect(try exported([task]) == "\(line) id:\(task.id.lowercased)\n")
        var changed = task
        changed.text = "Ring twice"
        let pri = priority.map { " pri:\($0)" } ?? ""
        #expect(try exported([changed]).hasSuffix(" Ring twice\(pri) tags:desk id:\(task.id.lowercased)\n"))
    }

    @Test("A text that begins like a priority stays a text", arguments: [TaskState.notStarted, .active, .completed])
    func priorityInText(_ state: TaskState) throws {
        var task = try task("(A) is a grade")
        task.state = state
        if state == .completed { task.completedAt = task.createdAt }
        #expect(try read(try exported([task])).map(\.text) == ["(A) is a grade"])
    }

    @Test("Blank lines are skipped and counted")
    func blankLinesAreNothingAndTheirNumbersCount() throws {
        #expect(try read("\n \t\na\r\n\r\nb").map(\.text) == ["a", "b"])
        #expect(throws: FileError.invalidRecord(line: 3, reason: "the text is missing or blank")) {
            try read("a\n\nx 2026-01-01 due:2026-01-02\nb")
        }
        let rest = try TaskReader.read(
            bytes("a\nx 2026-01-01\nb\u{0}\nc"), format: .todotxt, zone: .utc, skipInvalid: true, now: Self.now)
        #expect(rest.tasks.map(\.text) == ["a", "c"])
        #expect(rest.invalid.map(\.line) == [2, 3])
    }

    @Test("Equal lines are different tasks, with the same ids in every import")
    func equalLinesAreTwoTasksAndTheSameTwoTheNextTime() throws {
        let ids = try read("a\na\nb").map(\.id)
        #expect(Set(ids).count == 3)
        #expect(try read("a\na\nb").map(\.id) == ids)
        #expect(try read(try exported(try read("a\na\nb"))).map(\.id) == ids)
    }

    @Test("Changes in Daybook take precedence and the priority is kept")
    func whatWasChangedInDaybookWinsAndThePriorityStays() throws {
        var task = try #require(try read("(C) Call  +home  id:\(Self.id) due:2026-02-12").first)
        #expect(try exported([task]) == "(C) Call  +home  id:\(Self.id) due:2026-02-12\n")
        task.text = "Call twice +home"
        #expect(try exported([task]) == "(C) 2026-02-11 Call twice +home due:2026-02-12 id:\(Self.id)\n")
        task.state = .completed
        task.completedAt = try Instant("2026-02-13T08:00:00Z")
        let done = "x 2026-02-13 2026-02-11 Call twice +home due:2026-02-12 pri:C id:\(Self.id)\n"
        #expect(try exported([task]) == done)
        var again = try #require(try read(done).first)
        again.state = .notStarted
        again.completedAt = nil
        #expect(try exported([again]) == "(C) 2026-02-11 Call twice +home due:2026-02-12 id:\(Self.id)\n")
    }

    @Test("A task that is completed again has its new day")
    func aTaskCompletedAgainOnAnotherDaySaysSo() throws {
        var task = try #require(try read("x Call").first)
        #expect(try exported([task]).hasPrefix("x Call id:"))
        task.completedAt = try Instant("2026-03-01T08:00:00Z")
        #expect(try exported([task]).hasPrefix("x 2026-03-01 2026-02-11 Call id:"))
    }

    @Test("The category is written as a project if possible")
    func theCategoryIsAProjectWhereItCanBe() throws {
        func line(_ text: String, _ category: String?) throws -> String {
            var document = try task(text)
            document.category = category
            let line = try exported([document])
            let again = try #require(try read(line).first)
            #expect(again.text == text)
            #expect(again.category == category)
            return String(line.dropFirst("2026-02-10 ".count)).replacing(document.id.lowercased, with: "…")
        }
        #expect(try line("Rake", "garden") == "Rake id:… +garden\n")
        #expect(try line("Rake", "front garden") == "Rake category:front%20garden id:…\n")
        #expect(try line("Rake +garden", "garden") == "Rake +garden id:…\n")
        #expect(try line("Rake +garden", "home") == "Rake +garden category:home id:…\n")
        #expect(try line("Rake +garden", nil) == "Rake +garden id:… category:\n")
        #expect(try line("Rake category:a", "b") == "Rake category:a category:b id:…\n")
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
            tasks[index].text = words.joined(1 + words.below(6), of: Self.words, by: [" ", "  ", "\t", "\n"])
            if words.chance() { tasks[index].category = words.one(of: ["home", "a b", "category:x", "%41", ""]) }
        }
        let export = try exported(tasks, zone: zone)
        let read = try read(export, zone: zone)
        try #require(read.count == tasks.count)
        for (read, task) in zip(read, tasks) { #expect(read.content == (try asTodoTextSays(task, zone).content)) }
        #expect(try exported(read, zone: zone) == export)
    }

    private static let words = [
        "milk", "+home", "+a:b", "@shop", "due:2026-01-01", "due:", "due:x", "t:2026-02-02", "rec:1w", "pri:A",
        "state:active", "state:", "category:x", "category:", "list:x", "list:", "note:a%20b", "note:",
        "archived:2026-01-01", "x", "(A)",
        "2026-01-01", "id:\(id)", "id:7", "é", "e\u{301}", "🎉", "+", "http://x.example",
    ]

    private func asTodoTextSays(_ task: ImportedTask, _ zone: Zone) throws -> ImportedTask {
        func day(_ instant: Instant?) -> Instant? { instant.map { zone.start(of: zone.day(of: $0)) } }
        let createdAt = day(task.createdAt) ?? task.createdAt
        var said = ImportedTask(
            id: task.id, text: task.text.onOneLine, state: task.state, createdAt: createdAt,
            updatedAt: day(task.completedAt) ?? createdAt, completedAt: day(task.completedAt),
            scheduledDate: task.scheduledDate)
        said.dueDay = task.dayOfDue(in: zone)
        said.recurringPattern = task.recurringPattern
        said.archivedAt = day(task.archivedAt)
        said.notes = task.notes
        said.category = task.category == "" ? nil : task.category
        said.listName = task.listName == "" ? nil : task.listName
        said.listID = said.listName.map { ContentIdentifier.id(of: "list\n\($0)") }
        (said.task.tags, said.priority, said.waitUntil) = (task.task.tags, task.priority, task.waitUntil)
        said.task.parentTaskID = task.parentTaskID
        said.isUndated = true
        try said.noteDays(of: task, in: zone)
        return said
    }

    @Test("Unchanged lines are exported byte for byte", arguments: [11, 12, 13] as [UInt64])
    func linesComeBackByteForByte(_ seed: UInt64) throws {
        var words = SeededWords(seed: seed)
        for _ in 0..<300 {
            var line = words.one(of: [
                "", "(A) ", "x ", "x 2026-01-02 ", "x 2026-01-02 2026-01-01 ", "2026-01-01 ", " ",
            ])
            line += words.joined(1 + words.below(6), of: Self.words + ["due:2026-02-30", "+b"], by: [" ", "  ", "\t"])
            line += words.one(of: ["", " ", " id:\(Self.id)", " id:\(Self.id) +z", " id:\(Self.id) due: category:"])
            guard let task = try? read(line).first else { continue }
            let export = try exported([task])
            let identified = line.contains("id:\(Self.id)") ? line : "\(line) id:\(task.id.lowercased)"
            // A text that is only "x" or "(A)" is a mark once an id follows it.
            let isMark = TodoTextLine(identified).text != task.text
            #expect(export == (isMark ? TodoTextLine(task, zone: .utc).line : identified) + "\n")
            let again = try #require(try read(export).first)
            #expect(TodoTextLine(again, zone: .utc) == TodoTextLine(task, zone: .utc))
        }
    }

    @Test("Hostile lines are text or refused")
    func hostileLinesAreTextOrAnError() throws {
        let many = String(repeating: "due:2026-01-01 +a id:\(Self.id) ", count: 20_000)
        #expect(try read(many + "end").count == 1)
        #expect(try read(String(repeating: "9", count: 9_999) + "-01-01 x").count == 1)
        #expect(try read(String(repeating: "x ", count: 500_000)).count == 1)
        #expect(throws: FileError.self) {
            try TaskReader.read([0x61, 0xFF, 0x0A], format: .todotxt, zone: .utc, now: Self.now)
        }
        #expect(throws: FileError.self) {
            try TaskReader.read(bytes("without a day"), format: .todotxt, zone: .utc)
        }
    }

    @Test("Kept content of other programs is not mistaken for a line")
    func foreignContentIsNoLine() throws {
        for kept in [JSONValue.string("a\nb"), .string(""), .array([]), .null, .string("x 2026-01-01")] {
            var document = try task()
            try document.keep(kept, of: .todotxt)
            #expect(try exported([document]) == "2026-02-10 Write the report id:\(document.id.lowercased)\n")
        }
    }
}
