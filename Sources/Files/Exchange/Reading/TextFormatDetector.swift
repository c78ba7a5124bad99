import ByteStreams

/// Detects the formats of free text by all lines of a file.
///
/// Every text is a valid line of todo.txt, and a box can occur in any text: in a mail, in a log, under a heading of Org. So
/// each kind of line is counted, and the kind that most lines are decides.
struct TextFormatDetector {
    /// What the lines are.
    enum Result: Equatable {
        case format(TaskFormat)
        /// Org, which is not read.
        case org
        /// Some lines are tasks, but most are other text.
        case undecided
    }

    private var splitter = LineSplitter()
    private var fence: MarkdownFence?
    /// Lines with a box of Markdown.
    private var boxes = 0
    /// Lines that only todo.txt has.
    private var todos = 0
    /// Headings of Markdown.
    private var headings = 0
    /// Lines that are neither of these nor another part of Markdown.
    private var others = 0
    /// Lines that only Org has.
    private var orgLines = 0
    /// Headings with a state of Org, which could be bullets of Markdown.
    private var orgStates = 0
    private var isFirst = true
    private var isFirstTodo = false
    private var isAfterStars = false
    /// Whether a line is too long to be one; the reader reports it.
    private var isUnreadable = false

    /// Takes the next bytes of the file.
    mutating func take(_ bytes: [UInt8]) {
        if isUnreadable { return }
        var lines: [TextLine] = []
        do {
            try splitter.take(bytes) { lines.append($0) }
        } catch {
            isUnreadable = true
        }
        for line in lines { take(line) }
    }

    /// Returns what the file is; nil if no line decides it.
    ///
    /// - Parameter named: The format of its name: `.md` has boxes and prose.
    mutating func result(named: TaskFormat?) -> Result? {
        var lines: [TextLine] = []
        try? splitter.end { lines.append($0) }
        for line in lines { take(line) }

        if orgLines > todos || orgStates > todos && named != .markdown { return .org }
        if boxes > todos, named == .markdown || headings > 0 || boxes >= others { return .format(.markdown) }
        if todos > 0, isFirstTodo || 2 * todos > others + boxes { return .format(.todotxt) }
        return boxes > todos ? .undecided : nil
    }

    private mutating func take(_ line: TextLine) {
        let bytes = Array(line.text.utf8)[...]
        let content = bytes.drop(while: \.isBlank)
        guard let first = content.first else { return }
        let isCode = fence != nil
        fence.take(content)
        if isCode || fence != nil { return }
        defer { isFirst = false }
        let isIndented = content.startIndex > bytes.startIndex
        if takeOrg(content, isIndented: isIndented) { return }
        if MarkdownItem(line) != nil {
            boxes += 1
        } else if isIndented || "-*+>|#".utf8.contains(first) {
            if !isIndented, first == UInt8(ascii: "#"), Self.isHeading(content) { headings += 1 }
        } else if TodoTextLine.isTelling(line.text) {
            todos += 1
            if isFirst { isFirstTodo = true }
        } else {
            others += 1
        }
    }

    private static func isHeading(_ content: ArraySlice<UInt8>) -> Bool {
        let rest = content.drop { $0 == UInt8(ascii: "#") }
        return rest.startIndex - content.startIndex <= 6 && rest.first?.isBlank == true
    }

    // MARK: Org

    /// Whether a line is one of Org and not of Markdown.
    private mutating func takeOrg(_ content: ArraySlice<UInt8>, isIndented: Bool) -> Bool {
        defer { isAfterStars = !isIndented && Self.stars(of: content) > 0 }
        if isAfterStars, Self.belowHeading.contains(where: { content.starts(with: $0.utf8) }) {
            orgLines += 1
            return true
        }
        guard !isIndented else { return false }
        if content.starts(with: "#+".utf8) {
            // "#+TITLE: Home"
            let name = content.dropFirst(2).prefix { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == 0x5F }
            guard !name.isEmpty, content[name.endIndex...].first == UInt8(ascii: ":") else { return false }
            orgLines += 1
            return true
        }
        let stars = Self.stars(of: content)
        guard stars > 0 else { return false }
        let words = content.dropFirst(stars + 1)
        if stars > 1 {
            // Boxes after several stars are a list of AsciiDoc.
            if words.first != UInt8(ascii: "[") { orgLines += 1 }
        } else if Self.states.contains(where: { words.starts(with: "\($0) ".utf8) }) {
            orgStates += 1
        } else {
            return false
        }
        return true
    }

    /// What follows a heading of Org.
    private static let belowHeading = [":PROPERTIES:", "DEADLINE: <", "SCHEDULED: <", "CLOSED: ["]
    private static let states = ["TODO", "DONE", "NEXT", "WAITING", "CANCELLED", "CANCELED"]

    /// The number of stars before the blank of a heading; 0 if the line is none.
    private static func stars(of content: ArraySlice<UInt8>) -> Int {
        let rest = content.drop { $0 == UInt8(ascii: "*") }
        return rest.first == UInt8(ascii: " ") ? rest.startIndex - content.startIndex : 0
    }
}

extension TodoTextLine {
    /// Whether a line is typical of todo.txt; every text is a valid line.
    fileprivate static func isTelling(_ text: String) -> Bool {
        // Reading a line takes long, and these are the only ones that can be typical.
        guard let first = text.utf8.first, first == UInt8(ascii: "x") || first == UInt8(ascii: "(") || first.isDigit
        else { return false }
        let line = TodoTextLine(text)
        if line.priority != nil || line.isCompleted && line.completedOn != nil { return true }
        return line.createdOn != nil
            && (line.id != nil || line.due != nil || line.threshold != nil || line.category != nil)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
