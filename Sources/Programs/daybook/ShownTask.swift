import Daybook

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
