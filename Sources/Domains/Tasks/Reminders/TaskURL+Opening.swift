import FoundationEssentials
import Records

extension TaskTransaction {
    /// Does what a URL says: creates its task, or returns the one that it shows.
    ///
    /// - Throws: `TaskError`: `noSuchTask`; those of `create`, and of `findList` for the list.
    @discardableResult
    public func open(_ url: TaskURL) throws -> TaskItem {
        switch url {
        case .openTask(let id): return try get(id)
        case .createTask(let title, let list, let due, let reminder):
            let list = try list.map { try reading.findList($0).id }
            return try create(NewTask(title, list: list, due: due, reminder: reminder.map { .at($0) }))
        }
    }
}

extension TaskList {
    /// Does what a URL says: creates its task, which is durable when the call returns, or returns the one that it shows.
    ///
    ///     let task = try await store.tasks.open(TaskURL(parsing: text))
    ///
    /// - Throws: `noSuchTask`; those of `create`, and of `findList` for the list.
    @discardableResult
    public func open(_ url: TaskURL) async throws(TaskError) -> TaskItem {
        if case .openTask(let id) = url { return try shown(id) }
        return try await write(.create) { try $0.open(url) }
    }

    /// Does what a URL says on the calling thread, for programs without concurrency.
    @discardableResult
    public func open(_ url: TaskURL) throws(TaskError) -> TaskItem {
        if case .openTask(let id) = url { return try shown(id) }
        return try writeHere(.create) { try $0.open(url) }
    }

    private func shown(_ id: UUID) throws(TaskError) -> TaskItem {
        guard let task = try get(id) else { throw TaskError.noSuchTask(id: id.lowercased) }
        return task
    }
}
