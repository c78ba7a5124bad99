import Foundation
import TestSupport
import Testing

/// The section "People" of the contract.
@Suite struct PeopleTests {
    @Test("today and upcoming show what is due and not planned for the day [N-1]")
    func due() throws {
        let program = try TestProgram()
        for (text, day) in [("late", "2026-02-01"), ("today", "2026-02-10"), ("soon", "2026-02-12")] {
            _ = try program.add(text, "--due", day)
        }
        let due = try #require(try program.run("today", "--json").json()["due"] as? [[String: Any]])
        #expect(due.compactMap { $0["text"] as? String } == ["late", "today"])
        let days = try #require(try program.run("upcoming", "--json").json()["days"] as? [[String: Any]])
        #expect(days.compactMap { $0["date"] as? String } == ["2026-02-12"])
        #expect((days[0]["due"] as? [[String: Any]])?.compactMap { $0["text"] as? String } == ["soon"])
        let lines = try program.run("today").output.split(separator: "\n")
        #expect(lines.contains("Due") && lines.last?.hasSuffix("today  due 2026-02-10") == true)
    }

    @Test("Subtasks: add and move under a task, shown with their number, deleted and completed with it [N-2]")
    func subtasks() throws {
        let program = try TestProgram()
        let whole = try program.add("whole", "--on", "today")
        let part = try program.add("part", "--under", whole)
        let other = try program.add("other")
        let moved = try program.run("move", other, "--under", whole, "--json").json()
        #expect(moved["parentTask"] as? String == whole)
        let shown = try program.run("show", whole, "--json").json()
        #expect(shown["subtasks"] as? [String] == [part, other] && shown["subtasksDone"] as? Int == 0)
        _ = try program.run("done", part)
        #expect(try program.run("today").output.contains("whole  1 of 2"))
        #expect(try program.run("today").output.contains("[x]    part"))
        #expect(try program.run("show", whole).output.contains("[x]  part\n"))
        #expect(try program.run("move", whole, "--under", part).isRefusal(5))
        #expect(try program.run("move", other, "--top", "--json").json()["parentTask"] == nil)
        #expect(try program.run("move", other, "--top", "--unlisted").isRefusal(2))
        _ = try program.run("delete", whole)
        #expect(try program.run("show", part).isRefusal(4))
        _ = try program.run("undo")
        #expect(try program.run("show", part).code == 0)
    }

    @Test("reorder --in task moves a subtask among those of its task, and only there [N-2]")
    func subtaskOrder() throws {
        let program = try TestProgram()
        let whole = try program.add("whole")
        let parts = try ["a", "b", "c"].map { try program.add($0, "--under", whole) }
        _ = try program.run("reorder", parts[2], "--in", "task", "--first")
        _ = try program.run("reorder", parts[0], "--in", "task", "--after", parts[1])
        let order = [parts[2], parts[1], parts[0]]
        #expect(try program.run("show", whole, "--json").json()["subtasks"] as? [String] == order)
        let lines = try program.run("inbox").output.split(separator: "\n").map { $0.suffix(1) }
        #expect(lines.suffix(3) == ["c", "b", "a"])
        #expect(try program.run("reorder", whole, "--in", "task", "--first").isRefusal(5))
        _ = try program.run("undo")
        #expect(try program.run("show", whole, "--json").json()["subtasks"] as? [String] == [parts[2]] + parts[..<2])
    }

    @Test(
        "Markdown has subtasks below their task, indented, in the order made by hand; an import reads them again [N-2]")
    func subtasksInMarkdown() throws {
        let program = try TestProgram()
        let whole = try program.add("whole", "--on", "today")
        let part = try program.add("part", "--under", whole, "--note", "two\nlines")
        let deeper = try program.add("deeper", "--under", part)
        let last = try program.add("last", "--under", whole)
        _ = try program.run("done", part)
        _ = try program.run("reopen", deeper)
        _ = try program.run("reorder", last, "--in", "task", "--first")
        let file = program.folder + "/tasks.md"
        _ = try program.run("export", "--format", "markdown", "-o", file)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
            $0.prefix { $0 != "[" } + $0.drop { $0 != "]" }.dropFirst(2).prefix { $0.isLetter }
        }
        #expect(lines == ["- whole", "  - last", "  - part", "      two", "      lines", "    - deeper"])
        let other = try TestProgram()
        #expect(try other.run("import", file, "--json").json()["imported"] as? Int == 4)
        #expect(try other.run("show", whole, "--json").json()["subtasks"] as? [String] == [last, part])
        #expect(try other.run("show", part, "--json").json()["subtasks"] as? [String] == [deeper])
        // An indented line is as Daybook writes it, and need not be kept.
        let extra = try other.run("show", deeper, "--json").json()["extra"] as? [String: Any]
        #expect(extra?["markdown"] == nil)
        #expect(try other.run("export", "--format", "markdown").output == String(contentsOfFile: file, encoding: .utf8))
    }

    @Test(
        "find without words shows the tasks that its options select; with --archived alone the archived ones [N-3, P-OP9]"
    )
    func findWithoutWords() throws {
        var program = try TestProgram()
        let both = try program.add("both", "--tag", "home", "--tag", "diy", "--priority", "high")
        _ = try program.add("one", "--tag", "home")
        let old = try program.add("old", "--tag", "home")
        _ = try program.run("expires", old, "2026-02-10T10:00:00Z")
        program.now = "2026-02-10T12:00:00Z"
        _ = try program.run("expire")
        #expect(try program.texts("find", "--tag", "HOME").sorted() == ["both", "one"])
        #expect(try program.texts("find", "--tag", "home", "--tag", "diy") == ["both"])
        #expect(try program.texts("find", "--priority", "high") == ["both"])
        #expect(try program.texts("find", "--archived") == ["old"])
        #expect(try program.texts("find", "--tag", "home", "--archived").sorted() == ["both", "old", "one"])
        let page = try program.run("find", "--tag", "home", "--limit", "1", "--json").json()
        #expect(page["next"] is String)
        #expect(try program.run("find").isRefusal(2) && program.run("find", "--open").isRefusal(2))
        #expect(!both.isEmpty && !old.isEmpty)
    }

    @Test("due and remind say the day and the time that words mean [N-5]")
    func understood() throws {
        let program = try TestProgram()
        let id = try program.add("pay")
        #expect(try program.run("due", id, "15th").output.hasSuffix(" due 2026-02-15\n"))
        #expect(try program.run("remind", id, "tomorrow", "noon").output.hasSuffix(" to 2026-02-11 12:00\n"))
    }

    @Test("The plan shows when a task is due, and a removed priority is said so [N-1, N-3]")
    func planShowsDue() throws {
        let program = try TestProgram()
        let id = try program.add("pay", "--on", "today", "--due", "2026-02-12", "--priority", "high")
        #expect(try program.run("plan").output.contains("pay  due 2026-02-12\n"))
        #expect(try program.run("priority", id, "none").output.hasPrefix("Removed the priority of "))
    }

    @Test("Tags and priorities: set, shown, counted, filtered, sorted [N-3]")
    func tags() throws {
        let program = try TestProgram()
        _ = try program.run("list", "add", "L")
        let a = try program.add("a", "--tag", "home", "--tag", "diy", "--priority", "low", "--list", "L")
        let b = try program.add("b", "--list", "L")
        let both = try program.run("tag", a, b, "Home", "x", "--json").json()
        #expect(
            (both["tasks"] as? [[String: Any]])?.compactMap { $0["tags"] as? [String] } == [
                ["home", "diy", "x"], ["Home", "x"],
            ])
        #expect(try program.run("untag", b, "x", "--json").json()["tags"] as? [String] == ["Home"])
        #expect(try program.run("priority", b, "high", "--json").json()["priority"] as? String == "high")
        let tags = try #require(try program.run("tags", "--json").json()["tags"] as? [[String: Any]])
        #expect(tags.compactMap { ($0["name"] as? String)?.lowercased() } == ["diy", "home", "x"])
        #expect(tags.compactMap { $0["open"] as? Int } == [1, 2, 1])
        #expect(try program.texts("inbox", "--tag", "HOME", "--tag", "diy") == ["a"])
        #expect(try program.texts("inbox", "--priority", "high") == ["b"])
        #expect(try program.texts("list", "show", "L", "--sort", "priority") == ["b", "a"])
        #expect(try program.texts("list", "show", "L") == ["a", "b"])
        #expect(try program.texts("find", "a", "--tag", "diy") == ["a"])
        #expect(try program.run("priority", a, "urgent").isRefusal(2))
        #expect(try program.run("tag", a).isRefusal(2))
        #expect(try program.run("edit", a, "--tag", "only", "--json").json()["tags"] as? [String] == ["only"])
        #expect(try program.run("priority", b, "none", "--json").json()["priority"] == nil)
    }

    @Test("wait hides a task until a day; a number after --wait is still the limit of a wait [N-4]")
    func wait() throws {
        var program = try TestProgram()
        let id = try program.add("later", "--wait", "2026-02-20", "--wait", "5")
        let other = try program.add("other", "--wait", "5")
        #expect(try program.texts("inbox") == ["other"])
        #expect(
            try program.run("wait", other, "in", "2", "days", "--json").json()["waitUntil"] as? String == "2026-02-12")
        #expect(try program.texts("waiting") == ["other", "later"])
        #expect(try program.run("wait", other, "none", "--json").json()["waitUntil"] == nil)
        #expect(
            try program.run("edit", other, "--wait", "fri", "--json").json()["waitUntil"] as? String == "2026-02-13")
        #expect(try program.run("inbox", "--wait", "fri").isRefusal(2))
        #expect(try program.run("wait", other, "2020-01-01").isRefusal(5))
        program.now = "2026-02-20T09:15:00Z"
        #expect(try program.texts("inbox").contains("later"))
        #expect(try program.run("show", id, "--json").json()["waitUntil"] as? String == "2026-02-20")
    }

    @Test("import shows the first tasks of a table, and names the columns that it has [N-5]")
    func importing() throws {
        let program = try TestProgram()
        let file = program.folder + "/plan.csv"
        try Data("Title;Deadline\nDig;14.02.2026\n".utf8).write(to: URL(fileURLWithPath: file))
        let arguments = ["import", file, "--columns", "text=Title,due=Deadline", "--dates", "d.m.y"]
        let preview = try program.run(arguments + ["--preview"])
        #expect(preview.output.contains("Dig  due 2026-02-14") && preview.code == 0)
        #expect(try program.run("inbox").output.contains("No tasks"))
        #expect(try program.run(arguments + ["--json"]).json()["imported"] as? Int == 1)
        #expect(try program.run(arguments + ["--json"]).json()["unchanged"] as? Int == 1)
        let error = try program.run("import", file, "--delimiter", ";")
        #expect(error.isRefusal(3) && error.errors.contains("Title, Deadline") && error.errors.contains("--columns"))
        #expect(try program.run("import", file, "--dates", "x").isRefusal(2))
        #expect(try program.run("import", file, "--preview").errors.contains("Title, Deadline"))
        let csv = try program.run("export", "--format", "csv", "--bom").output
        #expect(csv.hasPrefix("\u{FEFF}id,text,"))
    }

    @Test("journal write --at dates an entry [N-6]")
    func journal() throws {
        let program = try TestProgram()
        _ = try program.run("journal", "new", "Life")
        let entry = try program.run("journal", "write", "Life", "--at", "yesterday 21:00", "hello", "--json").json()
        #expect(entry["timestamp"] as? String == "2026-02-09T18:00:00Z")
        #expect(try program.run("journal", "write", "Life", "--at", "someday", "x").isRefusal(2))
    }
}
