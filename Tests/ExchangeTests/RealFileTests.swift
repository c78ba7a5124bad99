import CivilTime
import TestSupport
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

@Suite(.enabled(if: SharedData.isExpected, "needs the files of $DAYBOOK_SHARED/data, or ../shared/data"))
struct RealFileTests {
    @Test(
        "Every Taskwarrior attribute is exported again [S-67]",
        arguments: [
            "taskwarrior-2.6.2-export.json", "history-etcd.taskwarrior.json",
        ])
    func taskwarriorGetsEveryAttributeBack(_ name: String) throws {
        let zone = try Zone("Europe/Istanbul")
        let original = try SharedData.bytes(name)
        #expect(try TaskFormat.detect(original) == .taskwarrior)
        let tasks = try TaskReader.read(original, format: .taskwarrior, zone: zone).tasks
        // All 12,000 take too long in a debug build.
        let some = Array(tasks.prefix(1_500))
        let exported = try objects(try written(some, as: .taskwarrior, zone: zone), limit: 1_500)
        // Canonical text, because the order of keys means nothing in JSON.
        let expected = try objects(original, limit: 1_500).map(JSONValue.canonicalText)
        #expect(exported.map(JSONValue.canonicalText) == expected)

        let lines = try TaskReader.read(try written(some, as: .ndjson), format: .ndjson, zone: zone)
        #expect(lines.tasks.content == some.content)
    }

    @Test("An export of the real Taskwarrior is read correctly")
    func theExportOfTheRealProgramMeansWhatItSays() throws {
        let file = try SharedData.bytes("taskwarrior-2.6.2-export.json")
        let tasks = try TaskReader.read(file, format: .taskwarrior, zone: .utc).tasks
        #expect(tasks.count == 67)
        #expect(tasks.filter { $0.state == .completed }.map(\.text) == ["Ünïcode — 日本語 タスク 🎉"])
        #expect(tasks.filter { $0.state == .active }.count == 1)
        #expect(tasks.filter(\.isRecurring).count == 1)
        #expect(tasks.filter { $0.archivedAt != nil }.count == 2)
        #expect(tasks.first?.extra?.contains(#""urgency":12.0846"#) == true)
    }

    @Test("An object on several lines is read")
    func anObjectSpreadOverLinesIsRead() throws {
        let tasks = try TaskReader.read(
            try SharedData.bytes("taskwarrior-import-3.json"), format: .taskwarrior, zone: .utc
        ).tasks
        #expect(tasks.map(\.text) == ["four"])
        #expect(tasks.first?.createdAt == Instant(secondsSince1970: 1_234_567_889))
    }

    /// Reads a file and returns what an export of its tasks contains, without the ids.
    private func throughDaybook(_ name: String, as format: TaskFormat) throws -> (tasks: [ImportedTask], lines: String)
    {
        let original = try SharedData.bytes(name)
        #expect(try TaskFormat.detect(original, name: "unknown").written == format)
        let now = Instant(secondsSince1970: 1_770_800_000)
        let tasks = try TaskReader.read(original, format: format, zone: .utc, now: now).tasks
        let export = try written(tasks, as: format)
        let again = try TaskReader.read(export, format: format, zone: .utc, now: now).tasks
        #expect(again.map(\.id) == tasks.map(\.id))
        #expect(again.map(\.text) == tasks.map(\.text))
        #expect(again.map(\.dueAt) == tasks.map(\.dueAt))
        #expect(again.map(\.dueDay) == tasks.map(\.dueDay))
        var lines = text(export)
        for task in tasks {
            for sign in [" id:", " 🆔 "] { lines = lines.replacing(sign + task.id.lowercased, with: "") }
        }
        return (tasks, lines)
    }

    @Test(
        "Every line of todo.txt is exported again", arguments: ["todotxt-todors-todo.txt", "todotxt-todors-done.txt"])
    func todoTextGetsEveryLineBack(_ name: String) throws {
        let lines = try throughDaybook(name, as: .todotxt).lines
        let original = text(try SharedData.bytes(name))
        #expect(lines.split(separator: "\n") == original.split(separator: "\n"))
    }

    @Test("Lines of real todo.txt files are read correctly")
    func todoTextMeansWhatItSays() throws {
        let (tasks, _) = try throughDaybook("todotxt-todors-todo.txt", as: .todotxt)
        #expect(tasks.count == 8)
        #expect(tasks.map(\.category) == [nil, "GarageSale", "GarageSale", nil, nil, nil, nil, "Health"])
        #expect(tasks[6].text == "Learn how to add 2+2 @someday")
        #expect(tasks[6].scheduledDate == (try Day("2099-12-31")))
        #expect(tasks[7].completedAt == (try Instant("2018-08-22T00:00:00Z")))
        #expect(tasks[7].createdAt == (try Instant("2018-08-20T00:00:00Z")))
    }

    @Test(
        "Every task of a Markdown file is exported again",
        arguments: [
            ("obsidian-docs_sample_for_task_properties_reference.md", 2),
            ("obsidian-multi_line_task_and_list_item.md", 1),
            ("obsidian-numbered_tasks_issue_3481.md", 6),
        ])
    func markdownGetsEveryTaskBack(_ name: String, _ count: Int) throws {
        let (tasks, lines) = try throughDaybook(name, as: .markdown)
        #expect(tasks.count == count)
        let original = text(try SharedData.bytes(name))
        #expect(original.contains(lines))
        if count == 1 { #expect(tasks.first?.notes == "task line 1\ntask line 2") }
    }
}
