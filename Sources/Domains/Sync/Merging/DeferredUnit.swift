import FoundationEssentials
import Records

/// A unit whose value is kept beside the records, because they cannot have it yet.
struct DeferredUnit: Record {
    struct ID: CompoundKey, Hashable {
        let record: UUID
        let unit: UInt16

        init(record: UUID, unit: UInt16) {
            self.record = record
            self.unit = unit
        }

        init(_ compound: Compound<UUID, UInt16>) { (record, unit) = compound.parts }

        var compound: Compound<UUID, UInt16> { Compound(record, unit) }
    }

    /// What it waits for.
    enum Reason: UInt8 {
        /// The base of its record.
        case base = 0
        /// A version of the program that defines the unit.
        case version = 1
        /// A newer value of the unit that it is a place in.
        case group = 2
        /// A person: this device cannot store the record.
        case parked = 3
        /// A key of the space under which it was sealed. The body is the sealed one.
        case sealed = 4
        /// Nothing: it is about the space, not about a record.
        case space = 5
        /// Being sent: this device has made it for the others.
        case outgoing = 6

        /// Whether the stamps of the record have its key. Otherwise it counts in the digest by itself.
        var isStamped: Bool { self == .group }
    }

    let id: ID
    /// Whether it counts in the digest by itself: what the hub has and the stamps have not.
    var isCounted: Bool { !reason.isStamped && reason != .outgoing }
    var key: [UInt8]
    var flags: UInt32
    /// The opened body.
    var body: [UInt8]
    var reason: Reason
    /// Whether it is to be sent, as it came, to a hub that may have lost it. False while the stamps of the record say that.
    var isPending: Bool

    init(_ unit: SyncUnit, body: [UInt8], reason: Reason, isPending: Bool = false) {
        id = ID(record: unit.record, unit: unit.unit)
        key = unit.key
        flags = UInt32(unit.flags.rawValue)
        self.body = body
        self.reason = reason
        self.isPending = isPending && !reason.isStamped
    }

    static let collection = RecordCollection<DeferredUnit>("sync.waiting", isTracked: false) {
        Field(1, "key", .bytes)
        Field(2, "flags", .unsigned32)
        Field(3, "body", .bytes)
        Field(4, "reason", .unsigned8)
        Field(5, "isPending", .boolean)
    }

    init(id: ID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        key = try fields.optionalBytes(1) ?? []
        flags = try fields.optionalUInt32(2) ?? 0
        body = try fields.optionalBytes(3) ?? []
        reason = Reason(rawValue: try fields.optionalByte(4) ?? 0) ?? .version
        isPending = try fields.bool(5)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, key)
        fields.put(2, flags)
        fields.put(3, body)
        fields.put(4, reason.rawValue)
        fields.put(5, isPending)
    }

    /// Removes the deferred units of a purged record, so that its content is erased.
    static func removeAll(ofKey key: [UInt8], in collection: UInt32, _ transaction: WriteTransaction) throws {
        var waiting: [ID] = []
        try transaction[DeferredUnit.self].forEach { unit in
            waiting.append(unit.id)
            return true
        }
        for id in waiting {
            guard let name = try transaction[WireName.self].get(id.record), name.key == key,
                name.collectionNumber == collection
            else { continue }
            try transaction.delete(DeferredUnit.self, id: id)
        }
    }

    /// The unit as it came.
    var unit: SyncUnit {
        SyncUnit(
            record: id.record, unit: id.unit, key: key, flags: .init(rawValue: UInt16(truncatingIfNeeded: flags)),
            body: body)
    }
}

/// Which record a name on the wire stands for.
struct WireName: Record {
    let id: UUID
    let collectionNumber: UInt32
    let key: [UInt8]

    static let collection = RecordCollection<WireName>("sync.names", isTracked: false) {
        Field(1, "collection", .unsigned32)
        Field(2, "key", .bytes)
    }

    init(id: UUID, collection: UInt32, key: [UInt8]) {
        self.id = id
        collectionNumber = collection
        self.key = key
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        collectionNumber = try fields.optionalUInt32(1) ?? 0
        key = try fields.optionalBytes(2) ?? []
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, collectionNumber)
        fields.put(2, key)
    }
}

/// A record whose content this device has lost or dropped and that exists: it is fetched from the hub.
struct WantedRecord: Record {
    let id: UUID

    static let collection = RecordCollection<WantedRecord>("sync.wanted", isTracked: false)

    init(id: UUID) { self.id = id }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) { self.id = id }

    func encode(into fields: inout FieldEncoder) {}
}
