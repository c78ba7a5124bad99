import CivilTime
import FoundationEssentials
import Records

/// The id of a link: the blocked task and the one that blocks it, so that no two tasks are linked twice.
public struct TaskLinkID: CompoundKey, Hashable {
    /// The task that waits.
    public let blocked: UUID
    /// The task that it waits for.
    public let blocker: UUID

    /// The id of the link between two tasks.
    public init(blocked: UUID, blocker: UUID) {
        self.blocked = blocked
        self.blocker = blocker
    }

    /// The link of two ids.
    public init(_ compound: Compound<UUID, UUID>) { (blocked, blocker) = compound.parts }
    /// The two ids.
    public var compound: Compound<UUID, UUID> { Compound(blocked, blocker) }
}

/// A dependency: one task waits for another. It goes with either of them.
public struct TaskLink: Record, Hashable {
    /// The two tasks.
    public let id: TaskLinkID
    /// The time at which they were linked.
    public var createdAt: Instant

    /// Creates the link between two tasks.
    public init(id: TaskLinkID, createdAt: Instant) {
        self.id = id
        self.createdAt = createdAt
    }

    /// The storage of links: the table, the fields and the references.
    public static let collection = RecordCollection<TaskLink>("links") {
        Field(1, "createdAt", .instant)
        ofBlocked
        ofBlocker
    }

    /// The links of a task to those that it waits for.
    static let ofBlocked = Reference<TaskLink, TaskItem>("ofBlocked", whenDeleted: .cascade, \.id.blocked)
    /// The links of a task to those that wait for it.
    static let ofBlocker = Reference<TaskLink, TaskItem>("ofBlocker", whenDeleted: .cascade, \.id.blocker)

    /// Decodes the fields that `encode` wrote.
    public init(id: TaskLinkID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        createdAt = try fields.instant(1)
    }

    /// Writes the fields.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, createdAt)
    }

    /// What cannot be, by the rules of this type alone.
    public var brokenInvariants: [String] {
        id.blocked == id.blocker ? ["a task cannot wait for itself"] : []
    }
}
