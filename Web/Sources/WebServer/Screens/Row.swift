import Daybook
import FoundationEssentials

/// A task as a line of a page. What a page shows of it is here, so that one line needs no second request.
struct Row: Encodable, Hashable {
    var id = ""
    var text = ""
    var state = ""
    var day: String?
    var dayText: String?
    var due: String?
    var overdue: Bool?
    var reminder: String?
    var repeats: String?
    var list: String?
    var listName: String?
    var color: String?
    var category: String?
    var tags: [String]?
    var priority: String?
    var notes: Bool?
    var waits: String?
    var blocked: Bool?
    var parent: String?
    var subtasks: String?
    var carried: Int?
    var region: String?
    var bucket: String?
    var sticky: Bool?
    var archived: Bool?
    var pending: Bool?

    let uuid: UUID

    private enum CodingKeys: CodingKey {
        case id, text, state, day, dayText, due, overdue, reminder, repeats, list, listName, color, category, tags,
            priority
        case notes, waits, blocked, parent, subtasks, carried, region, bucket, sticky, archived, pending
    }

    /// The longest text of a line: more is in the task's details.
    private static let longestText = 500
}

extension Board {
    /// The lines of tasks.
    ///
    /// - Complexity: some look-ups for each task.
    func rows(_ tasks: some Sequence<TaskItem>) throws -> [Row] {
        try session.read { transaction in try tasks.map { try row($0, transaction.tasks) } }
    }

    func row(_ task: TaskItem, _ reading: TaskReading) throws -> Row {
        let context = store.context
        let (zone, today) = (context.zone, context.today)
        var row = Row(
            task, texts: texts, zone: zone, today: today, now: context.clock.wall, weekStart: context.weekStart)
        if let list = task.listID, let found = lists.overview?.lists.first(where: { $0.list.id == list })?.list {
            (row.listName, row.color) = (found.name, "#\(found.color)")
        }
        if try reading.isBlocked(task.id) { row.blocked = true }
        if let progress = try reading.subtaskProgress(of: task.id) {
            row.subtasks = "\(progress.completed)/\(progress.ids.count)"
        }
        if pending.contains(task.id) { row.pending = true }
        return row
    }
}

extension Row {
    fileprivate init(
        _ task: TaskItem, texts: any DaybookTexts, zone: Zone, today: Day, now: Instant, weekStart: Weekday
    ) {
        uuid = task.id
        id = task.id.uuidString.lowercased()
        text = task.text.count > Self.longestText ? task.text.prefix(Self.longestText) + "…" : task.text
        state = Self.name(of: task.state)
        day = task.scheduledDate?.description
        dayText = task.scheduledDate.map { texts.relative($0, today: today) }
        due = task.due(in: zone).map { texts.relative($0, on: today, in: zone) }
        if task.isOverdue(at: now, in: zone) { overdue = true }
        reminder = task.reminderAt.map { texts.relative(.at($0), on: today, in: zone) }
        repeats = task.recurrence.map { $0.phrase(weekStart: weekStart) ?? $0.rrule }
        list = task.listID?.uuidString.lowercased()
        category = task.category
        if !task.tags.isEmpty { tags = task.tags }
        if task.priority != .none { priority = task.priority.name }
        if task.notes?.contains(where: { !$0.isWhitespace }) == true { notes = true }
        if task.isWaiting(on: today) { waits = task.waitUntil.map { texts.relative($0, today: today) } }
        parent = task.parentTaskID?.uuidString.lowercased()
        if task.carryCount > 0 { carried = Int(task.carryCount) }
        if task.region != .backlog || task.bucket != .none { (region, bucket) = (task.region.name, task.bucket.name) }
        if task.isSticky { sticky = true }
        if task.archivedAt != nil { archived = true }
    }

    /// The state in the words of the page.
    private static func name(of state: TaskState) -> String {
        switch state {
        case .notStarted: "todo"
        case .active: "doing"
        case .completed: "done"
        case .unknown: "unknown"
        }
    }
}
