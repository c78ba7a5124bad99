import CivilTime
import FoundationEssentials

/// A task as files hold it, independent of how the store keeps it.
///
/// The first eight properties are always written; the others are left out while they have their default value.
public struct TaskDocument: Sendable, Equatable {
    /// How far the work is.
    public enum State: String, Sendable, CaseIterable {
        /// Nobody works on it yet.
        case notStarted
        /// Somebody works on it.
        case active
        /// It is done.
        case completed
    }

    /// The part of the day that a planner puts a task into.
    public enum Region: String, Sendable, CaseIterable {
        /// Before noon.
        case morning
        /// After noon.
        case afternoon
        /// The end of the day.
        case evening
        /// No part of the day.
        case backlog
    }

    /// How much a planned task matters.
    public enum Bucket: String, Sendable, CaseIterable {
        /// The one that has to happen.
        case must
        /// Supports the one that has to happen.
        case complementary
        /// Small things.
        case misc
        /// Not sorted into a bucket.
        case none
    }

    /// The identity, the same in every file and every store.
    public var id: UUID
    /// What is to be done; never blank.
    public var text: String
    /// How far it is.
    public var state: State
    /// When it was created.
    public var createdAt: Instant
    /// When it last changed.
    public var updatedAt: Instant
    /// When it was completed; present exactly when the state is completed.
    public var completedAt: Instant?
    /// The day it is planned for; none means the Inbox.
    public var scheduledDate: Day?
    /// The position, from 0, within its day or the Inbox.
    public var sortOrder: Int

    /// Free text beside the task.
    public var notes: String?
    /// One category or project.
    public var category: String?
    /// The IANA zone in which it was completed.
    public var completedZone: String?
    /// The offset from UTC at its completion.
    public var completedOffsetSeconds: Int?
    /// How often it was explicitly reopened.
    public var completionEpoch: UInt32 = 0
    /// When it is due.
    public var dueAt: Instant?
    /// Whether the due instant stands for its whole day.
    public var dueIsAllDay: Bool = true
    /// When to remind of it.
    public var reminderAt: Instant?
    /// The list it belongs to.
    public var listID: UUID?
    /// The position within its list.
    public var listOrder: Int64 = 0
    /// The part of the day.
    public var region: Region = .backlog
    /// How much it matters.
    public var bucket: Bucket = .none
    /// The position within its day, region and bucket.
    public var planOrder: Int64 = 0
    /// Whether it moves to the next day by itself.
    public var autoCarry: Bool = false
    /// Whether it stays in its place.
    public var isSticky: Bool = false
    /// When it stops mattering.
    public var expiresAt: Instant?
    /// Since when it is hidden from the views.
    public var archivedAt: Instant?
    /// Whether it is the pattern of a repeating task.
    public var isRecurring: Bool = false
    /// How it repeats.
    public var recurringPattern: String?
    /// The repeating task that it is an instance of.
    public var parentRecurringID: UUID?
    /// The day it was carried over from.
    public var carriedFromDay: Day?
    /// How often it was carried over.
    public var carryCount: UInt32 = 0
    /// Attributes that Daybook has no field for: the text of one JSON object that is not empty, compact, keys sorted.
    public var extra: String?

    /// Whether the file does not say when the task was changed last. Whether it is newer than the store's is then told by
    /// what it says. Not a field: no file has it.
    public var isUndated = false
    /// What else the file leaves open.
    public var gaps = TaskGaps()

    /// Creates a task document; every property not named here starts with its default.
    public init(
        id: UUID, text: String, state: State = .notStarted, createdAt: Instant, updatedAt: Instant,
        completedAt: Instant? = nil, scheduledDate: Day? = nil, sortOrder: Int = 0
    ) {
        self.id = id
        self.text = text
        self.state = state
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.completedAt = completedAt
        self.scheduledDate = scheduledDate
        self.sortOrder = sortOrder
    }
}
