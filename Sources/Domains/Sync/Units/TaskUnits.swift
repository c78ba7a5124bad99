import FoundationEssentials
import Records
import Tasks

/// The units of tasks and lists. Numbers are frozen for ever; Format.md lists them.
extension SyncedCollection {
    /// The collections that every space has; each behind those that it names.
    static let builtIn = [lists, tasks, links] + journals

    static let tasks = SyncedCollection(
        TaskItem.self, createdAt: 3, updatedAt: 4,
        tombstones: (Tombstone.collection.name, Tombstone.collection.number),
        references: [
            MergeReference(unit: 6, field: 16, target: CustomList.collection.number) { target, limit, transaction in
                let list = try UUID(keyArray: target)
                return try transaction.taskIDs(inList: list, limit: limit).map(\.keyArray)
            }
        ]
    ) {
        MergeUnit(2, "text", fields: [1], keepsLosers: true)
        MergeUnit(3, "note", fields: [10], keepsLosers: true)
        MergeUnit(4, "category", fields: [11])
        MergeUnit(5, "reminder", fields: [15, 32, 33])
        MergeUnit(6, "list", fields: [16, 17])
        MergeUnit(7, "due", fields: [13, 14, 31, 35, 36])
        MergeUnit(8, "schedule", fields: [8, 9, 28, 29])
        MergeUnit(9, "position", fields: [9], rule: .placed(in: 8))
        MergeUnit(10, "listOrder", fields: [17], rule: .placed(in: 6))
        MergeUnit(11, "completion", fields: [2, 5, 6, 7, 12], rule: .completion(state: 2, done: 2, epoch: 12))
        MergeUnit(12, "recurrence", fields: [25, 26, 27, 34])
        MergeUnit(13, "plan", fields: [18, 19, 20])
        MergeUnit(14, "planOrder", fields: [20], rule: .placed(in: 13))
        MergeUnit(15, "autoCarry", fields: [21])
        MergeUnit(16, "sticky", fields: [22])
        MergeUnit(17, "expiry", fields: [23, 37])
        MergeUnit(18, "archive", fields: [24])
        MergeUnit(19, "extra", fields: [30, 38])
        MergeUnit(20, "touch", fields: [4], rule: .touch)
    }

    static let links = SyncedCollection(
        TaskLink.self, createdAt: 1, updatedAt: nil, tombstones: nil,
        parents: [
            .keyPart(0, of: TaskItem.collection.number),
            .keyPart(16, of: TaskItem.collection.number),
        ]
    ) {
        MergeUnit(2, "time", fields: [1])
    }

    static let lists = SyncedCollection(CustomList.self, createdAt: 3, updatedAt: 4) {
        MergeUnit(2, "name", fields: [1], keepsLosers: true)
        MergeUnit(3, "color", fields: [2])
        MergeUnit(4, "position", fields: [5])
    }
}
