import FoundationEssentials
import Records

/// The id of a value: the entry and the field, so that an entry has one value for each field at most.
public struct EntryFieldID: CompoundKey, Hashable {
    /// The entry.
    public let entry: UUID
    /// The field.
    public let field: UUID

    /// The id of the value that an entry has for a field.
    public init(entry: UUID, field: UUID) {
        self.entry = entry
        self.field = field
    }

    /// The id of two ids.
    public init(_ compound: Compound<UUID, UUID>) { (entry, field) = compound.parts }
    /// The two ids.
    public var compound: Compound<UUID, UUID> { Compound(entry, field) }
}

/// What an entry has for a custom field of its thread.
public struct EntryFieldValue: Record, Hashable {
    /// The entry and the field.
    public let id: EntryFieldID
    /// The text; nil for a field that was selected and left blank.
    public package(set) var value: String?

    package init(entry: UUID, field: UUID, value: String?) {
        id = EntryFieldID(entry: entry, field: field)
        self.value = value
    }

    /// The storage of values: the key is the entry, then the field.
    public static let collection = RecordCollection<EntryFieldValue>("fieldValues") {
        Field(1, "value", .text)
        ofEntry
        ofField
    }

    /// A value goes with its entry.
    static let ofEntry = Reference<EntryFieldValue, JournalEntry>("ofEntry", whenDeleted: .cascade, \.id.entry)
    /// A value goes with its field.
    static let ofField = Reference<EntryFieldValue, CustomField>("ofField", whenDeleted: .cascade, \.id.field)

    /// Decodes the fields that `encode` wrote.
    public init(id: EntryFieldID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        value = try fields.optionalString(1)
    }

    /// Writes the field.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, value)
    }
}

/// An entry with the values that it has for custom fields.
public struct FilledEntry: Sendable, Hashable {
    /// The entry.
    public let entry: JournalEntry
    /// The values in the order of the fields; those of deleted fields come last.
    public let values: [FilledField]

    /// The value of one field.
    public struct FilledField: Sendable, Hashable {
        /// The field.
        public let field: CustomField
        /// The text; nil for a field that was selected and left blank.
        public let value: String?
    }
}
