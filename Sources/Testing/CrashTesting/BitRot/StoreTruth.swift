import CivilTime
import FoundationEssentials
import Records
import Tasks

/// What the undamaged store answers. Kept in the memory of each child that looks at damaged ones.
struct StoreTruth {
    let tasks: [UUID: TaskItem]
    let deleted: [UUID]
    let views: [String: [TaskItem]]
    let counts: [String: Int]
    /// The tasks after one undo.
    let tasksAfterUndo: [UUID: TaskItem]
    let raw: RawContent

    /// Reads an undamaged store; then undoes its last operation.
    init(of path: String) throws {
        raw = try RawContent(of: path)
        let store = try LabStore(at: path)
        defer { store.close() }
        (tasks, deleted) = try Self.records(of: store)
        views = try store.tasks.read { views in
            try Dictionary(uniqueKeysWithValues: Self.views.map { ($0.name, try $0.read(views)) })
        }
        counts = try store.store.read { transaction in
            try Dictionary(uniqueKeysWithValues: Self.counts.map { ($0.name, try $0.read(transaction)) })
        }
        try store.perform(.undo)
        tasksAfterUndo = try Self.records(of: store).tasks
    }

    private static func records(of store: LabStore) throws -> (tasks: [UUID: TaskItem], deleted: [UUID]) {
        var tasks: [UUID: TaskItem] = [:]
        var deleted: [UUID] = []
        try store.tasks.read { views in
            try views.forEach { task, _ in tasks[task.id] = task }
            try views.forEachTombstone { deleted.append($0.id) }
        }
        return (tasks, deleted)
    }

    // MARK: What is asked of a store

    static let views: [(name: String, read: @Sendable (TaskReading) throws -> [TaskItem])] = [
        ("inbox", { try $0.inbox() }),
        ("today", { try $0.today().tasks }),
        ("upcoming", { try $0.upcoming().flatMap(\.tasks) }),
        ("past", { try $0.past() }),
        ("open past", { try $0.past(openOnly: true) }),
    ]

    static let counts: [(name: String, read: @Sendable (ReadTransaction) throws -> Int)] = [
        ("tasks", { try $0.tasks.count() }),
        ("active", { try $0.tasks.count(in: .active) }),
        ("not started", { try $0.tasks.count(in: .notStarted) }),
        ("completed", { try $0.tasks.count(in: .completed) }),
        ("completions today", { try $0.tasks.statistics().today }),
        ("completions this week", { try $0.tasks.statistics().week }),
        ("completions this month", { try $0.tasks.statistics().month }),
        ("completions of the month", { try $0.tasks.statistics(of: LabStore.today.monthOfYear).completed }),
        ("last change", { Int(clamping: try $0.lastSequence()) }),
    ]
}
