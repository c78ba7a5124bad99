/// Notes as lines below a task.
enum MarkdownNotes {
    /// The lines without the indentation that all of them have, and without blank ones at the ends; nil if none is left.
    static func text(of lines: [String]) -> String? {
        var lines = lines.map { Array($0.utf8) }.map { $0.allSatisfy(\.isBlank) ? [] : $0 }
        while lines.last?.isEmpty == true { lines.removeLast() }
        let first = lines.firstIndex { !$0.isEmpty } ?? lines.endIndex
        let rest = lines[first...]
        let depth = rest.lazy.filter { !$0.isEmpty }.compactMap { MarkdownIndentation($0[...], quotes: 0)?.column }
            .min()
        guard let depth else { return nil }
        return rest.map { String(decoding: cut($0, by: depth), as: UTF8.self) }.joined(separator: "\n")
    }

    /// The lines of a text, whatever ends them.
    static func lines(of text: String) -> [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        var last: UInt8 = 0
        for byte in text.utf8 {
            let isLineFeed = byte == UInt8(ascii: "\n")
            if isLineFeed && last == UInt8(ascii: "\r") {
                // "\r\n" is one line end.
            } else if isLineFeed || byte == UInt8(ascii: "\r") {
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
            } else {
                line.append(byte)
            }
            last = byte
        }
        lines.append(String(decoding: line, as: UTF8.self))
        return lines
    }

    /// A line of notes so that it is no task of its own.
    static func escape(_ line: String) -> String {
        var bytes = Array(line.utf8)
        guard let bullet = MarkdownBullet(bytes[...]) else { return line }
        bytes.insert(UInt8(ascii: "\\"), at: bullet.backslashes.lowerBound)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what ``escape(_:)`` writes.
    static func unescape(_ line: String) -> String {
        var bytes = Array(line.utf8)
        guard let bullet = MarkdownBullet(bytes[...]), !bullet.backslashes.isEmpty else { return line }
        bytes.remove(at: bullet.backslashes.lowerBound)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func cut(_ line: [UInt8], by depth: Int) -> [UInt8] {
        var column = 0
        var index = 0
        while column < depth, index < line.count {
            column = MarkdownIndentation.column(after: line[index], at: column)
            index += 1
        }
        // A tab may reach further than what is cut off.
        return Array(repeating: UInt8(ascii: " "), count: max(0, column - depth)) + line[index...]
    }
}
