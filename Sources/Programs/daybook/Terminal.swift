import FoundationEssentials
import Glibc

/// What is at the other end of standard output, and how to write for it.
struct Terminal {
    /// Whether a person looks at it.
    let isTerminal: Bool
    /// Whether colours are welcome.
    let hasColours: Bool
    /// Columns a line; nil when lines must never be cut.
    let width: Int?

    static let standardOutput = Terminal(descriptor: STDOUT_FILENO)

    init(isTerminal: Bool, hasColours: Bool, width: Int?) {
        self.isTerminal = isTerminal
        self.hasColours = hasColours
        self.width = width
    }

    private init(descriptor: Int32) {
        isTerminal = isatty(descriptor) == 1
        guard isTerminal else {
            hasColours = false
            width = nil
            return
        }
        let environment = ProcessInfo.processInfo.environment
        hasColours = Self.isWelcome(environment)
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            width = Int(size.ws_col)
        } else {
            width = environment["COLUMNS"].flatMap { Int($0) } ?? 80
        }
    }

    /// Whether the environment lets anything but plain text go to a terminal.
    static func isWelcome(_ environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// How a piece of a line looks.
    enum Look: String {
        case plain = ""
        case bold = "1"
        case faint = "2"
        case active = "33"
        case bad = "31"
        case bar = "36"
    }

    /// The text in a look, where colours are welcome.
    func styled(_ text: String, _ look: Look) -> String {
        hasColours && look != .plain ? "\u{1B}[\(look.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The text cut to what is left of a line; whole where lines have no end.
    func fitted(_ text: String, after columns: Int) -> String {
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
    /// How many columns of a terminal it takes.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The text with blanks after it, up to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - columns, 0)) }
}

extension Character {
    /// Two for the wide characters of East Asia and for emoji, else one.
    fileprivate var columns: Int {
        guard let value = unicodeScalars.first?.value, value >= 0x1100 else { return 1 }
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
