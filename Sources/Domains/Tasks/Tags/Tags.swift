import CivilTime
import FoundationEssentials
import Records

/// A tag, with the numbers of its tasks. Tags that differ only in case and diacritics are one.
public struct TaskTag: Sendable, Equatable {
    /// The name, as the newest of its tasks has it.
    public let name: String
    /// The number of its tasks that are not completed.
    public let open: Int
    /// The number of all its tasks.
    public let all: Int
}

extension TaskItem {
    /// The tags in the order in which they were given.
    ///
    /// Setting them leaves out the empty ones, a `#` in front, blanks around a name, and a tag that differs from one before it only in
    /// case and diacritics. A line break in a name becomes a blank.
    public var tags: [String] {
        get { tagLines.map { $0.split(separator: "\n").map(String.init) } ?? [] }
        set {
            let names = Self.normalized(tags: newValue)
            tagLines = names.isEmpty ? nil : names.joined(separator: "\n")
        }
    }

    /// Whether it has a tag, without regard to case and diacritics.
    public func hasTag(_ name: String) -> Bool {
        guard tagLines != nil else { return false }
        let key = TextKey(name)
        return tags.contains { TextKey($0) == key }
    }

    /// The names as tags have them, each once.
    static func normalized(tags: [String]) -> [String] {
        var known: Set<TextKey> = []
        return tags.compactMap { tag in
            let words = tag.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
            let name = words.hasPrefix("#") ? String(words.dropFirst()) : words
            let key = TextKey(name)
            return key.form.isEmpty || !known.insert(key).inserted ? nil : name
        }
    }
}

extension TaskReading {
    /// Returns the tags that tasks have, in the order of their names, with the numbers of their tasks. Archived tasks do not count.
    ///
    /// - Complexity: a step for each tag of a task, and a look-up for each task that has one.
    public func tags() throws -> [TaskTag] {
        var ids: Set<UUID> = []
        try transaction[TaskItem.byWord].forEachKey(prefix: TaskItem.tagMark) { _, id in
            ids.insert(id)
            return true
        }
        var found: [TextKey: (name: String, newest: Instant, open: Int, all: Int)] = [:]
        for id in ids {
            guard let task = try get(id), task.archivedAt == nil else { continue }
            for name in task.tags {
                var tag = found[TextKey(name)] ?? (name, task.createdAt, 0, 0)
                if task.createdAt > tag.newest { (tag.name, tag.newest) = (name, task.createdAt) }
                // Of two names of one instant the order of texts decides, so that every reading shows the same.
                if task.createdAt == tag.newest { tag.name = min(tag.name, name) }
                (tag.open, tag.all) = (tag.open + (task.isCompleted ? 0 : 1), tag.all + 1)
                found[TextKey(name)] = tag
            }
        }
        return found.sorted { $0.key.form < $1.key.form }.map { TaskTag(name: $1.name, open: $1.open, all: $1.all) }
    }
}

extension TaskTransaction {
    /// Gives a task tags beside those that it has. Tags that it has already change nothing.
    ///
    /// - Throws: `TaskError.noSuchTask`, `TaskError.unusableText` for a name that no text can have.
    @discardableResult
    public func tag(_ id: UUID, _ names: [String]) throws -> TaskItem {
        try names.forEach(Self.checkUsable)
        return try change(id) { $0.tags += names }
    }

    /// Takes tags from a task. Tags that it does not have change nothing.
    ///
    /// - Throws: `TaskError.noSuchTask`.
    @discardableResult
    public func untag(_ id: UUID, _ names: [String]) throws -> TaskItem {
        let keys = Set(TaskItem.normalized(tags: names).map(TextKey.init))
        return try change(id) { task in task.tags = task.tags.filter { !keys.contains(TextKey($0)) } }
    }

    /// Sets how important a task is.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `unknownValue` where only a newer version defines the present or the new priority.
    @discardableResult
    public func setPriority(_ id: UUID, to priority: TaskPriority) throws -> TaskItem {
        try checkKnown(get(id).priority, priority, "priority")
        return try change(id) { $0.priority = priority }
    }
}

extension TaskList {
    /// Returns the tags that tasks have, in the order of their names, with the numbers of their tasks.
    public func tags() throws(TaskError) -> [TaskTag] { try view { try $0.tags() } }
}
