import CivilTime
import FoundationEssentials
import Records

/// A category, with the numbers of its tasks. Categories that differ only in case and diacritics are one.
public struct TaskCategory: Sendable, Equatable {
    /// The name, as the task of the category that comes first has it.
    public let name: String
    /// The number of its tasks that are not completed.
    public let open: Int
    /// The number of all its tasks.
    public let all: Int
}

/// The key of the index of categories: the category, the rank of the state, then the newest tasks first.
typealias CategoryKey = Compound<TextKey, UInt8, Descending<Instant>>

extension TaskItem {
    /// The category as an index has it; nil for none, for a blank one, and for an archived task.
    private var categoryKey: TextKey? {
        guard archivedAt == nil, let category else { return nil }
        let key = TextKey(category)
        return key.form.isEmpty ? nil : key
    }

    /// The index of the categories: the open tasks of each, then the completed ones. Archived tasks are left out.
    static let byCategory = Index<TaskItem, CategoryKey>("byCategory") { task in
        task.categoryKey.map { CategoryKey($0, task.state.rank, Descending(task.createdAt)) }
    }

    /// The number of tasks of each category, and as a sum that of the open ones.
    static let perCategory = Tally<TaskItem, TextKey>("perCategory", summing: { $0.isCompleted ? 0 : 1 }) {
        $0.categoryKey
    }
}

extension TaskReading {
    /// Returns the categories that have tasks, in the order of their names, with the numbers of their tasks. Archived tasks
    /// do not count.
    ///
    /// - Complexity: a step and two look-ups for each category, whatever the number of tasks.
    public func categories() throws -> [TaskCategory] {
        var found: [(key: TextKey, all: Int, open: Int64)] = []
        try transaction[TaskItem.perCategory].forEach { key, count, open in
            found.append((key, count, open))
            return true
        }
        return try found.map { category in
            let first = try transaction[TaskItem.byCategory].prefix(category.key, limit: 1).first
            return TaskCategory(
                name: first?.category ?? category.key.form, open: Int(category.open), all: category.all)
        }
    }

    /// Returns the tasks of a category in pages: the active ones, those that are not started, the completed ones, each the
    /// newest first.
    ///
    /// - Complexity: a step and a look-up for each task that is returned.
    public func tasks(
        inCategory category: String, openOnly: Bool = false, after token: PageToken? = nil, limit: Int = 20
    ) throws -> Page<TaskItem> {
        let key = TextKey(category)
        let newest = Descending(Instant(microsecondsSince1970: .max))
        let first = CategoryKey(key, 0, newest)
        let completed = CategoryKey(key, TaskState.completed.rank, newest)
        return try transaction[TaskItem.byCategory].page(
            in: openOnly ? .keys(from: first, to: completed) : .prefix(key), after: token, limit: limit)
    }
}

extension TaskList {
    /// Returns the categories that have tasks, in the order of their names, with the numbers of their tasks.
    public func categories() throws(TaskError) -> [TaskCategory] { try view { try $0.categories() } }

    /// Returns the tasks of a category in pages: open ones first, then the newest.
    public func tasks(
        inCategory category: String, openOnly: Bool = false, after token: PageToken? = nil, limit: Int = 20
    ) throws(TaskError) -> Page<TaskItem> {
        try view { try $0.tasks(inCategory: category, openOnly: openOnly, after: token, limit: limit) }
    }
}
