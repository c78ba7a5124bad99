import CivilTime
import FoundationEssentials
import Records

/// What a person is writing in a thread and has not stored as an entry: durable, but neither in the change log nor undone.
public struct JournalDraft: Record, Hashable {
    /// The thread.
    public let id: UUID
    /// The text so far.
    public package(set) var content: String
    /// The time at which it was saved.
    public package(set) var savedAt: Instant

    package init(thread: UUID, content: String, savedAt: Instant) {
        id = thread
        self.content = content
        self.savedAt = savedAt
    }

    /// The storage of drafts: the key is the thread's id.
    public static let collection = RecordCollection<JournalDraft>("drafts", isTracked: false) {
        Field(1, "content", .text)
        Field(2, "savedAt", .instant)
        ofThread
    }

    /// A draft goes with its thread.
    static let ofThread = Reference<JournalDraft, JournalThread>("ofThread", whenDeleted: .cascade, \.id)

    /// Decodes the fields that `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        content = try fields.string(1)
        savedAt = try fields.instant(2)
    }

    /// Writes the fields.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, content)
        fields.put(2, savedAt)
    }
}
