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

    /// The texts for custom fields so far, by the fields' ids.
    public package(set) var values: [UUID: String] = [:]

    package init(thread: UUID, content: String, savedAt: Instant) {
        id = thread
        self.content = content
        self.savedAt = savedAt
    }

    /// The storage of drafts: the key is the thread's id.
    public static let collection = RecordCollection<JournalDraft>("drafts", isTracked: false) {
        Field(1, "content", .text)
        Field(2, "savedAt", .instant)
        Field(3, "values", .bytes)
        ofThread
    }

    /// A draft goes with its thread.
    static let ofThread = Reference<JournalDraft, JournalThread>("ofThread", whenDeleted: .cascade, \.id)

    /// Decodes the fields that `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        content = try fields.string(1)
        savedAt = try fields.instant(2)
        values = Self.values(of: try fields.optionalBytes(3) ?? [])
    }

    /// Writes the fields.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, content)
        fields.put(2, savedAt)
        fields.put(3, values.isEmpty ? nil : Self.bytes(of: values))
    }

    /// Each value as the field's id (16 bytes), the length of the text in UTF-8 (4 bytes, big-endian) and the text, in the order of
    /// the ids, so that the same values have the same bytes.
    private static func bytes(of values: [UUID: String]) -> [UInt8] {
        values.sorted { $0.key.lowercased < $1.key.lowercased }.reduce(into: []) { bytes, value in
            bytes += value.key.keyArray
            let count = UInt32(value.value.utf8.count)
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(shift))) }
            bytes += value.value.utf8
        }
    }

    /// Returns the values of such bytes, as far as they are complete: a draft is not lost for a damaged value.
    private static func values(of bytes: [UInt8]) -> [UUID: String] {
        var (values, rest) = ([UUID: String](), bytes[...])
        while rest.count >= 20 {
            guard let id = try? UUID(keyArray: Array(rest.prefix(16))) else { break }
            let count = rest.dropFirst(16).prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(20)
            guard rest.count >= count, let text = String(validating: rest.prefix(count), as: UTF8.self) else { break }
            values[id] = text
            rest = rest.dropFirst(count)
        }
        return values
    }
}
