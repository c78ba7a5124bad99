import CivilTime
import FoundationEssentials
import Records

/// What a version of journals had.
protocol FormerVersion: SendableMetatype {
    /// 1 for 1.0, and so on.
    static var number: Int { get }
}

extension FormerVersion {
    /// Whether entries have the times of their last edit and of their deletion (J-MG1).
    static var changesEntries: Bool { number >= 2 }
    /// Whether threads have the time of their deletion (J-MG2).
    static var deletesThreads: Bool { number >= 3 }
    /// Whether there are custom fields and values (J-MG3).
    static var hasFields: Bool { number >= 4 }
}

enum Version10: FormerVersion { static let number = 1 }
enum Version11: FormerVersion { static let number = 2 }
enum Version12: FormerVersion { static let number = 3 }
enum Version13: FormerVersion { static let number = 4 }

/// A thread as versions 1.0 to 1.3 stored it.
struct FormerThread<Version: FormerVersion>: Record {
    static var collection: RecordCollection<Self> { RecordCollection("threads") }
    let id: UUID
    var title: String
    var createdAt: Instant
    var updatedAt: Instant
    var deletedAt: Instant?

    init(_ number: Int) {
        id = FormerJournal.id(number)
        title = "thread \(number)"
        createdAt = Instant(secondsSince1970: Int64(number))
        updatedAt = createdAt
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        title = try fields.string(1)
        createdAt = try fields.instant(2)
        updatedAt = try fields.instant(3)
        if Version.deletesThreads { deletedAt = try fields.optionalInstant(4) }
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, title)
        fields.put(2, createdAt)
        fields.put(3, updatedAt)
        if Version.deletesThreads { fields.put(4, deletedAt) }
    }
}

/// An entry as versions 1.0 to 1.3 stored it.
struct FormerEntry<Version: FormerVersion>: Record {
    static var collection: RecordCollection<Self> { RecordCollection("entries") }
    let id: UUID
    var thread: UUID
    var content: String
    var timestamp: Instant
    var lastEditedAt: Instant?
    var deletedAt: Instant?

    init(_ number: Int, in thread: Int, _ content: String) {
        id = FormerJournal.id(number)
        self.thread = FormerJournal.id(thread)
        self.content = content
        timestamp = Instant(secondsSince1970: Int64(number))
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        thread = try fields.uuid(1)
        content = try fields.string(2)
        timestamp = try fields.instant(3)
        guard Version.changesEntries else { return }
        lastEditedAt = try fields.optionalInstant(4)
        deletedAt = try fields.optionalInstant(5)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, thread)
        fields.put(2, content)
        fields.put(3, timestamp)
        guard Version.changesEntries else { return }
        fields.put(4, lastEditedAt)
        fields.put(5, deletedAt)
    }
}

/// A custom field as version 1.3 stored it.
struct FormerField: Record {
    static let collection = RecordCollection<FormerField>("customFields")
    let id: UUID
    var thread: UUID
    var name: String
    var position: Int64

    init(_ number: Int, in thread: Int) {
        id = FormerJournal.id(number)
        self.thread = FormerJournal.id(thread)
        name = "field \(number)"
        position = Int64(number)
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        thread = try fields.uuid(1)
        name = try fields.string(2)
        position = try fields.int64(3)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, thread)
        fields.put(2, name)
        fields.put(3, position)
    }
}

/// A value as version 1.3 stored it.
struct FormerValue: Record {
    static let collection = RecordCollection<FormerValue>("fieldValues")
    let id: ID
    var value: String?

    /// The entry, then the field.
    struct ID: OrderedKey, Hashable {
        let entry: UUID
        let field: UUID

        static var width: Int { 32 }
        static var isShownInErrors: Bool { true }

        init(entry: UUID, field: UUID) {
            self.entry = entry
            self.field = field
        }

        init(decoding key: inout KeyDecoder) throws(RecordsError) {
            entry = try UUID(decoding: &key)
            field = try UUID(decoding: &key)
        }

        func encode(into key: inout KeyBytes) {
            entry.encode(into: &key)
            field.encode(into: &key)
        }
    }

    init(entry: Int, field: Int) {
        id = ID(entry: FormerJournal.id(entry), field: FormerJournal.id(field))
        value = "value"
    }

    init(id: ID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        value = try fields.optionalString(1)
    }

    func encode(into fields: inout FieldEncoder) { fields.put(1, value) }
}
