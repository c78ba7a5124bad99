import Daybook

/// What is left of a deleted task: when it was deleted, and its completion, which stays in the statistics.
struct ModelTombstone: Sendable, Equatable {
    var deletedAt: Instant
    var completedAt: Instant?
    var completedIn: String?
    var completedOffset: Int32?

    init(of task: ModelTask, at now: Instant) {
        // A clock that was set back does not delete what it has not written yet.
        deletedAt = max(now, task.updatedAt)
        completedAt = task.completedAt
        completedIn = task.completedIn
        completedOffset = task.completedOffset
    }

    /// What the store has.
    init(_ tombstone: Tombstone) {
        deletedAt = tombstone.deletedAt
        completedAt = tombstone.completedAt
        completedIn = tombstone.completedZone
        completedOffset = tombstone.completedOffsetSeconds
    }
}
