import CivilTime
import FoundationEssentials
import Records

/// A field that a person adds to a thread: a name under which each entry can have a text. Or a group of such fields.
public struct CustomField: Record, Hashable {
    /// The field's identity.
    public package(set) var id: UUID
    /// The thread whose entries have it.
    public package(set) var threadID: UUID
    /// The name: 1 to 50 characters. No two fields of a thread that are not deleted have the same.
    public package(set) var name: String
    /// Whether it is a group: it has other fields below it, and no values.
    public package(set) var isGroup = false
    /// The time of the deletion; nil while the field is not deleted. Values that entries have for it are kept and shown.
    public package(set) var deletedAt: Instant?
    /// The position among the fields of the thread: ascending, with gaps.
    package var position: Int64 = 0

    /// Whether it was deleted.
    public var isDeleted: Bool { deletedAt != nil }

    package init(id: UUID, threadID: UUID, name: String) {
        self.id = id
        self.threadID = threadID
        self.name = name
    }

    /// How many characters a name can have.
    static let nameLengths = 1...50

    /// The storage of custom fields.
    public static let collection = RecordCollection<CustomField>("customFields") {
        Field(1, "thread", .uuid)
        Field(2, "name", .text)
        Field(3, "position", .integer)
        Field(4, "isGroup", .boolean)
        Field(5, "deletedAt", .instant)
        inThread
        byPlace
    }

    /// A field goes with its thread.
    static let inThread = Reference<CustomField, JournalThread>("inThread", whenDeleted: .cascade, \.threadID)

    /// The fields of each thread in their order, without deleted ones.
    static let byPlace = Index<CustomField, Placed<UUID>>("byPlace") { field in
        field.isDeleted ? nil : Placed(lane: field.threadID, position: field.position)
    }

    /// The order that a person gives the fields of a thread.
    static let order = ManualOrder(byPlace, \.position)

    /// Decodes the fields that `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        threadID = try fields.uuid(1)
        name = try fields.string(2)
        position = try fields.optionalInt64(3) ?? 0
        isGroup = try fields.bool(4)
        deletedAt = try fields.optionalInstant(5)
    }

    /// Writes the fields.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, threadID)
        fields.put(2, name)
        fields.put(3, position)
        fields.put(4, isGroup)
        fields.put(5, deletedAt)
    }

    /// The invariants that the field violates, without any of its content.
    public var brokenInvariants: [String] {
        Self.nameLengths.contains(name.count) ? [] : ["the name does not have 1 to 50 characters"]
    }
}

/// That a field is in a group. A field is in one group at most.
public struct CustomFieldGroup: Record, Hashable {
    /// The field that is in the group.
    public package(set) var id: UUID
    /// The group: another field of the same thread.
    public package(set) var parentID: UUID

    package init(child: UUID, parent: UUID) {
        id = child
        parentID = parent
    }

    /// The storage of groups: the key is the id of the field that is in one.
    public static let collection = RecordCollection<CustomFieldGroup>("fieldGroups") {
        Field(1, "parent", .uuid)
        ofChild
        ofParent
    }

    static let ofChild = Reference<CustomFieldGroup, CustomField>("ofChild", whenDeleted: .cascade, \.id)
    static let ofParent = Reference<CustomFieldGroup, CustomField>("ofParent", whenDeleted: .cascade, \.parentID)

    /// Decodes the fields that `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        parentID = try fields.uuid(1)
    }

    /// Writes the fields.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, parentID)
    }

    /// The invariants that it violates.
    public var brokenInvariants: [String] { id == parentID ? ["a group is in itself"] : [] }
}

/// A field of a thread with its place among the others.
public struct FieldSummary: Sendable, Hashable {
    /// The field.
    public let field: CustomField
    /// Its place among the fields of the thread, from 0.
    public let order: Int
    /// The group that it is in; nil for none, and for a group that was deleted.
    public let groupID: UUID?
}
