import CivilTime
import Testing

@testable import ByteStreams
@testable import Exchange

@Suite struct CSVTests {
    private func read(_ text: String, skipInvalid: Bool = false) throws -> TaskImport {
        try TaskReader.read(
            bytes(text), format: .csv, zone: .utc, skipInvalid: skipInvalid, now: Instant(secondsSince1970: 0))
    }

    @Test("Every field survives a round trip", arguments: [1, 2, 3, 4] as [UInt64])
    func everyFieldSurvives(_ seed: UInt64) throws {
        var random = RandomDocuments(seed: seed)
        var tasks = random.tasks(200)
        for index in tasks.indices {
            let choices = ["=", "+", "-", "@", "\t", "\r", "'", "a"]
            let signs = (0...random.number(below: 3)).map { _ in random.pick(choices) }
            tasks[index].text = signs.joined() + tasks[index].text
            if index % 3 == 0 { tasks[index].notes = signs.joined() }
        }
        let export = try written(tasks, as: .csv)
        #expect(try TaskReader.read(export, format: .csv, zone: .utc).tasks.content == tasks.content)
        #expect(try written(tasks, as: .csv) == export)
    }

    @Test("Columns as the command line shows a task are fields")
    func shownColumns() throws {
        let file = """
            text,dueDate,recurrence,reminderDate
            a,2026-02-12,FREQ=WEEKLY,2026-02-11T08:00:00Z
            b,2026-02-12T10:00:00Z,,2026-02-11 09:00
            c,,,"{""day"": ""2026-02-11"", ""time"": ""09:30""}"

            """
        let tasks = try read(file).tasks
        #expect(tasks.map(\.dueDay) == [try Day("2026-02-12"), nil, nil])
        #expect(tasks.map(\.dueAt) == [nil, try Instant("2026-02-12T10:00:00Z"), nil])
        #expect(tasks.map(\.recurringPattern) == ["FREQ=WEEKLY", nil, nil])
        #expect(tasks.map(\.isRecurring) == [true, false, false])
        #expect(tasks.map(\.reminderSecondsIntoDay) == [nil, 32_400, 34_200])
        #expect(
            tasks.map(\.reminderAt)
                == [8.0, 9.0, 9.5].map { hours in
                    Instant(secondsSince1970: 1_770_768_000 + Int64(hours * 3600))
                })
        #expect(tasks.allSatisfy { $0.extra == nil })
        for cell in ["14.02.2026,,", ",every day,", ",,soon"] {
            let line = #expect(throws: FileError.self) { try read("text,dueDate,recurrence,reminderDate\na,\(cell)\n") }
            guard case .invalidRecord(2, _, _)? = line else {
                Issue.record("\(String(describing: line))")
                continue
            }
        }
    }

    @Test("The column of lists may have names, as people write them, unless another one has those [N-5]")
    func listNames() throws {
        let tasks = try read("Text,List\na,Garden\nb,\nc,00000000-0000-4000-8000-000000000001\n").tasks
        #expect(tasks.map(\.listName) == ["Garden", nil, nil])
        #expect(tasks.map { $0.task.listID == nil } == [false, true, false])
        #expect(throws: FileError.self) { try read("text,list,listName\na,Garden,Garden\n") }
    }

    @Test("A column that the file has revises the fields for which it stands")
    func shownColumnsRevise() throws {
        var stored = try task()
        (stored.dueAt, stored.dueIsAllDay) = (Instant(secondsSince1970: 1_771_000_000), false)
        (stored.isRecurring, stored.recurringPattern) = (true, "FREQ=DAILY")
        let file = "id,text,dueDate,recurrence\n\(stored.id.lowercased),Write the report,2026-02-12,\n"
        let read = try #require(try read(file).tasks.first)
        let revised = try #require(
            stored.revised(by: read, in: .csv, zone: .utc, now: Instant(secondsSince1970: 1_800_000_000)))
        #expect(revised.dueDay == (try Day("2026-02-12")))
        #expect(revised.dueAt == nil && revised.dueIsAllDay)
        #expect(!revised.isRecurring && revised.recurringPattern == nil)
    }

    @Test("A row has the documented layout")
    func aRowIsAsItIsDocumented() throws {
        var task = try task("a, \"b\"")
        task.notes = "=1+1"
        task.listOrder = -5
        task.extra = #"{"a":1}"#
        let lines = text(try written([task], as: .csv)).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("id,text,state,createdAt,updatedAt,completedAt,scheduledDate,sortOrder,note,"))
        #expect(
            lines[1].hasPrefix(#"00000000-0000-0000-0000-000000000001,"a, ""b""",notStarted,2026-02-10T09:15:00Z,"#))
        #expect(lines[1].contains(",'=1+1,"))
        #expect(lines[1].contains(",-5,"))
        #expect(lines[1].hasSuffix(#","{""a"":1}",,,,,,,,,none,,,0,,"#))
    }

    @Test(
        "The formula guard can always be removed [J-SE3]",
        arguments: ["=1", "+1", "-1", "@x", "\t1", "\rx", "'=1", "''@", "'", "'a", "a=1", ""])
    func theGuardCanAlwaysBeTakenOff(_ text: String) {
        let guarded = FormulaGuard.added(to: text)
        #expect(FormulaGuard.removed(from: guarded) == text)
        #expect(guarded.unicodeScalars.first.map { !"=+-@\t\r".unicodeScalars.contains($0) } ?? true)
    }

    @Test("A raw export has no formula guard")
    func rawIsWithoutGuard() throws {
        let output = Output()
        var writer = TaskWriter(format: .csv, exportDate: Instant(secondsSince1970: 0), isRaw: true) {
            (bytes) throws(FileError) in output.chunks.append(bytes)
        }
        try writer.append(try task("=1+1"))
        try writer.finish()
        #expect(text(Array(output.chunks.joined())).contains(",=1+1,"))
    }

    @Test("Columns may come in any order", arguments: [",", ";", "\t"])
    func columnsMayComeInAnyOrder(_ separator: String) throws {
        let header = ["Effort", "TEXT", "\"state\"", " dueIsAllDay "].joined(separator: separator)
        let row = ["high", "\"a\(separator)b\"", "active", "FALSE"].joined(separator: separator)
        for start in ["", "\u{FEFF}", "\n", "sep=\(separator)\r\n"] {
            let task = try #require(try read("\(start)\(header)\r\n\(row)").tasks.first)
            #expect(task.text == "a\(separator)b")
            #expect(task.state == .active)
            #expect(!task.dueIsAllDay)
            #expect(task.extra == #"{"csv":{"Effort":"high"}}"#)
            #expect(task.isUndated)
            let again = try TaskReader.read(try written([task], as: .csv), format: .csv, zone: .utc)
            #expect(again.tasks.first?.extra == task.extra)
        }
    }

    @Test("Columns without a name are kept")
    func columnsWithoutANameAreKeptToo() throws {
        let task = try read("text,,A,A,\nx,1,2,3,\n").tasks.first
        #expect(task?.extra == #"{"csv":{" (column 2)":"1","A":"2","A (column 4)":"3"}}"#)
        let row = #"text,A,extra"# + "\n" + #"x,new,"{""csv"":{""A"":""old"",""B"":""b""}}""#
        #expect(try read(row).tasks.first?.extra == #"{"csv":{"A":"new","B":"b"}}"#)
    }

    @Test("Rows without an id get the same id in every import")
    func rowsWithoutAnIdHaveTheSameOneNextTime() throws {
        let first = try read("text\nx\nx\ny\n").tasks.map(\.id)
        #expect(Set(first).count == 3)
        #expect(try read("text\nx\nx\ny\n").tasks.map(\.id) == first)
    }

    @Test("Quoted fields keep their line ends")
    func quotedFieldsKeepTheirLineEnds() throws {
        #expect(try read("text\n\"a\r\nb\nc\"\n").tasks.first?.text == "a\r\nb\nc")
        #expect(try read("text\n\"a\n\n\"\"b\"\"\"\n\nc\n").tasks.map(\.text) == ["a\n\n\"b\"", "c"])
    }

    @Test(
        "An invalid row is reported with its line, and the others are read",
        arguments: [
            ("x,notStarted", "fields"), ("x,notStarted,,,", "fields"), ("x,done,,", "`state`"), (",,,", "text"),
            ("x,,2026-02-30,", "`scheduledDate`"), ("x,,,maybe", "`isSticky`"), ("\"x\"y,,,", "quoted field"),
            ("\u{0},,,", "NUL"),
        ])
    func oneBadRowIsNamedAndTheOthersAreRead(_ row: String, _ word: String) throws {
        let good = "\"go\nod\",,,\n"
        let file = "text,state,scheduledDate,isSticky\n\(good)\(row)\n\(good)"
        let error = #expect(throws: FileError.self) { try read(file) }
        guard case .invalidRecord(4, let reason, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains(word), "\(reason)")
        let rest = try read(file, skipInvalid: true)
        #expect(rest.tasks.map(\.text) == ["go\nod", "go\nod"])
        #expect(rest.invalid == [InvalidRecord(line: 4, reason: reason)])
    }

    @Test(
        "An error that makes the rest unreadable is reported",
        arguments: [
            ("text\na\n\"b\nc\n", 3), ("text\na\nb,\"c\nd\n", 3), ("", 1), ("id,state\n", 1), ("text,Text\n", 1),
            ("\"text\nx\n", 1),
        ])
    func whatMakesTheRestUnreadableIsNamed(_ file: String, _ line: Int) {
        let error = #expect(throws: FileError.self) { try read(file, skipInvalid: true) }
        guard case .malformed("csv", line, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Length and number of rows are limited")
    func lengthAndNumberAreBounded() throws {
        let endless = "text\n\"" + String(repeating: "x\n", count: 100_100)
        #expect(throws: FileError.self) { try read(endless + "\"\n", skipInvalid: true) }
        let wide = "text\n" + String(repeating: ",", count: 1_000_000) + "\nx\n"
        let rest = try read(wide, skipInvalid: true)
        #expect(rest.invalid.map(\.line) == [2])
        #expect(rest.tasks.count == 1)
    }

    @Test("Invalid UTF-8 invalidates one row only")
    func invalidTextCostsOneRow() throws {
        let file = bytes("text\na\n") + [0xFF, 0x0A] + bytes("b\n")
        let rest = try TaskReader.read(
            file, format: .csv, zone: .utc, skipInvalid: true, now: Instant(secondsSince1970: 0))
        #expect(rest.tasks.map(\.text) == ["a", "b"])
        #expect(rest.invalid.map(\.line) == [3])
    }
}
