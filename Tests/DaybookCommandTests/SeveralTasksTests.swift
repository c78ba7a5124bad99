import Foundation
import TestSupport
import Testing

/// Several ids in one command, and the commands that change more than a state.
@Suite struct SeveralTasksTests {
    @Test("Several ids are one change, printed as a list and undone at once", arguments: ["start", "done", "cycle"])
    func several(command: String) throws {
        let program = try TestProgram()
        let ids = try ["a", "b", "c"].map { try program.add($0) }
        let tasks = try #require(try program.run([command] + ids + ["--json"]).json()["tasks"] as? [[String: Any]])
        #expect(tasks.compactMap { $0["id"] as? String } == ids)
        #expect(tasks.allSatisfy { $0["state"] as? String != "notStarted" })
        #expect(try program.run("undo").code == 0)
        #expect(try program.tasks("inbox").allSatisfy { $0["state"] as? String == "notStarted" })
    }

    @Test("All tasks change or none")
    func allOrNone() throws {
        let program = try TestProgram()
        let id = try program.add("a")
        let missing = "00000000-0000-7000-8000-000000000000"
        for command in [["done", id, missing], ["delete", id, missing], ["schedule", id, missing, "today"]] {
            #expect(try program.run(command).isRefusal(4))
        }
        #expect(try program.tasks("inbox").map { $0["state"] as? String } == ["notStarted"])
    }

    @Test("Without JSON each task has a line with its short id")
    func lines() throws {
        let program = try TestProgram()
        let ids = try ["a", "b"].map { try program.add($0) }
        let lines = try program.run(["schedule"] + ids + ["today"]).lines
        #expect(lines == ids.map { "Scheduled \($0.suffix(4)) for 2026-02-10" })
        #expect(try program.texts("today") == ["a", "b"])
        #expect(try program.run(["unschedule"] + ids).lines.count == 2)
        #expect(try program.run(["delete"] + ids).lines == ids.map { "Deleted \($0.suffix(4))" })
    }

    @Test("Listings show suffixes that commands accept")
    func listings() throws {
        let program = try TestProgram()
        let lines = (0..<300).map { "task \($0)\n" }.joined()
        let ids = try program.run("add", "-", input: Data(lines.utf8)).lines
        let shown = try program.run("inbox").lines.map { String($0.prefix { $0 != " " }) }
        #expect(shown.count == ids.count && Set(shown).count == ids.count)
        for (short, id) in zip(shown, ids) { #expect(short.count >= 4 && id.hasSuffix(short)) }
        #expect(try program.run("show", shown[42], "--json").json()["id"] as? String == ids[42])
    }

    @Test("Edit changes the text, the note and the category in one change [C-FR43]")
    func edit() throws {
        let program = try TestProgram()
        let id = try program.add("a")
        let task = try program.run("edit", id, "--text", "b", "--note", "n", "--category", "c", "--json").json()
        #expect(task["text"] as? String == "b")
        #expect(task["note"] as? String == "n")
        #expect(task["category"] as? String == "c")
        #expect(try program.run("edit", id, "--note", "", "--json").json()["note"] == nil)
        #expect(try program.run("undo").line == "Undid: edit")
        #expect(try program.run("edit", id, "--text", " ").isRefusal(2))
        #expect(try program.run("edit", id).isRefusal(2))
    }

    @Test("Edit without options opens the editor with the text and the note [C-FR43]")
    func editor() throws {
        let program = try TestProgram()
        let id = try program.add("two\nlines", "--note", "old")
        func edit(_ script: String) throws -> TestProgram.Result {
            try program.run("edit", id, environment: ["VISUAL": "", "EDITOR": script])
        }
        #expect(try edit("sed -i -e s/two/three/ -e s/old/new/").code == 0)
        let task = try program.run("show", id, "--json").json()
        #expect(task["text"] as? String == "three\nlines")
        #expect(task["note"] as? String == "new")
        #expect(try edit("true").errors.contains("not changed"))
        #expect(try edit("false").isRefusal(3))
        #expect(try edit("sed -i d").isRefusal(2))
        #expect(try program.run("show", id, "--json").json()["text"] as? String == "three\nlines")
    }

    @Test("Carry moves open tasks of past days, by id or all of them")
    func carry() throws {
        var program = try TestProgram()
        let ids = try ["a", "b", "c"].map { try program.add($0, "--on", "today") }
        _ = try program.run("done", ids[2])
        program.now = "2026-02-12T09:15:00Z"
        #expect(
            try program.run("carry", ids[0], "--to", "today", "--json").json()["scheduledDate"] as? String
                == "2026-02-12")
        let carried = try program.run("carry", "--all", "--to", "tomorrow", "--json").json()
        #expect((carried["tasks"] as? [[String: Any]])?.compactMap { $0["id"] as? String } == [ids[1]])
        #expect(try program.texts("today") == ["a"])
        #expect(try program.texts("upcoming") == ["b"])
        #expect(try program.texts("past") == ["c"])
        #expect(try program.run("carry", "--to", "today").isRefusal(2))
        #expect(try program.run("carry", ids[0], "--all", "--to", "today").isRefusal(2))
        #expect(try program.run("carry", ids[0]).isRefusal(2))
    }

    @Test("Purge removes completions from the statistics and cannot be undone")
    func purge() throws {
        let program = try TestProgram()
        let ids = try ["a", "b"].map { try program.add($0) }
        _ = try program.run(["done"] + ids)
        #expect(try program.run(["purge"] + ids + ["--yes"]).lines.count == 2)
        #expect(try program.run("stats", "--json").json()["today"] as? Int == 0)
        #expect(try program.run("show", ids[0]).isRefusal(4))
        #expect(try program.run("verify").code == 0)
    }

    @Test("Remind sets a local time, an instant or nothing")
    func remind() throws {
        let program = try TestProgram()
        let id = try program.add("a")
        let local = try program.run("remind", id, "tomorrow", "09:00", "--json").json()
        #expect(local["reminderDate"] as? [String: String] == ["day": "2026-02-11", "time": "09:00"])
        let instant = try program.run("remind", id, "2026-02-11T07:30:00Z", "--json").json()
        #expect(instant["reminderDate"] as? String == "2026-02-11T07:30:00Z")
        #expect(try program.run("remind", id, "none", "--json").json()["reminderDate"] == nil)
        for wrong in [["soon"], ["tomorrow"], ["25:00"], ["tomorrow", "9"], []] {
            #expect(try program.run(["remind", id] + wrong).isRefusal(2), "\(wrong)")
        }
    }

    @Test("Carry leaves completed tasks and tasks that are not of a past day where they are, and says so")
    func carryOfOthers() throws {
        let program = try TestProgram()
        let late = try program.add("late", "--on", "today", "--now", "2026-02-08T09:00:00Z")
        let done = try program.add("done", "--on", "today", "--now", "2026-02-08T09:00:00Z")
        _ = try program.run("done", done, "--now", "2026-02-08T10:00:00Z")
        let inbox = try program.add("inbox")
        let today = try program.add("today", "--on", "today")
        let future = try program.add("future", "--on", "+5d")
        let onTarget = try program.add("target", "--on", "tomorrow")
        let others = [done, inbox, today, future, onTarget]
        func states() throws -> [[String?]] {
            try others.map { id in
                let task = try program.run("show", id, "--json").json()
                return [task["scheduledDate"] as? String, task["updatedAt"] as? String, task["carriedFrom"] as? String]
            }
        }
        let before = try states()
        let result = try program.run(["carry", late] + others + ["--to", "tomorrow"])
        #expect(result.code == 0 && result.lines.count == 6)
        #expect(result.lines.first?.hasPrefix("Carried ") == true)
        #expect(result.lines.dropFirst().allSatisfy { $0.hasSuffix("stays where it is") })
        #expect(try states() == before)
        let task = try program.run("show", late, "--json").json()
        #expect(task["scheduledDate"] as? String == "2026-02-11" && task["carryCount"] as? Int == 1)
        #expect(task["carriedFrom"] as? String == "2026-02-08")
    }
}
