/// Notes as lines below a task.
enum MarkdownNotes {
    /// The lines without common indentation and without blank lines at the ends; nil if none remain.
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

    /// The lines of a text, for any kind of line end.
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

    /// Escapes a line of notes that would be read as a task.
    static func escape(_ line: String) -> String {
        var bytes = Array(line.utf8)
        guard let bullet = MarkdownBullet(bytes[...]) else { return line }
        bytes.insert(UInt8(ascii: "\\"), at: bullet.backslashes.lowerBound)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reverses ``escape(_:)``.
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
        // A tab may extend beyond the indentation that is removed.
        return Array(repeating: UInt8(ascii: " "), count: max(0, column - depth)) + line[index...]
    }
}

/// Symbols that are meant as text, written as Markdown character references: `&#128197;` is 📅.
///
/// Text that looks like such a reference gets an additional `amp;`, so that every text is restored.
enum MarkdownEscapes {
    /// Escapes a text so that no part of it is read as a symbol.
    static func escape(_ text: String) -> String {
        let bytes = Array(text.utf8)[...]
        let hasSigns = !MarkdownSigns(bytes).isEmpty
        guard hasSigns || bytes.contains(UInt8(ascii: "&")) else { return text }
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if hasSigns, let end = MarkdownSign.at(index, in: bytes)?.end {
                let length = bytes[index] == UInt8(ascii: "[") || bytes[index] == UInt8(ascii: "(") ? 1 : end - index
                for scalar in String(decoding: bytes[index..<(index + length)], as: UTF8.self).unicodeScalars {
                    result += "&#\(scalar.value);".utf8
                }
                index += length
                continue
            }
            result.append(bytes[index])
            if reference(at: index, in: bytes) != nil { result += "amp;".utf8 }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reverses ``escape(_:)``.
    static func unescape(_ text: String) -> String {
        let bytes = Array(text.utf8)[...]
        guard bytes.contains(UInt8(ascii: "&")) else { return text }
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard let reference = reference(at: index, in: bytes) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if reference.isEscaped {
                result.append(bytes[index])
                index += 1 + "amp;".utf8.count
            } else {
                result += String(reference.scalar).utf8
                index = reference.end
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func reference(
        at start: Int, in bytes: ArraySlice<UInt8>
    ) -> (scalar: Unicode.Scalar, isEscaped: Bool, end: Int)? {
        guard bytes[start] == UInt8(ascii: "&") else { return nil }
        var index = start + 1
        while bytes[index...].starts(with: "amp;".utf8) { index += 4 }
        let isEscaped = index > start + 1
        guard bytes[index...].first == UInt8(ascii: "#") else { return nil }
        let digits = bytes[(index + 1)...].prefix(6).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard bytes[digits.endIndex...].first == UInt8(ascii: ";"),
            let value = UInt32(String(decoding: digits, as: UTF8.self)), MarkdownSign.canBegin(value),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        return (scalar, isEscaped, digits.endIndex + 1)
    }
}
