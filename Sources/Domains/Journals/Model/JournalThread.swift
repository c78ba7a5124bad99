import CivilTime
import FoundationEssentials
import Records

/// A thread of a journal: a title under which a person writes entries.
public struct JournalThread: Record, Hashable {
    /// The thread's identity.
    public package(set) var id: UUID
    /// The title. Never blank; several threads may have the same.
    public package(set) var title: String
    /// The time of creation.
    public package(set) var createdAt: Instant
    /// The time of the last change of the thread or of its entries. Never decreases.
    public package(set) var updatedAt: Instant
    /// The time of the deletion; nil while the thread is not deleted.
    public package(set) var deletedAt: Instant?

    /// Whether it was deleted. Its entries are kept, and are not shown.
    public var isDeleted: Bool { deletedAt != nil }

    package init(id: UUID, title: String, createdAt: Instant) {
        self.id = id
        self.title = title
        self.createdAt = createdAt
        updatedAt = createdAt
    }

    /// The storage of threads.
    public static let collection = RecordCollection<JournalThread>("threads") {
        Field(1, "title", .text)
        Field(2, "createdAt", .instant)
        Field(3, "updatedAt", .instant)
        Field(4, "deletedAt", .instant)
        byUpdate
        byTitle
    }

    /// The threads by their last change, the newest first; deleted ones after all others.
    static let byUpdate = Index<JournalThread, Compound<Bool, Descending<Instant>>>("byUpdate") {
        Compound($0.isDeleted, Descending($0.updatedAt))
    }

    /// The index of the titles, without regard to case and diacritics.
    static let byTitle = Index<JournalThread, TextKey>("byTitle") { TextKey($0.title) }

    /// Decodes the fields that `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        title = try fields.string(1)
        createdAt = try fields.instant(2)
        updatedAt = try fields.instant(3)
        deletedAt = try fields.optionalInstant(4)
    }

    /// Writes the fields.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, title)
        fields.put(2, createdAt)
        fields.put(3, updatedAt)
        fields.put(4, deletedAt)
    }

    /// An undo brings a thread back exactly as it was, but its time of change never decreases.
    public mutating func restored(replacing current: JournalThread?, at now: Instant) {
        updatedAt = max(updatedAt, current?.updatedAt ?? updatedAt)
    }

    /// The invariants that the thread violates, without any of its content.
    public var brokenInvariants: [String] {
        var broken: [String] = []
        if title.allSatisfy(\.isWhitespace) { broken.append("the title is blank") }
        if updatedAt < createdAt { broken.append("it was changed before it was created") }
        return broken
    }
}

/// A thread with how many entries it has.
public struct ThreadSummary: Sendable, Hashable {
    /// The thread.
    public let thread: JournalThread
    /// How many of its entries are not deleted.
    public let entries: Int
}
