import Records

/// Takes the tasks and tombstones of an import into a store that has no records.
package struct TaskLoader {
    let loader: BulkLoader

    /// Adds a task as a file describes it: as `TaskTransaction.merge` would write it.
    package func insert(_ imported: ImportedTask) throws {
        try TaskTransaction.check(imported.task.text)
        let imported = imported.consistent
        var task = imported.task
        task.position = ImportPlaces.positionInEmptyStore(of: imported)
        try loader.insert(task)
    }

    /// Adds a tombstone as a file describes it.
    package func insert(_ tombstone: Tombstone) throws {
        try loader.insert(tombstone)
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
                try body(TaskLoader(loader: loader))
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
