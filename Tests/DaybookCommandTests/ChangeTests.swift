import Foundation
import TestSupport
import Testing

@Suite struct ChangeTests {
    @Test(
        "Commands set the state of a task [L-FR4, L-FR5]",
        arguments: [("start", "active"), ("done", "completed"), ("reopen", "notStarted")])
    func commandsSetTheStateOfATask(_ command: String, _ state: String) throws {
        let program = try TestProgram()
        let id = try program.add("x")
        let task = try program.run(command, id, "--json").json()
        #expect(task["id"] as? String == id)
        #expect(task["state"] as? String == state)
        #expect((task["completedAt"] is NSNull) == (state != "completed"))
        let again = try program.run(command, id)
        #expect(again.code == 0)
        #expect(again.line.hasSuffix(" " + id.suffix(4)))
        #expect(again.errors.isEmpty)
    }

    @Test("Cycle advances a task through all states")
    func cycleAdvancesATaskThroughAllStates() throws {
        let program = try TestProgram()
        let id = try program.add("x")
        let states = try (0..<3).map { _ in try program.run("cycle", id, "--json").json()["state"] as? String }
        #expect(states == ["active", "completed", "notStarted"])
    }

    @Test("Schedule moves a task between views")
    func scheduleMovesATaskBetweenViews() throws {
        let program = try TestProgram()
        let id = try program.add("x")
        let task = try program.run("schedule", id, "tomorrow", "--json").json()
        #expect(task["scheduledDate"] as? String == "2026-02-11")
        #expect(try program.texts("upcoming") == ["x"])
        #expect(try program.run("schedule", id, "today").code == 0)
        #expect(try program.texts("today") == ["x"])
        #expect(try program.run("unschedule", id, "--json").json()["scheduledDate"] is NSNull)
        #expect(try program.texts("inbox") == ["x"])
    }

    @Test("A scheduled task comes last on its day")
    func aScheduledTaskComesLastOnItsDay() throws {
        let program = try TestProgram()
        let first = try program.add("a", "--on", "today")
        _ = try program.add("b", "--on", "tomorrow")
        #expect(try program.run("schedule", first, "tomorrow", "--json").json()["sortOrder"] as? Int == 1)
        #expect(try program.texts("upcoming") == ["b", "a"])
    }

    @Test("Reorder moves a task within its day")
    func reorderMovesATaskWithinItsDay() throws {
        let program = try TestProgram()
        let ids = try ["a", "b", "c", "d"].map { try program.add($0) }
        #expect(try program.run("reorder", ids[3], "--first", "--json").json()["sortOrder"] as? Int == 0)
        #expect(try program.texts("inbox") == ["d", "a", "b", "c"])
        #expect(try program.run("reorder", ids[3], "--last").code == 0)
        #expect(try program.run("reorder", ids[2], "--before", ids[0]).code == 0)
        #expect(try program.run("reorder", ids[3], "--after", ids[2]).code == 0)
        #expect(try program.texts("inbox") == ["c", "d", "a", "b"])
        let other = try program.add("today", "--on", "today")
        #expect(try program.run("reorder", ids[0], "--before", other).isRefusal(5))
        #expect(try program.texts("inbox") == ["c", "d", "a", "b"])
    }

    @Test(
        "Reorder requires exactly one place",
        arguments: [[], ["--first", "--last"], ["--before"], ["--first", "--after", "abcd"]])
    func reorderRequiresExactlyOnePlace(_ places: [String]) throws {
        let program = try TestProgram()
        let id = try program.add("x")
        #expect(try program.run(["reorder", id] + places).isRefusal(2))
    }

    @Test("Delete prints the task as it was before [C-S5.2]")
    func deletePrintsTheTaskAsItWasBefore() throws {
        let program = try TestProgram()
        let id = try program.add("x")
        _ = try program.run("done", id)
        #expect(try program.run("delete", id, "--json").json()["state"] as? String == "completed")
        #expect(try program.run("show", id).isRefusal(4))
        #expect(try program.texts("inbox") == [])
        #expect(try program.run("stats", "--json").json()["today"] as? Int == 1)
    }

    @Test("Undo reverts operations one by one")
    func undoRevertsOperationsOneByOne() throws {
        let program = try TestProgram()
        let id = try program.add("x")
        _ = try program.run("schedule", id, "today")
        _ = try program.run("done", id)
        _ = try program.run("delete", id)
        #expect(try program.run("undo").line == "Undid: delete")
        #expect(try program.run("undo").code == 0)
        #expect(try program.tasks("today").first?["state"] as? String == "notStarted")
        let undone = try program.run("undo", "--json").json()
        #expect(undone["undone"] as? String == "schedule")
        let tasks = try #require(undone["tasks"] as? [[String: Any]])
        #expect(tasks.count == 1)
        #expect(tasks.first?["id"] as? String == id)
        #expect(tasks.first?["scheduledDate"] is NSNull)
        #expect(try program.run("redo").line == "Redid: schedule")
        #expect(try program.texts("today") == ["x"])
        #expect(try program.run("undo").code == 0)
        let last = try program.run("undo", "--json").json()
        #expect(last["undone"] as? String == "add")
        #expect(last["removed"] as? [String] == [id])
        #expect(try program.run("undo").isRefusal(5))
        #expect(try program.texts("inbox") == [])
    }

    @Test(
        "Tasks are named by their full id, a prefix or a suffix; an ambiguous one lists the candidates with their texts"
    )
    func partsOfIDs() throws {
        let program = try TestProgram()
        let first = try program.add("a")
        #expect(try program.run("done", String(first.prefix(4))).code == 0)
        let second = try program.add("b")
        #expect(try program.run("start", String(second.suffix(6)), "--json").json()["id"] as? String == second)
        // Ids of one millisecond share their first digits.
        let result = try program.run("done", String(first.prefix(8)))
        #expect(result.code == 2 && result.bytes.isEmpty && result.errors.hasPrefix("daybook: "))
        #expect(result.errors.contains("\(first)  a\n") && result.errors.contains("\(second)  b\n"))
        #expect(try program.run("done", String(first.prefix(3))).isRefusal(2))
        #expect(try program.run("done", "not-hex!").isRefusal(2))
        let unused = ["0000", "1111", "2222"].first { digits in
            ![first, second].contains { $0.hasPrefix(digits) || $0.hasSuffix(digits) }
        }
        #expect(try program.run("done", #require(unused)).isRefusal(4))
    }

    @Test("An ambiguous id lists 10 candidates at most")
    func candidates() throws {
        let program = try TestProgram()
        let lines = (0..<13).map { "task \($0)\n" }.joined()
        let ids = try program.run("add", "-", input: Data(lines.utf8)).lines
        let result = try program.run("show", String(ids[0].prefix(6)))
        #expect(result.code == 2)
        #expect(result.errors.split(separator: "\n").count == 11)
    }

    @Test("Unknown ids are refused", arguments: ["show", "start", "done", "reopen", "cycle", "unschedule", "delete"])
    func unknownIDsAreRefused(_ command: String) throws {
        let program = try TestProgram()
        let missing = "00000000-0000-7000-8000-000000000000"
        // Without a store the task does not exist either, and no store is created.
        #expect(try program.run(command, missing).isRefusal(4))
        #expect(!FileManager.default.fileExists(atPath: program.store))
        _ = try program.add("x")
        #expect(try program.run(command, missing).isRefusal(4))
        #expect(try program.run(command, "not an id").isRefusal(2))
        #expect(try program.run(command).isRefusal(2))
    }
}
