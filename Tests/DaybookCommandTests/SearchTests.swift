import Foundation
import TestSupport
import Testing

@Suite struct SearchTests {
    @Test("Find prints whole words first, then the newest, in pages [F-13]")
    func find() throws {
        var program = try TestProgram()
        for (second, text) in ["Call Ada", "Recall", "call Bob", "caller", "Café"].enumerated() {
            program.now = "2026-02-10T09:15:0\(second)Z"
            _ = try program.add(text)
        }
        let json = try program.run("find", "CALL", "--json").json()
        #expect(Set(json.keys) == ["tasks", "next"])
        #expect(json["next"] is NSNull)
        #expect(try program.texts("find", "call") == ["call Bob", "Call Ada", "caller"])
        #expect(try program.texts("find", "ada", "call") == ["Call Ada"])
        #expect(try program.texts("find", "ada call") == ["Call Ada"])
        #expect(try program.texts("find", "cafe") == ["Café"])
        #expect(try program.texts("find", "zebra") == [])
        let first = try program.run("find", "call", "--limit", "2", "--json").json()
        let next = try #require(first["next"] as? String)
        #expect(try program.texts("find", "call", "--limit", "2", "--after", next) == ["caller"])
        #expect(try program.run("find", "call", "--limit", "2").output.contains(next))
        #expect(try program.run("find", "call", "--after", "x").isRefusal(2))
        #expect(try program.run("find", "call", "--limit", "0").isRefusal(2))
        #expect(try program.run("find").isRefusal(2))
        #expect(try program.run("find", "x", "--from", "someday").isRefusal(2))
        #expect(try program.run("find", "zebra").code == 0)
    }

    @Test("Find can be limited to open tasks, a category and days [F-13]")
    func filters() throws {
        let program = try TestProgram()
        let done = try program.add("word done", "--on", "today")
        _ = try program.run("done", done)
        _ = try program.add("word soon", "--on", "tomorrow")
        let plain = try program.add("word plain")
        _ = try program.run("edit", plain, "--category", "Work")
        #expect(Set(try program.texts("find", "word")) == ["word done", "word soon", "word plain"])
        #expect(Set(try program.texts("find", "word", "--open")) == ["word soon", "word plain"])
        #expect(try program.texts("find", "word", "--category", "work") == ["word plain"])
        #expect(try program.texts("find", "word", "--from", "tomorrow") == ["word soon"])
        #expect(try program.texts("find", "word", "--to", "today") == ["word done"])
        let categories = try #require(
            try program.run("categories", "--json").json()["categories"] as? [[String: Any]])
        #expect(categories.compactMap { $0["name"] as? String } == ["Work"])
        #expect(categories.compactMap { $0["open"] as? Int } == [1])
    }

    @Test("A blocked task is marked while the other one is open, and circles are refused [F-10]")
    func block() throws {
        let program = try TestProgram()
        let (a, b) = (try program.add("first"), try program.add("second"))
        let blocked = try program.run("block", a, "--by", b, "--json").json()
        #expect(blocked["blockedBy"] as? [String] == [b])
        #expect(try program.run("inbox").output.contains("(blocked) first"))
        #expect(try program.run("block", b, "--by", a).isRefusal(5))
        #expect(try program.run("block", a, "--by", a).isRefusal(5))
        #expect(try program.run("block", a, "--by", "ffffffff").isRefusal(4))
        #expect(try program.run("block", a).isRefusal(2))
        _ = try program.run("done", b)
        #expect(try program.run("show", a, "--json").json()["blockedBy"] == nil)
        #expect(!(try program.run("inbox").output.contains("blocked")))
        _ = try program.run("undo")
        let export = try program.run("export", "--format", "ndjson").output
        #expect(export.contains("\"blockedBy\":[\"\(b)\"]"))
        #expect(try program.run("unblock", a, "--by", b, "--json").json()["blockedBy"] == nil)
        #expect(try program.run("undo", "--json").json()["undone"] as? String == "block")
        _ = try program.run("delete", b)
        #expect(try program.run("show", a, "--json").json()["blockedBy"] == nil)
    }

    @Test("The review of a week counts what was completed, carried and left open [F-11]")
    func review() throws {
        var program = try TestProgram()
        let empty = try program.run("review", "--json").json()
        #expect(
            Set(empty.keys) == ["weekStart", "completed", "carried", "overdue", "completionRate", "days"])
        #expect((empty["days"] as? [Any])?.count == 7)
        #expect(empty["completionRate"] is NSNull)
        let done = try program.add("done", "--on", "today")
        let carried = try program.add("carried", "--on", "today")
        _ = try program.add("left", "--on", "tomorrow")
        _ = try program.run("done", done)
        program.now = "2026-02-12T09:15:00Z"
        _ = try program.run("carry", carried, "--to", "+7d")
        let week = try program.run("review", "--week", "2026-02-09", "--week-start", "monday", "--json").json()
        #expect(week["weekStart"] as? String == "2026-02-09")
        #expect(week["completed"] as? Int == 1)
        #expect(week["carried"] as? Int == 1)
        #expect(week["overdue"] as? Int == 1)
        #expect(week["completionRate"] as? Double == 0.5)
        #expect(try program.run("review").output.contains("1 completed, 1 carried, 1 overdue"))
        #expect(try program.run("review", "--week", "someday").isRefusal(2))
    }
}
