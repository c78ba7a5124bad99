import CivilTime
import Foundation
import Tasks
import TestSupport
import Testing

@Suite struct QuickAddTests {
    private let today = Day(clampingDaysSince1970: 20_495)

    /// The rows of a table of Documentation/Dates.md, by the heading of its first column.
    private static func rows(below heading: String) throws -> [[String]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Documentation/Dates.md"), encoding: .utf8)
        let table = try #require(
            page.components(separatedBy: "| \(heading) |").last?.components(separatedBy: "\n\n").first)
        return table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.components(separatedBy: "|").dropFirst().map {
                let cell = $0.trimmingCharacters(in: .whitespaces)
                return cell.hasPrefix("`") && cell.hasSuffix("`") ? String(cell.dropFirst().dropLast()) : cell
            }
        }
    }

    private func printed(_ found: QuickAdd) -> String {
        let parts: [(String, String?)] = [
            ("day", found.day?.description), ("reminder", found.reminder?.description), ("due", found.due?.description),
            ("category", found.category), ("bucket", found.bucket?.name), ("region", found.region?.name),
            ("rule", found.rule?.rrule), ("priority", found.priority?.name),
            ("tags", found.tags.isEmpty ? nil : found.tags.joined(separator: "+")),
        ]
        let all = parts.compactMap { name, value in value.map { "\(name) \($0)" } }.joined(separator: ", ")
        return all.isEmpty ? "nothing" : all
    }

    @Test("Phrases at the end of a text are taken off, as the table of Dates.md says")
    func table() throws {
        let rows = try Self.rows(below: "what is typed")
        #expect(rows.count >= 20)
        for row in rows {
            let found = QuickAdd(parsing: row[0], today: today, zone: .utc)
            #expect(found.text == row[1], "\(row[0])")
            #expect(printed(found) == row[2], "\(row[0])")
        }
    }

    @Test("The table of recurrence rules in Dates.md says what the parser says")
    func recurrenceTable() throws {
        let rows = try Self.rows(below: "example | RRULE")
        #expect(rows.count >= 15)
        for row in rows {
            #expect(try RecurrenceRule(phrase: row[0], today: today).rrule == row[1])
        }
    }

    @Test("White space around the text and between phrases does not matter, and that within the text is kept")
    func whiteSpace() {
        for (text, expected) in [
            ("Call  Ada\t tomorrow  #home ", "Call  Ada"), ("  Call\n\nAda fri", "  Call\n\nAda"),
            ("  fri  ", "  fri  "),
            ("", ""), ("   ", "   "), (" #a #b", " #a"),
        ] {
            #expect(QuickAdd(parsing: text, today: today, zone: .utc).text == expected)
        }
    }

    @Test("What is left is a beginning of what was typed, with all that is quoted")
    func randomTexts() {
        let words = [
            "Call", "Ada", "tomorrow", "17:30", "at", "9", "fri", "next", "friday", "in", "3", "days", "#home", "!must",
            "@morning",
            "due", "every", "weekday", "monthly", "on", "31", "until", "feb", "11", "\"x", "y\"", "daily", "é", "10",
            "times",
        ]
        let seed = UInt64.random(in: 0..<UInt64.max)
        var dice = Dice(seed)
        for _ in 0..<2_000 {
            let text = (0...dice.below(12)).map { _ in dice.pick(words) }.joined(separator: " ")
            let found = QuickAdd(parsing: text, today: today, zone: .utc)
            #expect(text.hasPrefix(found.text) && !found.text.isEmpty, "seed \(seed): \(text)")
            // Everything with a quotation mark, and what is before it, is kept.
            let quotation = text.lastIndex(of: "\"").map { text[...$0] } ?? ""
            #expect(found.text.hasPrefix(quotation), "seed \(seed): \(text)")
        }
    }

    @Test("A long text costs as little as a short one")
    func longText() {
        let text = String(repeating: "word ", count: 200_000) + "fri #home"
        let time = ContinuousClock().measure {
            #expect(QuickAdd(parsing: text, today: today, zone: .utc).category == "home")
        }
        #expect(time < .seconds(1))
    }
}
