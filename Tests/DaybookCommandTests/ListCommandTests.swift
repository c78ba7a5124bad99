import Foundation
import TestSupport
import Testing

/// The commands of lists, due dates and reminders, as cli.md promises them.
@Suite struct ListCommandTests {
    @Test("Lists are created, shown, renamed, colored, moved and deleted with their tasks [L-FR10 to L-FR16]")
    func lists() throws {
        let program = try TestProgram()
        let home = try #require(try program.run("list", "add", "Home", "--color", "#ff6b6b").lines.first)
        _ = try program.run("list", "add", "Work")
        #expect(try program.run("list", "add", "Home").isRefusal(5))
        #expect(try program.run("list", "add", "x", "--color", "red").isRefusal(2))
        #expect(try program.run("list", "show", "garden").isRefusal(4))
        let task = try program.add("rent", "--list", "home")
        let other = try program.add("sweep", "--list", home)
        _ = try program.add("unlisted")
        let overview = try program.run("lists", "--json").json()
        #expect(overview["unlisted"] as? Int == 1)
        let lists = try #require(overview["lists"] as? [[String: Any]])
        #expect(lists.map { $0["name"] as? String } == ["Home", "Work"])
        #expect(lists.map { $0["open"] as? Int } == [2, 0])
        #expect(lists.map { $0["color"] as? String } == ["FF6B6B", "007AFF"])
        #expect(lists.map { $0["sortOrder"] as? Int } == [0, 1])
        #expect(try program.run("list", "rename", "work", "Office", "--json").json()["name"] as? String == "Office")
        #expect(try program.run("list", "reorder", "Office", "--first", "--json").json()["sortOrder"] as? Int == 0)
        #expect(try program.run("list", "color", "office", "00ff00", "--json").json()["color"] as? String == "00FF00")
        #expect(try program.run("reorder", other, "--first", "--in", "list").code == 0)
        let shown = try program.run("list", "show", "home", "--json").json()
        #expect((shown["tasks"] as? [[String: Any]])?.map { $0["text"] as? String } == ["sweep", "rent"])
        let moved = try program.run("move", task, "--to", "office", "--json").json()
        #expect(moved["list"] as? String == (lists[1]["id"] as? String))
        #expect(try program.run("move", task, "--unlisted", "--json").json()["list"] == nil)
        #expect(try program.run("move", task).isRefusal(2))
        #expect(try program.texts("inbox", "--list", "home") == ["sweep"])
        let deleted = try program.run("list", "delete", "home", "--yes", "--json").json()
        #expect(deleted["list"] as? String == home && deleted["tasks"] as? Int == 1)
        #expect(try program.run("show", other).isRefusal(4))
        #expect(try program.run("undo").code == 0)
        #expect(try program.run("show", other).code == 0)
        #expect(try program.run("verify").code == 0)
    }

    @Test("A task is due on a day or at an instant, and overdue when that is over [L-FR7 to L-FR9]")
    func due() throws {
        var program = try TestProgram()
        let id = try program.add("a", "--due", "today")
        #expect(try program.run("show", id, "--json").json()["dueDate"] as? String == "2026-02-10")
        let instant = try program.run("due", id, "2026-02-10T07:30:00Z", "--json").json()
        #expect(instant["dueDate"] as? String == "2026-02-10T07:30:00Z")
        #expect(try program.texts("overdue") == ["a"])
        #expect(try program.run("due", id, "none", "--json").json()["dueDate"] == nil)
        _ = try program.run("due", id, "today")
        #expect(try program.texts("overdue") == [])
        program.now = "2026-02-15T09:00:00Z"
        #expect(try program.texts("overdue") == ["a"])
        #expect(Set(try program.run("overdue", "--json").json().keys) == ["tasks", "next"])
        #expect(try program.run("due", id, "whenever").isRefusal(2))
    }

    @Test("The schedule, the timeline and URLs have the documented JSON [L-FR17, L-FR21 to L-FR26, L-FR39, F-18]")
    func otherProcesses() throws {
        let program = try TestProgram()
        let id = try program.add("a", "--remind", "tomorrow 09:00", "--note", "n")
        let reminders = try program.run(
            "reminders", "--from", "2026-02-10T00:00:00Z", "--to", "2026-02-12T00:00:00Z", "--json"
        ).json()
        let reminder = try #require((reminders["reminders"] as? [[String: Any]])?.first)
        #expect(Set(reminder.keys) == ["identifier", "at", "task", "title", "body"])
        #expect(reminder["identifier"] as? String == "task-\(id.uppercased())")
        #expect(reminder["task"] as? String == id && reminder["body"] as? String == "n")
        let timeline = try program.run("timeline", "--json").json()
        #expect(Set(timeline.keys) == ["entries", "refreshAfter"])
        #expect((timeline["entries"] as? [[String: Any]])?.count ?? 0 >= 3)
        let created = try program.run("open", "todoapp://create-task?title=Buy%20milk", "--json").json()
        #expect(created["action"] as? String == "create-task" && created["title"] as? String == "Buy milk")
        #expect(try program.texts("inbox") == ["a", "Buy milk"])
        let opened = try program.run("open", "todoapp://open?taskID=\(id)", "--json").json()
        #expect(opened["action"] as? String == "open-task" && opened["id"] as? String == id)
        #expect(try program.run("open", "todoapp://open?taskID=x").isRefusal(2))
        #expect(try program.run("open", "todoapp://open-task?id=00000000-0000-4000-8000-00000000000a").isRefusal(4))
    }

    @Test("Views are filtered and paged")
    func filters() throws {
        let program = try TestProgram()
        for number in 0..<5 {
            _ = try program.add("\(number)", "--category", number % 2 == 0 ? "even" : "odd")
        }
        #expect(try program.texts("inbox", "--category", "odd") == ["1", "3"])
        let page = try program.run("inbox", "--limit", "2", "--json").json()
        let token = try #require(page["next"] as? String)
        #expect(try program.texts("inbox", "--limit", "2", "--after", token) == ["2", "3"])
        #expect(try program.run("inbox", "--after", "nonsense").isRefusal(2))
        #expect(try program.texts("inbox", "--open").count == 5)
        #expect(try program.texts("inbox", "--overdue") == [])
    }

    @Test("An empty or blank name of a list, a thread or a field names none", arguments: ["", " "])
    func emptyNames(name: String) throws {
        let program = try TestProgram()
        _ = try program.run("list", "add", "Home")
        let id = try program.add("t", "--list", "Home")
        let thread = try program.run("journal", "new", "Garden").line
        _ = try program.run("journal", "field", "add", thread, "Mood")
        for arguments in [
            ["list", "delete", name, "--yes"], ["list", "show", name], ["list", "rename", name, "Work"],
            ["list", "color", name, "FF6B6B"], ["list", "reorder", name, "--first"], ["move", id, "--to", name],
            ["add", "x", "--list", name], ["inbox", "--list", name], ["find", "t", "--list", name],
            ["journal", "read", name], ["journal", "rename", name, "x"], ["journal", "delete-thread", name, "--yes"],
            ["journal", "write", name, "x"], ["journal", "field", "add", name, "x"],
            ["journal", "search", "x", "--thread", name], ["journal", "field", "delete", thread, name],
            ["journal", "field", "rename", thread, name, "x"], ["journal", "fields", name],
        ] {
            let result = try program.run(arguments)
            #expect(result.isRefusal(4), "\(arguments): \(result.code) \(result.errors)")
        }
        #expect(try program.run("list", "show", "Home", "--json").json()["tasks"].map { ($0 as? [Any])?.count } == 1)
    }

    @Test("A long name of a list does not widen the lines of the others")
    func longName() throws {
        let program = try TestProgram()
        _ = try program.run("list", "add", "Home")
        _ = try program.run("list", "add", String(repeating: "x", count: 2000))
        #expect(try program.run("lists").lines.filter { $0.count > 60 }.count == 1)
    }
}
