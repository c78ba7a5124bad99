import CivilTime
import Exchange
import FoundationEssentials
import Tasks

extension TaskDocument {
    /// A task as files and `--json` show it.
    public init(_ task: TaskItem, sortOrder: Int) {
        self.init(
            id: task.id, text: task.text, state: State(task.state), createdAt: task.createdAt,
            updatedAt: task.updatedAt, completedAt: task.completedAt, scheduledDate: task.scheduledDate,
            sortOrder: sortOrder)
        notes = task.notes
        category = task.category
        completedZone = task.completedZone
        completedOffsetSeconds = task.completedOffsetSeconds.map(Int.init)
        completionEpoch = task.completionEpoch
        dueAt = task.dueAt
        dueIsAllDay = task.dueIsAllDay
        reminderAt = task.reminderAt
        listID = task.listID
        listOrder = task.listOrder
        region = Region(task.region)
        bucket = Bucket(task.bucket)
        planOrder = task.planOrder
        autoCarry = task.autoCarry
        isSticky = task.isSticky
        expiresAt = task.expiresAt
        archivedAt = task.archivedAt
        isRecurring = task.isRecurring
        recurringPattern = task.recurringPattern
        parentRecurringID = task.parentRecurringID
        carriedFromDay = task.carriedFromDay
        carryCount = task.carryCount
        extra = task.extra
    }

    /// The task that the file describes.
    var imported: ImportedTask {
        var imported = ImportedTask(
            id: id, text: text, createdAt: createdAt, updatedAt: updatedAt, scheduledDate: scheduledDate)
        imported.set(
            state.taskState, completedAt: completedAt, zone: completedZone,
            offsetSeconds: completedOffsetSeconds.map(Int32.init(clamping:)), epoch: completionEpoch)
        imported.setCarried(from: carriedFromDay, count: carryCount)
        imported.edit { task in
            task.notes = notes
            task.category = category
            task.dueAt = dueAt
            task.dueIsAllDay = dueIsAllDay
            task.reminderAt = reminderAt
            task.listID = listID
            task.listOrder = listOrder
            task.region = region.taskRegion
            task.bucket = bucket.taskBucket
            task.planOrder = planOrder
            task.autoCarry = autoCarry
            task.isSticky = isSticky
            task.expiresAt = expiresAt
            task.archivedAt = archivedAt
            task.isRecurring = isRecurring
            task.recurringPattern = recurringPattern
            task.parentRecurringID = parentRecurringID
            task.extra = extra
        }
        return imported
    }
}

extension TombstoneDocument {
    init(_ tombstone: Tombstone) {
        self.init(
            id: tombstone.id, deletedAt: tombstone.deletedAt, completedAt: tombstone.completedAt,
            completedZone: tombstone.completedZone,
            completedOffsetSeconds: tombstone.completedOffsetSeconds.map(Int.init))
    }

    var tombstone: Tombstone {
        Tombstone(
            id: id, deletedAt: deletedAt, completedAt: completedAt, completedZone: completedZone,
            completedOffsetSeconds: completedOffsetSeconds.map(Int32.init(clamping:)))
    }
}

extension TaskDocument.State {
    init(_ state: TaskState) {
        switch state {
        case .notStarted: self = .notStarted
        case .active: self = .active
        case .completed: self = .completed
        }
    }

    var taskState: TaskState {
        switch self {
        case .notStarted: .notStarted
        case .active: .active
        case .completed: .completed
        }
    }
}

extension TaskDocument.Region {
    init(_ region: TaskRegion) {
        switch region {
        case .backlog: self = .backlog
        case .morning: self = .morning
        case .afternoon: self = .afternoon
        case .evening: self = .evening
        }
    }

    var taskRegion: TaskRegion {
        switch self {
        case .backlog: .backlog
        case .morning: .morning
        case .afternoon: .afternoon
        case .evening: .evening
        }
    }
}

extension TaskDocument.Bucket {
    init(_ bucket: TaskBucket) {
        switch bucket {
        case .none: self = .none
        case .must: self = .must
        case .complementary: self = .complementary
        case .misc: self = .misc
        }
    }

    var taskBucket: TaskBucket {
        switch self {
        case .none: .none
        case .must: .must
        case .complementary: .complementary
        case .misc: .misc
        }
    }
}
