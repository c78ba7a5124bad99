import Daybook
import Foundation
import Testing

/// Dependencies that files of text state by ids and by names of other programs.
@Suite struct LinkNameImportTests {
    private static let markdown = """
        - [ ] Paint ⛔ pl1 📅 2026-03-05
        - [ ] Plaster 🆔 pl1 📅 2026-03-01
        - [ ] Sand 🆔 3a1c0d52-0d3f-4d8b-9c7a-1f4f1f7f1c0a
        - [ ] Varnish ⛔ 3a1c0d52-0d3f-4d8b-9c7a-1f4f1f7f1c0a,pl1,gone

        """

    private func text(_ store: TestDaybook, _ format: TaskFormat) throws -> String {
        String(decoding: try store.export(as: format), as: UTF8.self)
    }

    /// The texts of the tasks that each task waits for.
    private func links(_ store: TestDaybook) throws -> [String: [String]] {
        var links: [String: [String]] = [:]
        for task in try store.tasks.inbox() {
            let blockers = try store.tasks.blockers(of: task.id).map(\.text).sorted()
            if !blockers.isEmpty { links[task.text] = blockers }
        }
        return links
    }

    @Test(
        "Names of a file are links, exports have them as they were, and an unlinked one does not come back",
        arguments: [true, false])
    func obsidian(isIntoEmptyStore: Bool) async throws {
        let store = try TestDaybook()
        if !isIntoEmptyStore { try await store.tasks.create("other") }
        _ = try await store.import(Array(Self.markdown.utf8), as: .markdown)
        #expect(try links(store) == ["Paint": ["Plaster"], "Varnish": ["Plaster", "Sand"]])
        var export = try text(store, .markdown)
        for part in ["Paint ⛔ pl1 📅", "Plaster 🆔 pl1 📅", "1c0a,pl1,gone"] {
            #expect(export.contains(part), "\(export)")
        }
        // The same again changes nothing.
        let sequence = try store.daybook.information().lastSequence
        #expect(try await store.import(Array(Self.markdown.utf8), as: .markdown).imported == 0)
        #expect(try await store.import(Array(export.utf8), as: .markdown).imported == 0)
        #expect(try store.daybook.information().lastSequence == sequence)

        let tasks = try store.tasks.inbox()
        let paint = try #require(tasks.first { $0.text == "Paint" })
        let plaster = try #require(tasks.first { $0.text == "Plaster" })
        let sand = try #require(tasks.first { $0.text == "Sand" })
        try await store.tasks.unblock(paint.id, by: plaster.id)
        try await store.tasks.block(sand.id, by: plaster.id)
        export = try text(store, .markdown)
        #expect(!export.contains("Paint ⛔"))
        // The plugin knows the task by this name.
        #expect(export.contains("Sand 🆔 \(sand.id.lowercased) ⛔ pl1"))
        #expect(export.contains("gone"))
        let second = try TestDaybook(seed: 9)
        _ = try await second.import(Array(export.utf8), as: .markdown)
        #expect(try links(second) == ["Sand": ["Plaster"], "Varnish": ["Plaster", "Sand"]])
        #expect(try text(second, .markdown) == export)
        #expect(try store.daybook.verify().problems == [])
    }

    @Test("In todo.txt the task with `p:` comes first, by number and by id")
    func todoText() async throws {
        let store = try TestDaybook()
        let file = "Buy telephone p:1\nCall mom id:1\nFind the number p:1 p:2\n"
        _ = try await store.import(Array(file.utf8), as: .todotxt)
        #expect(try links(store) == ["Call mom id:1": ["Buy telephone p:1", "Find the number p:1 p:2"]])
        let export = try text(store, .todotxt)
        #expect(export.split(separator: "\n").allSatisfy { $0.contains(" id:") && !$0.contains("p:0") })
        // A link of Daybook is stated by ids.
        let tasks = try store.tasks.inbox()
        let buy = try #require(tasks.first { $0.text.hasPrefix("Buy") })
        let find = try #require(tasks.first { $0.text.hasPrefix("Find") })
        try await store.tasks.block(buy.id, by: find.id)
        let linked = try text(store, .todotxt)
        #expect(linked.contains("Find the number p:1 p:2 id:\(find.id.lowercased) p:\(buy.id.lowercased)\n"))
        let second = try TestDaybook(seed: 9)
        _ = try await second.import(Array(linked.utf8), as: .todotxt)
        var expected = try links(store)
        #expect(expected.count == 2)
        #expect(try links(second) == expected)
        #expect(try text(second, .todotxt) == linked)
        try await second.tasks.unblock(buy.id, by: find.id)
        expected["Buy telephone p:1"] = nil
        let third = try TestDaybook(seed: 10)
        _ = try await third.import(Array(try text(second, .todotxt).utf8), as: .todotxt)
        #expect(try links(third) == expected)
    }

    @Test(
        "Every format states every dependency, also one on a task that is not there",
        arguments: [TaskFormat.json, .ndjson, .taskwarrior, .ics, .csv, .markdown, .todotxt])
    func everyFormat(format: TaskFormat) async throws {
        let first = try TestDaybook()
        let made = try await first.tasks.create((0..<6).map { NewTask("task\($0)") })
        for (blocked, blocker) in [(0, 1), (0, 2), (3, 0), (4, 1)] {
            try await first.tasks.block(made[blocked].id, by: made[blocker].id)
        }
        let missing = made[1].id.lowercased
        // Without the lines of one task.
        var file = try text(first, format)
        switch format {
        case .json:
            file = try text(first, .ndjson)
            file = file.split(whereSeparator: \.isNewline).dropFirst().filter { !$0.contains("\"id\":\"\(missing)\"") }
                .joined(separator: ",").replacing("\"collection\":\"tasks\",", with: "")
            file = "[\(file)]"
        case .ics:
            let parts = file.split(separator: "BEGIN:VTODO\r\n", omittingEmptySubsequences: false)
            file = parts.filter { !$0.hasPrefix("UID:\(missing)") }.joined(separator: "BEGIN:VTODO\r\n")
        default:
            let own = [
                TaskFormat.ndjson: "\"id\":\"\(missing)\"", .taskwarrior: "\"uuid\":\"\(missing)\"",
                .csv: "\(missing),task1",
                .markdown: "🆔 \(missing)", .todotxt: " id:\(missing)",
            ]
            let line = try #require(own[format])
            file = file.split(whereSeparator: \.isNewline).filter { !$0.contains(line) }.joined(separator: "\n") + "\n"
        }
        var store = try TestDaybook(seed: 9)
        #expect(try await store.import(Array(file.utf8), as: format).imported == 5)
        let kept = ["task0": ["task2"], "task3": ["task0"]]
        #expect(try links(store) == kept)
        // In todo.txt the line that is missing was the one that stated the links.
        for _ in 0..<2 {
            let export = try store.export(as: format)
            store = try TestDaybook(seed: 10)
            #expect(try await store.import(export, as: format).imported == 5)
            #expect(try links(store) == kept)
            let lines = try text(store, .ndjson).split(whereSeparator: \.isNewline).filter {
                $0.contains("\"blockedBy\"")
            }
            #expect(lines.count { $0.contains(missing) } == (format == .todotxt ? 0 : 2))
        }
        // Once the task is there, the file links it.
        let whole = try first.export(as: format)
        _ = try await store.import(whole, as: format)
        #expect(try links(store) == ["task0": ["task1", "task2"], "task3": ["task0"], "task4": ["task1"]])
        #expect(try store.daybook.verify().problems == [])
    }
}
