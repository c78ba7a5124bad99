import CivilTime
import FoundationEssentials
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

/// Links as the formats of text have them: by ids, and by names of other programs.
@Suite struct LinkNameTests {
    private static let uuid = "9f247ada-f07f-4e73-8876-a3b0f24ebf37"
    private static let now = Instant(secondsSince1970: 1_770_800_000)

    private func read(_ file: String, as format: TaskFormat) throws -> [ImportedTask] {
        try TaskReader.read(bytes(file), format: format, zone: .utc, now: Self.now).tasks
    }

    @Test(
        "The words after ⛔ are names and ids, with commas between them",
        arguments: [
            ("⛔ pl1", ["pl1"]), ("⛔ b,a , c", ["a", "b", "c"]), ("⛔ pl1 and more", ["pl1"]),
            ("⛔ \(uuid.uppercased()),pl1", [uuid, "pl1"]), ("⛔️ pl1 📅 2026-03-05", ["pl1"]), ("⛔", []), ("⛔ ,", []),
        ])
    func markdownBlockers(_ sign: String, _ names: [String]) throws {
        let item = try #require(MarkdownItem(whole: "- [ ] Paint \(sign)"))
        #expect(MarkdownTask(item).blockers == names)
        let task = try #require(try read("- [ ] Paint \(sign)\n", as: .markdown).first)
        #expect(task.blockedBy.map(\.lowercased) + task.gaps.links.blockers == names)
        let export = text(try written([task], as: .markdown))
        #expect(export == "- [ ] Paint \(sign) 🆔 \(task.id.lowercased)\n")
        #expect(try read(export, as: .markdown).first?.blockedBy == task.blockedBy)
    }

    @Test("A blocker is written as the plugin Tasks reads it")
    func markdownExport() throws {
        var task = try task()
        task.blockedBy = [try id(2), try id(3)]
        let line = text(try written([task], as: .markdown))
        #expect(line.contains("🆔 \(task.id.lowercased) ⛔ \(try id(2).lowercased),\(try id(3).lowercased) ➕"))
        #expect(try read(line, as: .markdown).map(\.blockedBy) == [task.blockedBy])
    }

    @Test("In todo.txt `p:` names the task that waits")
    func todoText() throws {
        let file = "Call mom id:1\nBuy telephone p:1 p:\(Self.uuid)\n"
        let tasks = try read(file, as: .todotxt)
        #expect(tasks.map(\.text) == ["Call mom id:1", "Buy telephone p:1"])
        #expect(tasks.map(\.gaps.links.label) == ["1", nil])
        #expect(tasks.map(\.gaps.links.blocked) == [[], [Self.uuid, "1"]])
        let lines = text(try written(tasks, as: .todotxt)).split(separator: "\n").map(String.init)
        #expect(lines == zip(file.split(separator: "\n"), tasks).map { "\($0) id:\($1.id.lowercased)" })
    }

    @Test(
        "A text with words like links stays a text",
        arguments: ["Meet at p:m", "p:\(uuid)", "a p:\(uuid) p: b", "id:7 p:7", "p:\(uuid) p:\(uuid)"],
        [[], [1], [1, 2]])
    func todoTextWords(_ words: String, _ waiting: [UInt64]) throws {
        var task = try task(words)
        task.gaps.links.blocked = try waiting.map { try id($0).lowercased }
        let read = try read(text(try written([task], as: .todotxt)), as: .todotxt)
        #expect(read.map(\.text) == [words])
        let ids = read.flatMap { $0.gaps.links.blocked.filter { UUID(strict: $0) != nil } }
        #expect(ids == task.gaps.links.blocked)
    }
}
