import Daybook
import Foundation
import TestSupport
import Testing

/// Days of files stay days, whatever zones imports and exports are in [S-66].
@Suite struct DayImportTests {
    /// What the files say of a task.
    private struct Days: Equatable {
        var created: String
        var completed: String?
        var archived: String?
        var planned: String?
        var due: String?
    }

    private static let zones = [
        "Pacific/Kiritimati", "Etc/GMT+12", "Pacific/Apia", "America/New_York", "Europe/Berlin", "Asia/Kathmandu",
        "Pacific/Chatham", "America/St_Johns", "Africa/Cairo", "Pacific/Niue",
    ]

    private static let formats: [TaskFormat] = [.todotxt, .markdown, .csv, .json, .ndjson, .taskwarrior, .ics]

    private static func zone(_ dice: inout Dice) throws -> Zone {
        let all = Zone.allIdentifiers()
        return try Zone(dice.chance(50) ? zones[dice.below(zones.count)] : all[dice.below(all.count)])
    }

    /// Days around everything that zones do, among them two that Apia and Kiritimati have skipped.
    private static func day(_ dice: inout Dice) throws -> String {
        let special = [
            "2011-12-30", "2011-12-29", "2011-12-31", "1995-01-01", "2026-03-29", "2026-10-25", "2024-02-29",
        ]
        if dice.chance(40) { return special[dice.below(special.count)] }
        return try Day("1981-01-01").advanced(by: dice.below(20_000)).description
    }

    private static func id(_ number: Int) -> String { "00000000-0000-4000-8000-00000000000\(number)" }

    /// Makes a file, and the model of what it says.
    private func file(_ format: TaskFormat, _ dice: inout Dice) throws -> (text: String, model: [String: Days]) {
        var (text, model) = (
            format == .csv ? "id,text,state,createdAt,completedAt,archivedAt,scheduledDate,dueDay\n" : "",
            [String: Days]()
        )
        for number in 0..<6 {
            let (id, isDone) = (Self.id(number), dice.chance(60))
            let days = Days(
                created: try Self.day(&dice), completed: isDone ? try Self.day(&dice) : nil,
                archived: dice.chance(20) ? try Self.day(&dice) : nil,
                planned: dice.chance(50) ? try Self.day(&dice) : nil, due: dice.chance(50) ? try Self.day(&dice) : nil)
            model[id] = days
            let (done, archived, planned, due) = (days.completed, days.archived, days.planned, days.due)
            switch format {
            case .csv:
                let state = isDone ? "completed" : "notStarted"
                text += "\(id),t\(number),\(state),\(days.created),\(done ?? ""),\(archived ?? ""),"
                text += "\(planned ?? ""),\(due ?? "")\n"
            case .markdown:
                text += "* [\(isDone ? "X" : " ")] t\(number) 🆔 \(id) ➕ \(days.created)"
                text += (planned.map { " ⏳ \($0)" } ?? "") + (due.map { " 📆 \($0)" } ?? "")
                text += (done.map { " ✅ \($0)" } ?? "") + (archived.map { " ❌ \($0)" } ?? "") + "\n"
            default:
                text += isDone ? "x \(dice.chance(50) ? "(B) " : "")\(done ?? "") " : ""
                text += "\(days.created) t\(number)\(due.map { " due:\($0)" } ?? "")\(planned.map { " t:\($0)" } ?? "")"
                text += " id:\(id)\(archived.map { " archived:\($0)" } ?? "")\n"
            }
        }
        return (text, model)
    }

    /// Reads the days of an export without Daybook.
    private func days(of text: String, as format: TaskFormat) throws -> [String: Days] {
        var found: [String: Days] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            func after(_ sign: String) -> String? { words.firstIndex(of: sign).map { words[$0 + 1] } }
            if format == .markdown {
                let id = try #require(after("🆔"))
                found[id] = Days(
                    created: try #require(after("➕")), completed: after("✅"), archived: after("❌"), planned: after("⏳"),
                    due: after("📅") ?? after("📆"))
            } else {
                let id = try #require(words.last { $0.hasPrefix("id:") }).dropFirst(3)
                let days = words.prefix(4).filter { $0.count == 10 && $0.hasPrefix("1") || $0.hasPrefix("20") }
                func value(_ key: String) -> String? {
                    words.first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
                }
                found[String(id)] = Days(
                    created: try #require(days.last), completed: words[0] == "x" ? days[0] : nil,
                    archived: value("archived:"), planned: value("t:"), due: value("due:"))
            }
        }
        return found
    }

    @Test(
        "Days never move through imports and exports in any zones, and an unchanged file changes nothing [S-66]",
        arguments: TestBudget.range(24, quick: 6))
    func daysStay(seed: UInt64) async throws {
        var dice = Dice(seed)
        let format = [TaskFormat.todotxt, .markdown, .csv][Int(seed) % 3]
        let (first, model) = try file(format, &dice)
        var store = try TestDaybook(seed: seed)
        store.zone = try Self.zone(&dice)
        #expect(try await store.import(Array(first.utf8), as: format).imported == 6)
        for step in 0..<8 {
            store.zone = try Self.zone(&dice)
            let through = Self.formats[dice.below(Self.formats.count)]
            let export = try store.export(as: through)
            if dice.chance(60) {
                store = try TestDaybook(seed: seed &+ UInt64(step))
                store.zone = try Self.zone(&dice)
                #expect(try await store.import(export, as: through).imported == 6)
            } else {
                store.zone = try Self.zone(&dice)
                #expect(try await store.import(export, as: through).imported == 0)
            }
            if dice.chance(30), let task = UUID(uuidString: Self.id(dice.below(6))) {
                // Another line is written of a task that was edited.
                store.clock.advance(byMicroseconds: 1_000_000)
                try await store.tasks.edit(task) { $0.text += "e" }
            }
            for format in [TaskFormat.todotxt, .markdown] {
                store.zone = try Self.zone(&dice)
                let text = String(decoding: try store.export(as: format), as: UTF8.self)
                #expect(try days(of: text, as: format) == model, "step \(step) through \(through) in \(store.zone)")
            }
        }
        #expect(try store.daybook.verify().problems == [])
    }

    @Test("A day counts only for the instant that it was given for")
    func laterChanges() async throws {
        let store = try TestDaybook(at: "2026-02-11T10:00:00Z")
        store.zone = try Zone("Pacific/Kiritimati")
        let id = try #require(UUID(uuidString: Self.id(1)))
        _ = try await store.import(Array("x 2026-02-01 2026-01-05 Pay id:\(Self.id(1))\n".utf8), as: .todotxt)
        store.zone = try Zone("America/New_York")
        try await store.tasks.reopen(id)
        try await store.tasks.complete(id)
        let line = { String(decoding: try store.export(as: .todotxt), as: UTF8.self) }
        #expect(try line() == "x 2026-02-11 2026-01-05 Pay id:\(Self.id(1))\n")
        // An edit of the file in another zone moves its day only.
        store.zone = try Zone("Asia/Tokyo")
        let edited = "x 2026-02-03 2026-01-05 Pay id:\(Self.id(1))\n"
        #expect(try await store.import(Array(edited.utf8), as: .todotxt).imported == 1)
        store.zone = try Zone("Etc/GMT+12")
        #expect(try line() == edited)
    }
}
