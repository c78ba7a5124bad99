import CivilTime
import FoundationEssentials
import Records

/// A text that lost against another device's, kept for 30 days in the local log of conflicts.
public struct LostValue: Record {
    /// The identity of the entry.
    public let id: UUID
    /// When the merge was made.
    public let at: Instant
    /// The name of the collection.
    public let collectionName: String
    /// The key of the record: the 16 bytes of its id, for tasks and lists.
    public let key: [UInt8]
    /// The name of the unit: "text", "note", "name".
    public let unit: String
    /// The value that lost.
    public let value: String
    /// The device whose value is there instead.
    public let device: UInt64

    /// How long it is kept, in microseconds.
    static let life: Int64 = 30 * 86_400_000_000

    /// Where lost values are kept: untracked, so that undo and other devices have nothing to do with them.
    public static let collection = RecordCollection<LostValue>("sync.conflicts", isTracked: false) {
        Field(1, "at", .instant)
        Field(2, "collection", .text)
        Field(3, "key", .bytes)
        Field(4, "unit", .text)
        Field(5, "value", .text)
        Field(6, "device", .integer)
        byTime
    }

    /// The order of time.
    public static let byTime = Index<LostValue, Instant>("byTime") { $0.at }

    /// Removes the lost values of a purged record, so that its content is erased.
    static func removeAll(ofKey key: [UInt8], in collectionName: String, _ transaction: WriteTransaction) throws {
        var ids: [UUID] = []
        try transaction[LostValue.self].forEach { value in
            if value.key == key, value.collectionName == collectionName { ids.append(value.id) }
            return true
        }
        for id in ids { try transaction.delete(LostValue.self, id: id) }
    }

    init(
        id: UUID, at: Instant, collectionName: String, key: [UInt8], unit: String, value: String, by device: UInt64
    ) {
        self.id = id
        self.at = at
        self.collectionName = collectionName
        self.key = key
        self.unit = unit
        self.value = value
        self.device = device
    }

    /// Decodes the fields that `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        at = try fields.instant(1)
        collectionName = try fields.optionalString(2) ?? ""
        key = try fields.optionalBytes(3) ?? []
        unit = try fields.optionalString(4) ?? ""
        value = try fields.optionalString(5) ?? ""
        device = UInt64(bitPattern: try fields.optionalInt64(6) ?? 0)
    }

    /// Writes the fields.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, at)
        fields.put(2, collectionName)
        fields.put(3, key)
        fields.put(4, unit)
        fields.put(5, value)
        fields.put(6, Int64(bitPattern: device))
    }
}
