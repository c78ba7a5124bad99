import CivilTime
import FoundationEssentials
import Records

/// The trace of a deleted task: its id and the time of its completion, so that the statistics stay correct. It holds none
/// of the task's content.
public struct Tombstone: Record, Hashable {
    /// The id of the task.
    public let id: UUID
    /// The time of the deletion.
    public var deletedAt: Instant
    /// The time at which the task was completed, if it was.
    public var completedAt: Instant?
    /// The zone in which it was completed.
    public var completedZone: String?
    /// The zone's offset from UTC at that time, in seconds.
    public var completedOffsetSeconds: Int32?

    /// Creates the tombstone of a task.
    public init(of task: TaskItem, deletedAt: Instant) {
        self.init(
            id: task.id, deletedAt: deletedAt, completedAt: task.completedAt, completedZone: task.completedZone,
            completedOffsetSeconds: task.completedOffsetSeconds)
    }

    /// Creates a tombstone as a file describes it.
    public init(
        id: UUID, deletedAt: Instant, completedAt: Instant? = nil, completedZone: String? = nil,
        completedOffsetSeconds: Int32? = nil
    ) {
        self.id = id
        self.deletedAt = deletedAt
        self.completedAt = completedAt
        self.completedZone = completedZone
        self.completedOffsetSeconds = completedOffsetSeconds
    }

    /// The storage of tombstones: the table, the fields, the indexes and the roll-ups.
    public static let collection = RecordCollection<Tombstone>("tombstones") {
        Field(1, "deletedAt", .instant)
        Field(2, "completedAt", .instant)
        Field(3, "completedZone", .text)
        Field(4, "completedOffsetSeconds", .integer32)
        byCompletion
        completions
    }

    /// The index of completions, shared with the tasks.
    static let byCompletion = Index<Tombstone, Instant>(shared: "completions.byTime") { $0.completedAt }

    /// Completions by time, shared with the tasks.
    static let completions = RollUp("completions.counts", over: byCompletion)

    /// Decodes the fields that `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        deletedAt = try fields.instant(1)
        completedAt = try fields.optionalInstant(2)
        completedZone = try fields.optionalString(3)
        completedOffsetSeconds = try fields.optionalInt32(4)
    }

    /// Writes the fields that are not at their defaults.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, deletedAt)
        fields.put(2, completedAt)
        fields.put(3, completedZone)
        fields.put(4, completedOffsetSeconds)
    }
}

extension Tombstone: TombstoneRecord {
    package static var recordsOfTombstones: String { TaskItem.collection.name }
}
