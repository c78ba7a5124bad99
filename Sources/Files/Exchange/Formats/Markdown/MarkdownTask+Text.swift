import ByteStreams
import CivilTime
import FoundationEssentials

extension MarkdownTask {
    /// The task as Daybook writes it: the signs in the order of Obsidian Tasks, so that it can read them, and the notes
    /// below.
    var lines: String {
        var line = "\(lead)\(bullet) [\(box.character)] \(MarkdownEscapes.escape(text))"
        if let category {
            let value = PercentText.encode(category, keepingSpaces: true) { "[]".utf8.contains($0) }
            line += " \(MarkdownSign.categoryStart) \(value)]"
        }
        for other in others { line += " \(other)" }
        // Ours stands behind one of somebody else's: Obsidian Tasks takes the first.
        line += Self.sign(.id, id?.lowercased)
        line += Self.sign(.recurrence, recurrence.map(Self.rule))
        line += Self.sign(.created, createdOn?.description)
        line += Self.sign(.scheduled, scheduled?.description)
        line += Self.sign(.due, due?.description)
        line += Self.sign(.cancelled, archivedOn?.description)
        line += Self.sign(.done, completedOn?.description)
        line += link
        guard let notes else { return line }
        for note in MarkdownNotes.lines(of: notes) {
            line += "\n" + (note.isEmpty ? blankLead : "\(lead)    \(MarkdownNotes.escape(note))")
        }
        return line
    }

    /// The lines of a file with the id that they have not got.
    static func identified(_ item: MarkdownItem, by id: UUID) -> String {
        var first = Array((item.lines.first ?? "").utf8)
        let place = MarkdownSigns(item.bullet.rest).link?.lowerBound ?? first.endIndex
        first.insert(contentsOf: sign(.id, id.lowercased).utf8, at: place)
        return ([String(decoding: first, as: UTF8.self)] + item.lines.dropFirst()).joined(separator: "\n")
    }

    private static func sign(_ sign: MarkdownSign, _ value: String?) -> String {
        guard let value, let scalar = sign.scalars.first else { return "" }
        return " \(scalar) \(value)"
    }

    /// Blank lines of a quotation are part of it; others are empty.
    private var blankLead: String {
        guard let last = lead.lastIndex(of: ">") else { return "" }
        return String(lead[...last])
    }

    /// A rule of Obsidian Tasks begins with "every". Another begins with a `%`, so that "🔁" in a text is no rule.
    private static func rule(_ pattern: String) -> String {
        let isRule = pattern.utf8.starts(with: "every".utf8)
        var encoded = PercentText.encode(pattern, keepingSpaces: true) { $0 >= 0x80 || "#[]".utf8.contains($0) }
        if !isRule, let first = encoded.utf8.first, first != UInt8(ascii: "%") {
            var digits: [UInt8] = [UInt8(ascii: "%")]
            digits.appendHexadecimal(first)
            encoded = String(decoding: digits, as: UTF8.self) + String(encoded.dropFirst())
        }
        return encoded
    }
}
