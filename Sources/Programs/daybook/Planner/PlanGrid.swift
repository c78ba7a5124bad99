import CommandSupport
import Daybook

/// A plan for people: its regions beside each other as far as the terminal's width allows, else below each other.
struct PlanGrid {
    /// A line of a cell: its text, which fits, and the text with its styles.
    private struct Line {
        var columns = 0
        var text = ""

        mutating func add(_ words: String, _ style: Terminal.Style = .plain, on terminal: Terminal) {
            columns += words.columns
            text += terminal.styled(words, style)
        }

        func padded(to width: Int) -> String { text + String(repeating: " ", count: max(width - columns, 0)) }
    }

    private static let gap = 2
    /// The least width of a region in which a text can be read.
    private static let leastWidth = 30
    /// The least columns of a text beside when it is due.
    private static let leastText = 10

    private let plan: ShownPlan
    private let isToday: Bool
    private let terminal: Terminal

    init(_ plan: ShownPlan, isToday: Bool, on terminal: Terminal = .standardOutput) {
        self.plan = plan
        self.isToday = isToday
        self.terminal = terminal
    }

    /// How many regions are beside each other: 1, 2 or 4.
    private var columnCount: Int {
        guard let width = terminal.width else { return 1 }
        return [4, 2].first { (width + Self.gap) / $0 - Self.gap >= Self.leastWidth } ?? 1
    }

    var text: String {
        let count = columnCount
        let width = terminal.width.map { ($0 + Self.gap) / count - Self.gap }
        var title = Line()
        title.add("\(isToday ? "Today" : "Plan"), \(plan.day.heading)", .bold, on: terminal)
        var text = title.text + "\n"
        let cells = plan.regions.map { lines(of: $0, width: width) }
        for start in stride(from: 0, to: cells.count, by: count) {
            text += "\n"
            let row = cells[start..<min(start + count, cells.count)]
            for number in 0..<(row.map(\.count).max() ?? 0) {
                let parts = row.map { $0.indices.contains(number) ? $0[number] : Line() }
                // No blanks at the end of a line.
                let last = parts.lastIndex { $0.columns > 0 } ?? 0
                text += parts[...last].enumerated().map { index, part in
                    index == last ? part.text : part.padded(to: (width ?? 0) + Self.gap)
                }.joined()
                text += "\n"
            }
        }
        return text
    }

    private func lines(of region: ShownPlan.Region, width: Int?) -> [Line] {
        var lines = [line(region.region.heading, .bold, "  \(region.open) open", width: width)]
        for bucket in region.buckets where bucket.bucket.cap != nil || !bucket.tasks.isEmpty {
            let used = bucket.bucket.cap.map { "  \(bucket.used)/\($0)" } ?? "  \(bucket.used)"
            let isOver = bucket.bucket.cap.map { bucket.used > $0 } ?? false
            let name = bucket.bucket.cap == nil ? bucket.bucket.heading : bucket.bucket.name.capitalized
            lines.append(line(name, .plain, used, isOver ? .bad : .faint, width: width))
            lines += bucket.tasks.map { line(of: $0, width: width) }
        }
        return lines
    }

    private func line(
        _ name: String, _ style: Terminal.Style, _ rest: String, _ restStyle: Terminal.Style = .faint, width: Int?
    ) -> Line {
        var line = Line()
        line.add(name, style, on: terminal)
        line.add(fitted(rest, after: line.columns, width: width), restStyle, on: terminal)
        return line
    }

    private func line(of shown: ShownTask, width: Int?) -> Line {
        let state = shown.task.state
        var line = Line()
        line.add(" ", on: terminal)
        line.add(shown.shortID, .faint, on: terminal)
        line.add(" ", on: terminal)
        line.add(state.mark, state.style, on: terminal)
        line.add(shown.task.isSticky ? "*" : " ", .bold, on: terminal)
        var due = shown.dueFact.map { "  " + $0 } ?? ""
        // A narrow cell rather shows the text.
        if let width, line.columns + Self.leastText + due.columns > width { due = "" }
        let words = fitted(VisibleText.of(shown.task.text), after: line.columns + due.columns, width: width)
        line.add(words, state.style, on: terminal)
        line.add(due, .faint, on: terminal)
        return line
    }

    /// The text, truncated to the rest of a cell's width.
    private func fitted(_ text: String, after columns: Int, width: Int?) -> String {
        Terminal(isTerminal: terminal.isTerminal, hasColors: false, width: width).fitted(text, after: columns)
    }
}
