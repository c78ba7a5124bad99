import CommandSupport
import Daybook

/// A task with the facts that only the transaction that read it can provide.
struct ShownTask: Sendable, JSONWritable {
    let task: TaskItem
    /// Its position within its day or the Inbox, from 0.
    let sortOrder: Int
    /// The id as people see it: a suffix that is unambiguous among what is open or shown.
    let shortID: String
    /// The zone of the caller.
    let zone: Zone
    /// The day in that zone.
    let today: Day
    /// The ids of the open tasks that it waits for.
    var blockers: [UUID] = []
    /// How far its subtasks are; nil if it has none.
    var subtasks: SubtaskProgress?

    /// Whether it is open and waits for another task.
    var isBlocked: Bool { !task.isCompleted && !blockers.isEmpty }

    func write(to writer: inout JSONWriter) {
        ImportedTask(task, sortOrder: sortOrder, blockedBy: blockers).writeShown(
            to: &writer, in: zone, subtasks: subtasks)
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
        let hasSubtasks = try tasks.hasSubtasks()
        return try zip(items, sortOrders).map { task, order in
            ShownTask(
                task: task, sortOrder: order, shortID: shortIDs[task.id] ?? task.id.lowercased, zone: tasks.zone,
                today: tasks.currentDay,
                blockers: hasLinks ? try tasks.blockers(of: task.id, openOnly: true).map(\.id) : [],
                subtasks: hasSubtasks ? try tasks.subtaskProgress(of: task.id) : nil)
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

    /// Adds a line for each task: subtasks are indented below the task that they are a part of, if that is among them.
    mutating func rows(_ tasks: [ShownTask]) {
        let width = tasks.map(\.shortID.count).max() ?? 0
        for (shown, depth) in TaskTree(tasks).rows {
            let indent = String(repeating: "  ", count: depth)
            let (marks, facts) = (shown.marks, shown.facts)
            let tail = facts.isEmpty ? "" : "  " + facts.joined(separator: ", ")
            let words = terminal.fitted(
                indent + marks + VisibleText.of(shown.task.text), after: width + 7 + tail.count)
            let cells = [
                terminal.styled(shown.shortID.padded(to: width), .faint),
                terminal.styled(shown.task.state.mark, shown.task.state.style),
                terminal.styled(words, shown.task.state.style) + (tail.isEmpty ? "" : terminal.styled(tail, .faint)),
            ]
            text += cells.joined(separator: "  ") + "\n"
        }
    }
}

extension ShownTask {
    /// The prefix of the text: whether it is archived or blocked, and its priority.
    fileprivate var marks: String {
        let state = task.archivedAt != nil ? "(archived) " : isBlocked ? "(blocked) " : ""
        let priority =
            switch task.priority {
            case .high: "!!! "
            case .medium: "!! "
            case .low: "! "
            case .none, .unknown: ""
            }
        return state + priority
    }

    /// When it is due, if it is open.
    var dueFact: String? {
        guard !task.isCompleted, let due = task.due(in: zone) else { return nil }
        // A script gets the day, whenever it runs.
        let isTerminal = Terminal.standardOutput.isTerminal
        return "due " + (isTerminal ? EnglishTaskTexts().relative(due, on: today, in: zone) : due.text(in: zone))
    }

    /// The suffix of the text: the progress of its subtasks, when it is due, its tags.
    fileprivate var facts: [String] {
        var facts: [String] = []
        if let subtasks { facts.append("\(subtasks.completed) of \(subtasks.ids.count)") }
        if let dueFact { facts.append(dueFact) }
        if let day = task.waitUntil, task.isWaiting(on: today) { facts.append("hidden until \(day)") }
        facts += task.tags.map { "#" + VisibleText.of($0) }
        return facts
    }
}

/// Tasks of a listing with the subtasks below the tasks that they are parts of.
struct TaskTree {
    /// The tasks, and how many of those above them are listed as well.
    private(set) var rows: [(task: ShownTask, depth: Int)] = []

    init(_ tasks: [ShownTask]) {
        let listed = Dictionary(tasks.map { ($0.task.id, $0) }) { first, _ in first }
        let below = Dictionary(grouping: tasks.filter { $0.task.parentTaskID != nil }) { $0.task.parentTaskID }
        var added: Set<UUID> = []
        func add(_ shown: ShownTask, depth: Int) {
            guard added.insert(shown.task.id).inserted else { return }
            rows.append((shown, depth))
            let parts = below[shown.task.id, default: []]
            for part in parts.sorted(by: { $0.task.subtaskOrder < $1.task.subtaskOrder }) {
                add(part, depth: depth + 1)
            }
        }
        for shown in tasks where shown.task.parentTaskID.map({ listed[$0] == nil }) ?? true { add(shown, depth: 0) }
        // Devices that were apart can make two tasks parts of each other.
        for shown in tasks { add(shown, depth: 0) }
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
