import FoundationEssentials
import Records

/// Takes the tasks, lists and tombstones of an import into a store that has no records.
package final class TaskLoader {
    private let loader: BulkLoader
    /// The lists that the file describes, or that its tasks name, each once.
    private var lists: [UUID: CustomList] = [:]
    /// Their ids, in the order of the file.
    private var order: [UUID] = []

    init(_ loader: BulkLoader) {
        self.loader = loader
    }

    /// Adds a list as a file describes it.
    package func insert(_ list: CustomList) {
        if lists[list.id] == nil { order.append(list.id) }
        lists[list.id] = list
    }

    /// Adds a task as a file describes it: as `TaskTransaction.merge` would write it.
    package func insert(_ imported: ImportedTask) throws {
        try TaskTransaction.check(imported.task.text)
        let imported = imported.consistent
        var task = imported.task
        if let list = task.listID, lists[list] == nil { insert(CustomList(importedAs: list, name: imported.listName)) }
        task.position = ImportPlaces.positionInEmptyStore(of: imported)
        try loader.insert(task)
    }

    /// Adds a tombstone as a file describes it.
    package func insert(_ tombstone: Tombstone) throws {
        try loader.insert(tombstone)
    }

    /// Adds the lists, after everything else of the file.
    ///
    /// - Throws: `duplicate` for two lists of one name, which are one: that is decided one task at a time.
    func finish() throws {
        var names: Set<String> = []
        for (index, id) in order.enumerated() {
            guard var list = lists[id] else { continue }
            guard names.insert(list.name).inserted else {
                throw RecordsError.duplicate(collection: CustomList.collection.name, key: list.id.lowercased)
            }
            list.position = Int64(index) * ManualOrder<CustomList, Placed<UInt8>>.gap
            try loader.insert(list)
        }
    }
}

extension TaskList {
    /// Imports records into a store that has none, all at once.
    ///
    /// - Returns: the sequence number of the first change. Nil, and nothing is changed, when the store has records or is
    ///   written to by others, and when two records have the same id: which of them counts is decided one by one.
    /// - Throws: `TaskError`; other errors of the closure unchanged.
    package func load(_ body: (TaskLoader) throws -> Void) throws -> UInt64? {
        do {
            let before = try store.read { try $0.lastSequence() }
            _ = try store.bulkLoad(TaskOperation.importing.label, checking: Self.checkTombstones) { loader in
                let tasks = TaskLoader(loader)
                try body(tasks)
                try tasks.finish()
            }
            return before + 1
        } catch RecordsError.notEmpty, RecordsError.duplicate {
            return nil
        } catch let error as RecordsError {
            throw TaskError(error)
        }
    }

    /// No task may be there and be deleted at once.
    private static func checkTombstones(_ transaction: ReadTransaction) throws {
        try transaction[Tombstone.self].forEach { tombstone in
            guard try transaction[TaskItem.self].get(tombstone.id) == nil else {
                throw RecordsError.duplicate(collection: TaskItem.collection.name, key: "\(tombstone.id)")
            }
            return true
        }
    }
}
