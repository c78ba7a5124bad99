import CivilTime
import FoundationEssentials
import Records

/// What is left of a deleted task: that it was, and when it was completed, so that the work stays counted. None of its
/// content.
public struct Tombstone: Record, Hashable {
    /// The id of the task.
    public let id: UUID
    /// When it was deleted.
    public var deletedAt: Instant
    /// When it had been completed, if it was.
    public var completedAt: Instant?
    /// The zone it had been completed in.
    public var completedZone: String?
    /// That zone's offset from UTC at that moment, in seconds.
    public var completedOffsetSeconds: Int32?

    /// What is left of a task.
    public init(of task: TaskItem, deletedAt: Instant) {
        self.init(
            id: task.id, deletedAt: deletedAt, completedAt: task.completedAt, completedZone: task.completedZone,
            completedOffsetSeconds: task.completedOffsetSeconds)
    }

    /// A tombstone as a file describes it.
    public init(
        id: UUID, deletedAt: Instant, completedAt: Instant?, completedZone: String?, completedOffsetSeconds: Int32?
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

    /// The ledger of completions, shared with the tasks.
    static let byCompletion = Index<Tombstone, Instant>(shared: "completions.byTime") { $0.completedAt }

    /// Completions by time, shared with the tasks.
    static let completions = RollUp("completions.counts", over: byCompletion)

    /// Reads what `encode` wrote.
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
