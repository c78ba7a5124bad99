import Foundation
import TestSupport
import Testing

/// The commands of the planner, as cli.md has them.
@Suite struct PlannerTests {
    private func buckets(_ json: [String: Any], _ region: String) throws -> [[String: Any]] {
        let regions = try #require(json["regions"] as? [[String: Any]])
        let found = regions.first { $0["region"] as? String == region }
        return try #require(found?["buckets"] as? [[String: Any]])
    }

    private func texts(_ json: [String: Any], _ region: String, _ bucket: String) throws -> [String] {
        let found = try buckets(json, region).first { $0["bucket"] as? String == bucket }
        return try #require(found?["tasks"] as? [[String: Any]]).compactMap { $0["text"] as? String }
    }

    @Test("A plan has every region and bucket in order, with used, cap and tasks, also without a store")
    func plan() throws {
        let program = try TestProgram()
        for hasTasks in [false, true] {
            if hasTasks {
                _ = try program.add("a", "--region", "morning", "--bucket", "must")
                _ = try program.add("done", "--region", "morning", "--bucket", "misc")
                _ = try program.run("done", program.add("b", "--region", "morning", "--bucket", "misc"))
                _ = try program.add("plain", "--on", "today")
            }
            let json = try program.run("plan", "--json").json()
            #expect(Set(json.keys) == ["date", "regions"])
            #expect(json["date"] as? String == "2026-02-10")
            let regions = try #require(json["regions"] as? [[String: Any]])
            #expect(regions.allSatisfy { Set($0.keys) == ["region", "open", "buckets"] })
            #expect(regions.compactMap { $0["region"] as? String } == ["morning", "afternoon", "evening", "backlog"])
            #expect(regions.compactMap { $0["open"] as? Int } == (hasTasks ? [2, 0, 0, 1] : [0, 0, 0, 0]))
            for region in regions {
                let buckets = try #require(region["buckets"] as? [[String: Any]])
                #expect(buckets.allSatisfy { Set($0.keys) == ["bucket", "used", "cap", "tasks"] })
                #expect(
                    buckets.compactMap { $0["bucket"] as? String } == ["must", "complementary", "misc", "none"])
                #expect(buckets.map { $0["cap"] as? Int } == [1, 3, 5, nil])
                #expect(buckets.last?["cap"] is NSNull)
            }
            guard hasTasks else { continue }
            #expect(try buckets(json, "morning").compactMap { $0["used"] as? Int } == [1, 0, 1, 0])
            #expect(try texts(json, "morning", "misc") == ["done", "b"])
            #expect(try texts(json, "backlog", "none") == ["plain"])
        }
        #expect(try program.run("plan", "tomorrow", "--json").json()["date"] as? String == "2026-02-11")
        #expect(try program.run("plan", "someday").isRefusal(2))
    }

    @Test("A full bucket refuses with exit 5 and its text, and nothing is changed")
    func full() throws {
        let program = try TestProgram()
        _ = try program.add("a", "--region", "morning", "--bucket", "must")
        let second = try program.run("add", "b", "--region", "morning", "--bucket", "must")
        #expect(second.isRefusal(5))
        #expect(second.errors.contains("Cannot add more tasks to Must (1)"))
        let ids = try ["c", "d"].map { try program.add($0) }
        let placed = try program.run(["place"] + ids + ["--region", "morning", "--bucket", "must"])
        #expect(placed.isRefusal(5) && placed.errors.contains("Cannot add more tasks to Must (1)"))
        #expect(try program.texts("inbox") == ["c", "d"])
        #expect(try program.run("place", ids[0]).isRefusal(2))
        #expect(try program.run("place", ids[0], "--region", "noon").isRefusal(2))
        #expect(try program.run("place", "ffff", "--region", "morning").isRefusal(4))
    }

    @Test("Place prints the tasks as they are afterwards, and a task without a day gets today")
    func place() throws {
        let program = try TestProgram()
        let id = try program.add("a")
        let task = try program.run("place", id, "--region", "evening", "--bucket", "misc", "--json").json()
        #expect(task["region"] as? String == "evening" && task["bucket"] as? String == "misc")
        #expect(task["scheduledDate"] as? String == "2026-02-10")
        let other = try program.add("b")
        let both = try program.run("place", id, other, "--region", "morning", "--json").json()["tasks"]
        let regions = try #require(both as? [[String: Any]]).map { $0["region"] as? String }
        #expect(regions == ["morning", "morning"])
        #expect(try program.run("undo").line == "Undid: place")
        #expect(try program.texts("inbox") == ["b"])
    }

    @Test("Sticky, auto-carry and expires set and remove their fields")
    func attributes() throws {
        let program = try TestProgram()
        let id = try program.add("a", "--region", "morning")
        #expect(try program.run("sticky", id, "--json").json()["isSticky"] as? Bool == true)
        #expect(try program.run("sticky", id, "--off", "--json").json()["isSticky"] == nil)
        #expect(try program.run("auto-carry", id, "--json").json()["autoCarry"] as? Bool == true)
        #expect(try program.run("auto-carry", id, "--off", "--json").json()["autoCarry"] == nil)
        for (words, instant) in [
            (["2026-02-11T07:00:00Z"], "2026-02-11T07:00:00Z"), (["tomorrow", "09:00"], "2026-02-11T06:00:00Z"),
            (["tomorrow"], "2026-02-11T21:00:00Z"),
        ] {
            let task = try program.run(["expires", id] + words + ["--json"]).json()
            #expect(task["expiresAt"] as? String == instant)
        }
        #expect(try program.run("expires", id, "none", "--json").json()["expiresAt"] == nil)
        #expect(try program.run("expires", id, "whenever").isRefusal(2))
    }

    @Test("Rollover and expire print ids, once")
    func rollover() throws {
        var program = try TestProgram()
        #expect(
            try program.run("rollover", "--json").json() as? [String: [String]] == ["carried": [], "unassigned": []])
        #expect(try program.run("expire", "--json").json() as? [String: [String]] == ["archived": []])
        var ids: [String] = []
        for day in ["today", "tomorrow"] {
            ids.append(try program.add(day, "--on", day, "--region", "morning", "--bucket", "must"))
            _ = try program.run("auto-carry", ids.last ?? "")
        }
        let expiring = try program.add("gone", "--on", "today")
        _ = try program.run("expires", expiring, "today")
        program.now = "2026-02-13T09:00:00Z"
        let json = try program.run("rollover", "--json").json()
        #expect(json as? [String: [String]] == ["carried": ids, "unassigned": [ids[1]]])
        #expect(try program.run("rollover").line == "0 tasks carried to 2026-02-13")
        let task = try program.run("show", ids[1], "--json").json()
        #expect(task["carriedFrom"] as? String == "2026-02-11" && task["bucket"] == nil)
        #expect(try program.run("expire", "--json").json() as? [String: [String]] == ["archived": [expiring]])
        #expect(try program.run("expire").line == "0 tasks archived")
        #expect(try program.texts("past") == [])
        #expect(try program.run("show", expiring, "--json").json()["archivedAt"] as? String == "2026-02-13T09:00:00Z")
    }

    @Test("Unarchive brings a task back, find shows archived tasks when asked, and a full bucket refuses [P-OP9]")
    func unarchive() throws {
        var program = try TestProgram()
        let id = try program.add("gone", "--on", "today", "--region", "morning", "--bucket", "must")
        _ = try program.run("expires", id, "12:30")
        program.now = "2026-02-10T10:00:00Z"
        #expect(try program.run("expire", "--json").json() as? [String: [String]] == ["archived": [id]])
        #expect(try program.texts("find", "gone") == [])
        #expect(try program.texts("find", "gone", "--archived") == ["gone"])
        #expect(try program.run("find", "gone", "--archived").output.contains("(archived) gone"))

        let task = try program.run("unarchive", id, "--json").json()
        #expect(task["archivedAt"] == nil && task["expiresAt"] == nil && task["bucket"] as? String == "must")
        #expect(try program.texts("today") == ["gone"])
        #expect(try program.run("undo").line == "Undid: unarchive")
        #expect(try program.texts("today") == [])
        #expect(try program.run("redo").line == "Redid: unarchive")
        _ = try program.run("undo")

        let other = try program.add("other", "--on", "today", "--region", "morning", "--bucket", "must")
        let refused = try program.run("unarchive", id)
        #expect(refused.isRefusal(5) && refused.errors.contains("Cannot add more tasks to Must (1)"))
        #expect(try program.texts("today") == ["other"])
        _ = try program.run("done", other)
        #expect(try program.run("unarchive", id).line == "Unarchived \(id.suffix(4))")
        #expect(try program.run("unarchive", "ffffffff").isRefusal(4))
        #expect(try program.run("unarchive").isRefusal(2))
    }

    @Test("Views show one region, with the positions of the whole day")
    func region() throws {
        var program = try TestProgram()
        for (text, region) in [("a", "morning"), ("b", "evening"), ("c", "morning")] {
            _ = try program.add(text, "--region", region)
            _ = try program.add(text + "2", "--on", "tomorrow", "--region", region)
        }
        _ = try program.add("inbox")
        let today = try program.run("today", "--region", "morning", "--json").json()
        let tasks = try #require(today["tasks"] as? [[String: Any]])
        #expect(tasks.compactMap { $0["text"] as? String } == ["a", "c"])
        #expect(tasks.compactMap { $0["sortOrder"] as? Int } == [0, 2])
        let upcoming = try program.run("upcoming", "--region", "evening", "--json").json()
        #expect((upcoming["days"] as? [[String: Any]])?.count == 1)
        #expect(try program.run("inbox", "--region", "backlog").output.contains("inbox"))
        #expect(try program.run("inbox", "--region", "evening").code == 0)
        program.now = "2026-02-11T09:00:00Z"
        #expect(try program.run("past", "--region", "evening").output.contains("b"))
        #expect(try program.run("today", "--region", "noon").isRefusal(2))
    }

    @Test("Reorder works within the bucket, and leaves the order of the day")
    func reorder() throws {
        let program = try TestProgram()
        let ids = try ["a", "b", "c"].map { try program.add($0, "--region", "morning") }
        _ = try program.run("reorder", ids[2], "--in", "plan", "--first")
        #expect(try texts(program.run("plan", "--json").json(), "morning", "none") == ["c", "a", "b"])
        #expect(try program.texts("today") == ["a", "b", "c"])
        _ = try program.run("reorder", ids[2], "--in", "plan", "--after", ids[0])
        #expect(try texts(program.run("plan", "--json").json(), "morning", "none") == ["a", "c", "b"])
        let other = try program.add("other", "--region", "evening")
        #expect(try program.run("reorder", ids[0], "--in", "plan", "--before", other).isRefusal(5))
    }

    @Test("Without a terminal a plan has a line for each task, and no control sequences")
    func lines() throws {
        let program = try TestProgram()
        let id = try program.add(String(repeating: "長い", count: 60), "--region", "morning", "--bucket", "must")
        _ = try program.run("sticky", id)
        let output = try program.run("plan").output
        #expect(!output.contains("\u{1B}"))
        #expect(output.contains("Today, Tue 2026-02-10"))
        #expect(
            output.contains("Morning  1 open\nMust  1/1\n \(id.suffix(4)) [ ]*" + String(repeating: "長い", count: 60)))
        for name in ["Afternoon  0 open", "Evening  0 open", "Backlog  0 open", "Complementary  0/3", "Misc  0/5"] {
            #expect(output.contains(name))
        }
        #expect(!output.contains("…"))
    }

    @Test("Undo passes over an operation that a rollover has overwritten, names it, and goes on to older ones [P-OP8]")
    func undoPastRollover() throws {
        let program = try TestProgram()
        let older = try program.add("older")
        let id = try program.add("b", "--on", "today")
        _ = try program.run("auto-carry", id)
        #expect(try program.run("rollover", "--now", "2026-02-11T09:00:00Z").code == 0)
        #expect(try program.run("undo").line == "Undid: auto-carry")
        let undone = try program.run("undo", "--json").json()
        #expect(undone["undone"] as? String == "add" && undone["removed"] as? [String] == [older])
        #expect(undone["passedOver"] as? [String] == ["add"])
        #expect(try program.run("show", id, "--json").json()["scheduledDate"] as? String == "2026-02-11")
        let refused = try program.run("undo")
        #expect(refused.isRefusal(5) && refused.errors.contains("nothing to undo"))
        #expect(try program.run("redo").line == "Redid: add")
    }

    @Test("The day of a plan may have several words")
    func planOfPhrase() throws {
        let program = try TestProgram()
        #expect(try program.run("plan", "next", "friday", "--json").json()["date"] as? String == "2026-02-20")
        #expect(try program.run("plan", "in", "3", "days", "--json").json()["date"] as? String == "2026-02-13")
    }
}
