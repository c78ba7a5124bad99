import CommandSupport
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
                terminal.styled(shown.task.state.mark, shown.task.state.style),
                terminal.styled(words, shown.task.state.style),
            ]
            text += cells.joined(separator: "  ") + "\n"
        }
    }
}

extension TaskState {
    fileprivate var mark: String {
        switch self {
        case .notStarted: "[ ]"
        case .active: "[>]"
        case .completed: "[x]"
        }
    }

    fileprivate var style: Terminal.Style {
        switch self {
        case .notStarted: .plain
        case .active: .active
        case .completed: .faint
        }
    }
}

extension Day {
    /// The day with its weekday, as headings show it.
    var heading: String { "\(String(describing: weekday).prefix(3).capitalized) \(self)" }
}

/// A task together with what can only be known inside the transaction that read it.
struct ShownTask: Sendable {
    let task: TaskItem
    /// Its place within its day or the Inbox, from 0.
    let sortOrder: Int
    /// The shortest beginning of its id, of 8 characters or more, that no other task shares.
    let shortID: String

    /// The task as JSON shows it.
    var document: TaskDocument { TaskDocument(task, sortOrder: sortOrder) }
}

extension ReadTransaction {
    /// One task.
    func shown(_ task: TaskItem) throws -> ShownTask {
        ShownTask(task: task, sortOrder: try tasks.sortOrder(of: task), shortID: try shortID(of: task.id))
    }

    /// All tasks of one day, or all of the Inbox.
    func shown(container: [TaskItem]) throws -> [ShownTask] {
        try zip(container, TaskItem.sortOrders(of: container)).map { task, order in
            ShownTask(task: task, sortOrder: order, shortID: try shortID(of: task.id))
        }
    }

    /// Ids begin with the time of creation: those of one minute share 8 digits, those of one burst 12. So the lengths
    /// that are tried end where an id has its hyphens.
    private func shortID(of id: UUID) throws -> String {
        let text = id.lowercased
        let bytes = text.filter { $0 != "-" }.utf8.map { UInt8(Character(Unicode.Scalar($0)).hexDigitValue ?? 0) }
        for (length, digits) in [(8, 8), (13, 12), (18, 16), (23, 20)] {
            let prefix = stride(from: 0, to: digits, by: 2).map { bytes[$0] << 4 | bytes[$0 + 1] }
            if try self[TaskItem.self].ids(beginning: prefix, limit: 2).count < 2 { return String(text.prefix(length)) }
        }
        return text
    }
}
