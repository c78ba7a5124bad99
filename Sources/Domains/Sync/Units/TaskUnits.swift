import FoundationEssentials
import Records
import Tasks

/// The units of tasks and lists. Numbers are frozen for good; Format.md lists them.
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
        FieldGroup(2, "text", fields: [1], keepsLosers: true)
        FieldGroup(3, "note", fields: [10], keepsLosers: true)
        FieldGroup(4, "category", fields: [11])
        FieldGroup(5, "reminder", fields: [15, 32, 33])
        FieldGroup(6, "list", fields: [16, 17])
        FieldGroup(7, "due", fields: [13, 14, 31, 35, 36])
        FieldGroup(8, "schedule", fields: [8, 9, 28, 29])
        FieldGroup(9, "position", fields: [9], rule: .placed(in: 8))
        FieldGroup(10, "listOrder", fields: [17], rule: .placed(in: 6))
        FieldGroup(11, "completion", fields: [2, 5, 6, 7, 12], rule: .completion(state: 2, done: 2, epoch: 12))
        FieldGroup(12, "recurrence", fields: [25, 26, 27, 34])
        FieldGroup(13, "plan", fields: [18, 19, 20])
        FieldGroup(14, "planOrder", fields: [20], rule: .placed(in: 13))
        FieldGroup(15, "autoCarry", fields: [21])
        FieldGroup(16, "sticky", fields: [22])
        FieldGroup(17, "expiry", fields: [23, 37])
        FieldGroup(18, "archive", fields: [24])
        FieldGroup(19, "extra", fields: [30, 38])
        FieldGroup(20, "touch", fields: [4], rule: .touch)
        FieldGroup(21, "tags", fields: [39])
        FieldGroup(22, "priority", fields: [40])
        FieldGroup(23, "wait", fields: [41])
        FieldGroup(24, "parentTask", fields: [42, 43])
        FieldGroup(25, "subtaskOrder", fields: [43], rule: .placed(in: 24))
    }

    static let links = SyncedCollection(
        TaskLink.self, createdAt: 1, updatedAt: nil, tombstones: nil,
        parents: [
            .keyPart(0, of: TaskItem.collection.number),
            .keyPart(16, of: TaskItem.collection.number),
        ]
    ) {
        FieldGroup(2, "time", fields: [1])
    }

    static let lists = SyncedCollection(CustomList.self, createdAt: 3, updatedAt: 4) {
        FieldGroup(2, "name", fields: [1], keepsLosers: true)
        FieldGroup(3, "color", fields: [2])
        FieldGroup(4, "position", fields: [5])
    }
}
