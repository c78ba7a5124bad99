import CivilTime
import FoundationEssentials

/// What a file keeps of a deleted task: enough for the statistics, and so that an older file does not bring it back.
public struct TombstoneDocument: Sendable, Equatable {
    /// The id of the task that was deleted.
    public var id: UUID
    /// When it was deleted.
    public var deletedAt: Instant
    /// When it had been completed, if it had.
    public var completedAt: Instant?
    /// The IANA zone in which it had been completed.
    public var completedZone: String?
    /// The offset from UTC at its completion.
    public var completedOffsetSeconds: Int?

    /// Creates a tombstone.
    public init(
        id: UUID, deletedAt: Instant, completedAt: Instant? = nil, completedZone: String? = nil,
        completedOffsetSeconds: Int? = nil
    ) {
        self.id = id
        self.deletedAt = deletedAt
        self.completedAt = completedAt
        self.completedZone = completedZone
        self.completedOffsetSeconds = completedOffsetSeconds
    }
}
