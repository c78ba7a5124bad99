import CivilTime
import Foundation
import Tasks
import TestSupport
import Testing

@testable import ByteStreams
@testable import Exchange

/// What Documentation/MovingFrom.md says of each program, with files of the same kind that were written for these tests.
@Suite struct MovingFromTests {
    private let now = Instant(secondsSince1970: 1_770_796_800)  // 2026-02-11T08:00:00Z

    private func read(_ file: String, _ table: TableOptions? = nil, as format: ImportFormat? = nil) throws -> [String:
        ImportedTask]
    {
        let content = bytes(file)
        let found = try format ?? TaskFormat.detect(content, name: "file")
        var reader = try TaskReader(
            byteSource(of: content), format: found, table: table, zone: Zone("Europe/Berlin"), now: now)
        var tasks: [String: ImportedTask] = [:]
        while let record = try reader.next() {
            if case .task(let task) = record { tasks[task.text] = task }
        }
        return tasks
    }

    @Test("Todoist: sections, labels, priorities, indents, dates, comments [N-5]")
    func todoist() throws {
        let tasks = try read(
            """
            TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
            section,Kitchen,,,,,,,,
            task,Paint the wall @diy @loud,white,1,1,B (2),,every 3 weeks starting 20 feb,en,Europe/Berlin
            task,Buy paint,,4,2,B (2),,2026-02-14,en,Europe/Berlin
            note,Ask for *matt*,,,,B (2),,,,
            note,"[[file {""file_name"":""wall.png""}]]",,,,B (2),,,,
            task,Call,,3,1,B (2),,tomorrow at 9am,en,Europe/Berlin
            task,Rufen,,2,1,B (2),,jeden Tag,de,Europe/Berlin
            task,Sweep,,4,1,B (2),,every! day,en,Europe/Berlin
            """)
        let wall = try #require(tasks["Paint the wall"])
        #expect(wall.category == "Kitchen" && wall.task.tags == ["diy", "loud"] && wall.priority == .high)
        #expect(try wall.notes == "white" && wall.dueDay == (Day("2026-02-20")))
        #expect(wall.recurringPattern == "FREQ=WEEKLY;INTERVAL=3")
        let paint = try #require(tasks["Buy paint"])
        #expect(paint.parentTaskID == wall.id && paint.notes == "Ask for *matt*" && paint.priority == TaskPriority.none)
        #expect(paint.extra?.contains("wall.png") == true)
        #expect(try tasks["Call"]?.dueAt == (Instant("2026-02-12T08:00:00Z")))
        #expect(tasks["Rufen"]?.extra?.contains("jeden Tag") == true && tasks["Rufen"]?.task.anchor(in: .utc) == nil)
        #expect(tasks["Sweep"]?.recurringPattern?.contains("AFTER=COMPLETION") == true)
    }

    @Test("TickTick: lists, tags, days in the zone of the task, parents, states [N-5]")
    func tickTick() throws {
        let tasks = try read(
            """
            "Date: 2026-02-01+0000"
            "Version: 7.1"
            "Status:
            0 Normal"
            "Folder Name","List Name","Title","Kind","Tags","Content","Is Check list","Start Date","Due Date","Reminder","Repeat","Priority","Status","Created Time","Completed Time","Order","Timezone","Is All Day","taskId","parentId"
            "Home","Bath","Tiles","TEXT","","","N","","","","","0","0","2026-01-05T10:00:00+0000","","-1","Asia/Tokyo","","12","11"
            "Home","Bath","Renew","TEXT","diy, big","Two
            lines","N","2026-02-11T15:00:00+0000","2026-02-13T15:00:00+0000","-PT60M","RRULE:FREQ=WEEKLY","3","0","2026-01-05T10:00:00+0000","","-2","Asia/Tokyo","true","11",""
            "","Inbox","Old","TEXT","","","N","","2026-02-13T15:30:00+0000","","","5","2","2026-01-05T10:00:00+0000","2026-01-09T10:00:00+0000","-3","Asia/Tokyo","false","13",""
            "","Inbox","Never","TEXT","","","N","","","","","1","-1","2026-01-05T10:00:00+0000","","-3","Asia/Tokyo","false","14",""
            """)
        let renew = try #require(tasks["Renew"])
        #expect(renew.listName == "Bath" && renew.task.tags == ["diy", "big"] && renew.priority == .medium)
        #expect(try renew.dueDay == (Day("2026-02-14")) && renew.scheduledDate == (Day("2026-02-12")))
        #expect(try renew.reminderAt == (Instant("2026-02-11T14:00:00Z")) && renew.recurringPattern == "FREQ=WEEKLY")
        #expect(tasks["Tiles"]?.parentTaskID == renew.id && renew.extra?.contains("Folder Name") == true)
        let old = try #require(tasks["Old"])
        #expect(try old.listName == nil && old.task.isCompleted && old.completedAt == (Instant("2026-01-09T10:00:00Z")))
        #expect(try old.dueAt == (Instant("2026-02-13T15:30:00Z")) && old.priority == .high)
        #expect(tasks["Never"]?.archivedAt != nil)
    }

    @Test("Microsoft To Do: dates by their order, reminders, categories [N-5]")
    func microsoft() throws {
        let file = """
            "Subject","Start Date","Due Date","Reminder On/Off","Reminder Date","Reminder Time","Date Completed","% Complete","Status","Priority","Categories","Notes"
            "Passport","2/10/2026","3/1/2026","TRUE","2/28/2026","9:00:00 PM","","0","In Progress","High","office;home","two"
            "Old","","","","","","1/9/2026","100","Completed","Normal","",""
            """
        let passport = try #require(try read(file)["Passport"])
        #expect(try passport.scheduledDate == (Day("2026-02-10")) && passport.dueDay == (Day("2026-03-01")))
        #expect(try passport.reminderAt == (Instant("2026-02-28T20:00:00Z")) && passport.state == .active)
        #expect(passport.task.tags == ["office", "home"] && passport.priority == .high && passport.notes == "two")
        #expect(try read(file)["Old"]?.completedAt == (try Instant("2026-01-08T23:00:00Z")))
        #expect(throws: FileError.self) { try read(file.replacing("2/28/2026", with: "28.2.2026")) }
        let german = file.replacing("2/10/2026", with: "10.2.2026").replacing("3/1/2026", with: "1.3.2026")
            .replacing("2/28/2026", with: "28.2.2026").replacing("1/9/2026", with: "9.1.2026")
        #expect(try read(german, TableOptions(dates: "d.m.y"))["Passport"]?.dueDay == (try Day("2026-03-01")))
    }

    @Test("Google Tasks: lists, days, parents, deleted ones [N-5]")
    func google() throws {
        let tasks = try read(
            #"""
            {"kind":"tasks#taskLists","items":[{"id":"L","title":"Mine","items":[
            {"id":"T1","title":"Passport","notes":"two","status":"needsAction","due":"2026-03-01T00:00:00Z",
             "created":"2026-01-01T10:00:00Z","updated":"2026-01-02T10:00:00Z","webViewLink":"w"},
            {"id":"T2","title":"Photos","parent":"T1","status":"completed","completed":"2026-01-05T10:00:00Z"},
            {"id":"T3","title":"Gone","deleted":true,"status":"needsAction"}]}]}
            """#)
        let passport = try #require(tasks["Passport"])
        #expect(try passport.listName == "Mine" && passport.dueDay == (Day("2026-03-01")) && passport.notes == "two")
        #expect(passport.extra?.contains("webViewLink") == true)
        #expect(tasks["Photos"]?.parentTaskID == passport.id && tasks["Photos"]?.task.isCompleted == true)
        #expect(tasks["Gone"] == nil)
    }

    @Test("Things: projects, headings, check lists, when, deadlines [N-5]")
    func things() throws {
        let tasks = try read(
            #"""
            [{"type":"project","attributes":{"title":"Trip","notes":"by train","items":[
              {"type":"heading","attributes":{"title":"Before"}},
              {"type":"to-do","attributes":{"title":"Pack","when":"evening","deadline":"2026-03-01","tags":["travel"],
                "checklist-items":[{"type":"checklist-item","attributes":{"title":"socks","completed":true}}]}}]}},
             {"type":"to-do","attributes":{"title":"Someday","when":"someday","canceled":true}}]
            """#)
        let pack = try #require(tasks["Pack"])
        #expect(pack.listName == "Trip" && pack.category == "Before" && pack.task.tags == ["travel"])
        #expect(try pack.scheduledDate == (Day("2026-02-11")) && pack.region == .evening)
        #expect(try pack.dueDay == (Day("2026-03-01")))
        #expect(tasks["socks"]?.parentTaskID == pack.id && tasks["socks"]?.task.isCompleted == true)
        #expect(tasks["Trip"]?.notes == "by train")
        #expect(tasks["Someday"]?.archivedAt != nil && tasks["Someday"]?.extra?.contains("someday") == true)
    }

    @Test("Org: keywords, priorities, tags, timestamps with repeaters, properties, boxes [N-5]")
    func org() throws {
        let tasks = try read(
            """
            #+TITLE: Home
            #+TODO: TODO DOING | DONE DROPPED
            #+FILETAGS: :home:
            * Office
            ** TODO [#A] Passport :office:
               DEADLINE: <2026-03-01 Sun -7d> SCHEDULED: <2026-02-12 Thu 10:00>
               :PROPERTIES:
               :ID: 3a1c0d52-0d3f-4d8b-9c7a-1f4f1f7f1d01
               :Effort: 1:00
               :END:
               Two photos.
            ** DOING [#D] Rent
               DEADLINE: <2026-02-28 Sat .+1m>
            *** TODO Transfer
            * DONE Book
              CLOSED: [2026-02-01 Sun 10:11]
            * TODO Pack [1/3]
              - [X] socks
              - [-] tools
                - [ ] saw
            """)
        let passport = try #require(tasks["Passport"])
        #expect(passport.id.lowercased == "3a1c0d52-0d3f-4d8b-9c7a-1f4f1f7f1d01" && passport.category == "Office")
        #expect(
            passport.priority == .high && passport.task.tags == ["home", "office"] && passport.notes == "Two photos.")
        #expect(try passport.dueDay == (Day("2026-03-01")) && passport.scheduledDate == (Day("2026-02-12")))
        #expect(try passport.reminderAt == (Instant("2026-02-12T09:00:00Z")))
        #expect(passport.extra?.contains("-7d") == true && passport.extra?.contains("Effort") == true)
        let rent = try #require(tasks["Rent"])
        #expect(rent.priority == .low && rent.extra?.contains("\"D\"") == true)
        #expect(rent.recurringPattern?.contains("AFTER=COMPLETION") == true)
        #expect(tasks["Transfer"]?.parentTaskID == rent.id)
        #expect(try tasks["Book"]?.completedAt == (Instant("2026-02-01T09:11:00Z")))
        let pack = try #require(tasks["Pack"])
        let tools = try #require(tasks["tools"])
        #expect(tools.parentTaskID == pack.id && tasks["saw"]?.parentTaskID == tools.id)
        #expect(tasks["socks"]?.task.isCompleted == true && !tools.task.isCompleted)
    }

    @Test("Any table by its columns, its dates and its separator; other columns are kept [N-5]")
    func table() throws {
        let file = """
            Title;Deadline;Labels;Done;Weight;Effort
            Dig;14.02.2026;a, b;ja;2;5h
            Sow;1.3.26 9:05;;;;
            ;;;;;
            """
        let options = try TableOptions(
            columns: "text=Title,due=deadline,tags=Labels,done=Done,priority=Weight", dates: "dd.mm.yyyy",
            delimiter: ";")
        let tasks = try read(file, options, as: .csv)
        let dig = try #require(tasks["Dig"])
        #expect(try dig.dueDay == (Day("2026-02-14")) && dig.task.tags == ["a", "b"] && dig.task.isCompleted)
        #expect(dig.priority == .medium && dig.extra?.contains("5h") == true && tasks.count == 2)
        #expect(try tasks["Sow"]?.dueAt == (Instant("2026-03-01T08:05:00Z")))
        let missing = #expect(throws: FileError.self) { try read(file, TableOptions(columns: "text=Name"), as: .csv) }
        #expect(missing?.description.contains("Title, Deadline, Labels, Done, Weight, Effort") == true)
        let wrong = #expect(throws: FileError.self) {
            try read(file, TableOptions(columns: "text=Title,due=Deadline", dates: "m/d/y"), as: .csv)
        }
        #expect(wrong?.description.contains("--dates") == true)
        for bad in ["text", "text=", "nothing=x", "=x"] {
            #expect(throws: TableOptionProblem.self) { try TableOptions(columns: bad) }
        }
        for bad in ["", "d.m", "d.m.y.d", "dmy", "d.m.m", "a.b.c"] {
            #expect(throws: TableOptionProblem.self) { try TableOptions(dates: bad) }
        }
        for bad in ["", "ab", "a", "\""] {
            #expect(throws: TableOptionProblem.self) { try TableOptions(delimiter: bad) }
        }
        #expect(try TableOptions(delimiter: "tab").separator == 9)
    }

    @Test(
        "The real files of other programs are read, and again with the same ids [N-5]",
        .enabled(if: SharedData.isExpected, "needs the files of $DAYBOOK_SHARED/data, or ../shared/data"),
        arguments: [
            ("08-todoist.csv", 3), ("07-ticktick.csv", 3), ("17-mstodo.csv", 1), ("17-google-tasks.json", 2),
            ("16-tasks.org", 9), ("18-obsidian-variants.md", 37), ("09-tzid-windows.ics", 2),
        ])
    func realFiles(name: String, count: Int) throws {
        let content = try SharedData.bytes("field/" + name)
        func ids() throws -> [UUID] {
            var reader = try TaskReader(
                byteSource(of: content), format: TaskFormat.detect(content, name: name), zone: Zone("Europe/Berlin"),
                now: now)
            var ids: [UUID] = []
            while case .task(let task)? = try reader.next() { ids.append(task.id) }
            return ids
        }
        #expect(try ids().count == count && Set(ids()).count == count)
        #expect(try ids() == ids())
    }

    @Test(
        "No damage of a file of another program crashes its reader",
        arguments: ImportFormat.allCases.filter { $0.written == nil })
    func damage(format: ImportFormat) throws {
        var random = RandomDocuments(seed: 7)
        let samples = [
            "TYPE,CONTENT,PRIORITY,INDENT,DATE\ntask,a,1,9,every 3 weeks starting 1 jan\nnote,\"x,,,\n",
            "List Name,Title,Status,Priority,Due Date,Reminder,taskId,parentId\nl,t,0,5,2026-02-13T15:00:00+0000,-PT1M,1,1\n",
            "Subject,Due Date,Status,Priority\na,2/30/2026,Completed,High\n",
            #"{"kind":"t","items":[{"items":[{"id":"1","title":"a","parent":"1","due":"x"}]}]}"#,
            #"[{"type":"project","attributes":{"items":[{"attributes":{"title":"a","checklist-items":[{}]}}]}}]"#,
            "* TODO a :b:\n  DEADLINE: <2026-02-31 +1x>\n- [X] c\n:PROPERTIES:\n",
        ]
        for sample in samples {
            var content = Array(sample.utf8)
            for _ in 0..<40 {
                content[random.number(below: content.count)] = UInt8(random.number(below: 256))
                var reader = try? TaskReader(
                    byteSource(of: content), format: format, zone: .utc, skipInvalid: true, now: now)
                while let record = try? reader?.next() { _ = record }
            }
        }
    }
}
