import CommandSupport
import Daybook

/// A task with the facts that only the transaction that read it can provide.
struct ShownTask: Sendable, JSONWritable {
    let task: TaskItem
    /// Its position within its day or the Inbox, from 0.
    let sortOrder: Int
    /// The id as people see it: a suffix that is unambiguous among what is open or shown.
    let shortID: String
    /// The zone of whoever asks.
    let zone: Zone
    /// The ids of the open tasks that it waits for.
    var blockers: [UUID] = []

    /// Whether it is open and waits for another task.
    var isBlocked: Bool { !task.isCompleted && !blockers.isEmpty }

    func write(to writer: inout JSONWriter) {
        ImportedTask(task, sortOrder: sortOrder, blockedBy: blockers).writeShown(to: &writer, in: zone)
    }
}

extension ReadTransaction {
    /// Returns one task.
    func shown(_ task: TaskItem) throws -> ShownTask {
        try shown([task], sortOrders: [tasks.sortOrder(of: task)])[0]
    }

    /// Returns tasks of any days.
    func shown(_ items: [TaskItem]) throws -> [ShownTask] {
        try shown(items, sortOrders: items.map { try tasks.sortOrder(of: $0) })
    }

    /// Returns all tasks of one day, or all of the Inbox.
    func shown(container: [TaskItem]) throws -> [ShownTask] {
        try shown(container, sortOrders: TaskItem.sortOrders(of: container))
    }

    /// Returns days with all their tasks. Short ids are unambiguous among all of them.
    func shown(days: [[TaskItem]]) throws -> [[ShownTask]] {
        let all = days.flatMap { $0 }
        let shown = try shown(all, sortOrders: days.flatMap { TaskItem.sortOrders(of: $0) })
        var rest = shown[...]
        return days.map { day in
            defer { rest = rest.dropFirst(day.count) }
            return Array(rest.prefix(day.count))
        }
    }

    private func shown(_ items: [TaskItem], sortOrders: [Int]) throws -> [ShownTask] {
        let shortIDs = try tasks.shortIDs(of: items.map(\.id))
        let hasLinks = try tasks.hasLinks()
        return try zip(items, sortOrders).map { task, order in
            ShownTask(
                task: task, sortOrder: order, shortID: shortIDs[task.id] ?? task.id.lowercased, zone: tasks.zone,
                blockers: hasLinks ? try tasks.blockers(of: task.id, openOnly: true).map(\.id) : [])
        }
    }

    /// Returns the task that an id, or part of one, names.
    ///
    /// - Throws: a usage error that lists the candidates with their texts when the id fits several.
    func task(named text: String) throws -> TaskItem {
        do {
            return try tasks.find(text)
        } catch TaskError.ambiguous {
            let ids = try tasks.candidates(for: text, limit: 11)
            let lines = try ids.prefix(10).map { id in "\(id.lowercased)  \(try tasks.get(id)?.text ?? "")" }
            let count = ids.count > lines.count ? "more than \(lines.count)" : "\(lines.count)"
            throw CommandError.ambiguous(
                "The id \(text.lowercased()) fits \(count) tasks. Give more of its digits, or one of these ids:",
                candidates: lines)
        }
    }
}

/// Tasks as lines for people, with ids, states and texts in columns.
struct TaskTable {
    private let terminal = Terminal.standardOutput
    private(set) var text = ""

    /// Adds a heading.
    mutating func heading(_ line: String) {
        if !text.isEmpty { text += "\n" }
        text += terminal.styled(line, .bold) + "\n"
    }

    /// Adds a line.
    mutating func line(_ line: String) {
        text += line + "\n"
    }

    /// Adds a line for each task.
    mutating func rows(_ tasks: [ShownTask]) {
        let width = tasks.map(\.shortID.count).max() ?? 0
        for shown in tasks {
            let mark = shown.task.archivedAt != nil ? "(archived) " : shown.isBlocked ? "(blocked) " : ""
            let words = terminal.fitted(mark + VisibleText.of(shown.task.text), after: width + 7)
            let cells = [
                terminal.styled(shown.shortID.padded(to: width), .faint),
                terminal.styled(shown.task.state.mark, shown.task.state.style),
                terminal.styled(words, shown.task.state.style),
            ]
            text += cells.joined(separator: "  ") + "\n"
        }
    }
}

extension TaskState {
    var mark: String {
        switch self {
        case .notStarted, .unknown: "[ ]"
        case .active: "[>]"
        case .completed: "[x]"
        }
    }

    var style: Terminal.Style {
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
