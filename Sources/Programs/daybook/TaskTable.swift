import Daybook

/// Tasks as lines for people: short ids, marks and text in columns on a terminal; elsewhere plain lines that stay the
/// same from one version to the next, with whole ids.
struct TaskTable {
    private let terminal = Terminal.standardOutput
    private(set) var text = ""

    /// Adds a heading.
    mutating func heading(_ line: String) {
        if !text.isEmpty { text += "\n" }
        text += terminal.styled(line, .bold) + "\n"
    }

    /// Adds a line of its own.
    mutating func line(_ line: String) {
        text += line + "\n"
    }

    /// Adds a line for each task.
    mutating func rows(_ tasks: [ShownTask]) {
        let ids = tasks.map { terminal.isTerminal ? $0.shortID : $0.task.id.lowercased }
        let width = ids.map(\.count).max() ?? 0
        for (shown, id) in zip(tasks, ids) {
            let words = terminal.fitted(VisibleText.of(shown.task.text), after: width + 7)
            let cells = [
                terminal.styled(id.padded(to: width), .faint),
                terminal.styled(shown.task.state.mark, shown.task.state.look),
                terminal.styled(words, shown.task.state.look),
            ]
            text += cells.joined(separator: "  ") + "\n"
        }
    }
}

extension TaskState {
    fileprivate var mark: String {
        switch self {
        case .notStarted, .unknown: "[ ]"
        case .active: "[>]"
        case .completed: "[x]"
        }
    }

    fileprivate var look: Terminal.Look {
        switch self {
        case .notStarted, .unknown: .plain
        case .active: .active
        case .completed: .faint
        }
    }
}

extension Day {
    /// The day with its weekday, as headings show it.
    var heading: String { "\(String(describing: weekday).prefix(3).capitalized) \(self)" }
}
