import FileSystem
import FoundationEssentials

/// What standard output is connected to, and how to format text for it.
package struct Terminal {
    /// Whether it is a terminal.
    package let isTerminal: Bool
    /// Whether colors may be used.
    package let hasColors: Bool
    /// Columns per line; nil when lines must never be cut.
    package let width: Int?

    package static let standardOutput = Terminal(descriptor: .standardOutput)

    package init(isTerminal: Bool, hasColors: Bool, width: Int?) {
        self.isTerminal = isTerminal
        self.hasColors = hasColors
        self.width = width
    }

    private init(descriptor: FileDescriptor) {
        isTerminal = descriptor.isTerminal
        guard isTerminal else {
            hasColors = false
            width = nil
            return
        }
        let environment = ProcessInfo.processInfo.environment
        hasColors = Self.allowsControlSequences(environment)
        width = descriptor.terminalWidth ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }

    /// Whether the environment allows more than plain text on a terminal.
    package static func allowsControlSequences(_ environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Asks a question on the terminal, whatever the standard streams are; returns nil when there is none.
    package static func ask(_ question: String) -> String? {
        guard let terminal = TerminalDevice() else { return nil }
        defer { terminal.close() }
        return String(decoding: terminal.ask(question), as: UTF8.self)
    }

    /// The style of a piece of text, by its SGR parameter.
    package enum Style: String {
        case plain = ""
        case bold = "1"
        case faint = "2"
        case active = "33"
        case bad = "31"
        case bar = "36"
    }

    /// Returns the text in a style where colors may be used.
    package func styled(_ text: String, _ style: Style) -> String {
        hasColors && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Returns the text cut to the rest of a line, or all of it where lines have no limit.
    package func fitted(_ text: String, after columns: Int) -> String {
        guard let width, text.columns > max(width - columns, 8) else { return text }
        var left = max(width - columns, 8) - 1
        return String(
            text.prefix { character in
                left -= character.columns
                return left >= 0
            }) + "…"
    }
}

extension String {
    /// The number of terminal columns it takes.
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Returns the text with spaces after it up to a width.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - columns, 0)) }
}

extension Character {
    /// Two for the wide characters of East Asia and for emoji, none for what is drawn over the character before, else one.
    fileprivate var columns: Int {
        guard let first = unicodeScalars.first, first.value >= 0x300 else { return 1 }
        // A character can be an emoji by a variation selector (a heart), or by two letters (a flag).
        if first.properties.isEmojiPresentation || unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD:
            return 2
        default:
            switch first.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return 0
            default: return 1
            }
        }
    }
}

extension Int {
    /// A size in bytes for people: `6.8 MB`, in powers of a thousand.
    package var asBytes: String {
        var value = Double(self)
        for unit in ["bytes", "kB", "MB", "GB"] {
            if value < 1000 || unit == "GB" {
                return unit == "bytes" ? "\(self) bytes" : "\((value * 10).rounded() / 10) \(unit)"
            }
            value /= 1000
        }
        return "\(self) bytes"
    }
}

/// Makes text safe to show on a terminal.
package enum VisibleText {
    /// Returns the text on one line, with control characters, line breaks and bidirectional controls as escapes.
    package static func of(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var visible = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) { visible += escape(scalar) } else { visible.unicodeScalars.append(scalar) }
        }
        return visible
    }

    /// Escapes the control characters above ASCII, which JSON allows in strings and terminals interpret.
    package static func escapingControls(inJSON bytes: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x7F {
                escaped += Array("\\u007f".utf8)
            } else if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 {
                escaped += Array("\\u00\(String(bytes[index + 1], radix: 16))".utf8)
                index += 1
            } else {
                escaped.append(byte)
            }
            index += 1
        }
        return escaped
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x2028, 0x2029: true
        // Bidirectional controls: they could make one line read as another.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
}
