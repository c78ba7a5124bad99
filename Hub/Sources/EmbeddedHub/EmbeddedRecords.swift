import Daybook
import FoundationEssentials
import HubCore
import HubMessages
import Sync

/// A space.
struct SpaceRecord: Record {
    let id: UUID
    var epoch: UUID
    var head: Int64
    var digest: Int64
    var bytes: Int64

    static let collection = RecordCollection<SpaceRecord>("hubspaces", isTracked: false) {
        Field(1, "epoch", .uuid)
        Field(2, "head", .integer)
        Field(3, "digest", .integer)
        Field(4, "bytes", .integer)
        total
    }
    /// How much all spaces take up.
    static let total = Tally<SpaceRecord, UInt8>("total", summing: \.bytes) { _ in 0 }

    init(_ row: SpaceRow) {
        id = row.space
        epoch = row.epoch
        head = row.head
        digest = Int64(bitPattern: row.digest)
        bytes = row.bytes
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        epoch = try fields.uuid(1)
        head = try fields.int64(2)
        digest = try fields.int64(3)
        bytes = try fields.int64(4)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, epoch)
        fields.put(2, head)
        fields.put(3, digest)
        fields.put(4, bytes)
    }

    var row: SpaceRow {
        SpaceRow(space: id, epoch: epoch, head: head, digest: UInt64(bitPattern: digest), bytes: bytes)
    }
}

/// The id of something in a space that has a number.
struct NumberInSpace: OrderedKey, Hashable {
    let space: UUID
    let number: UInt64

    static var width: Int { 24 }
    static var isShownInErrors: Bool { true }

    init(_ space: UUID, _ number: UInt64) {
        self.space = space
        self.number = number
    }

    func encode(into key: inout KeyBytes) {
        space.encode(into: &key)
        number.encode(into: &key)
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        space = try UUID(decoding: &key)
        number = try UInt64(decoding: &key)
    }
}

/// A device of a space.
struct DeviceRecord: Record {
    let id: NumberInSpace
    var signingKey: [UInt8]
    var agreementKey: [UInt8]
    var label: [UInt8]
    var role: Int32
    var pushNumber: Int64
    var pushHash: [UInt8]
    var isRevoked: Bool

    static let collection = RecordCollection<DeviceRecord>("hubdevices", isTracked: false) {
        Field(1, "signingKey", .bytes)
        Field(2, "agreementKey", .bytes)
        Field(3, "label", .bytes)
        Field(4, "role", .integer32)
        Field(5, "pushNumber", .integer)
        Field(6, "pushHash", .bytes)
        Field(7, "isRevoked", .boolean)
    }

    init(_ row: DeviceRow) {
        id = NumberInSpace(row.space, row.device)
        signingKey = Array(row.registration.signingKey)
        agreementKey = Array(row.registration.agreementKey)
        label = Array(row.registration.label)
        role = Int32(row.role.rawValue)
        pushNumber = row.pushNumber
        pushHash = row.pushHash
        isRevoked = row.isRevoked
    }

    init(id: NumberInSpace, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        signingKey = try fields.optionalBytes(1) ?? []
        agreementKey = try fields.optionalBytes(2) ?? []
        label = try fields.optionalBytes(3) ?? []
        role = try fields.optionalInt32(4) ?? 0
        pushNumber = try fields.int64(5)
        pushHash = try fields.optionalBytes(6) ?? []
        isRevoked = try fields.bool(7)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, signingKey)
        fields.put(2, agreementKey)
        fields.put(3, label)
        fields.put(4, role)
        fields.put(5, pushNumber)
        fields.put(6, pushHash)
        fields.put(7, isRevoked)
    }

    var row: DeviceRow {
        DeviceRow(
            space: id.space,
            registration: DeviceRegistration(
                device: id.number, signingKey: Data(signingKey), agreementKey: Data(agreementKey), label: Data(label)),
            // A role of a newer version may do no more than a recovery key.
            role: DeviceRole(rawValue: Int16(truncatingIfNeeded: role)) ?? .recovery, pushNumber: pushNumber,
            pushHash: pushHash, isRevoked: isRevoked)
    }
}

/// The id of an invite: its space and the hash of its token.
struct InviteID: OrderedKey, Hashable {
    let space: UUID
    /// The 32 bytes, in four parts.
    let hash: [UInt64]

    static var width: Int { 48 }

    init(_ space: UUID, _ bytes: [UInt8]) {
        self.space = space
        hash = stride(from: 0, to: 32, by: 8).map { start in
            bytes.dropFirst(start).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    func encode(into key: inout KeyBytes) {
        space.encode(into: &key)
        for part in hash { part.encode(into: &key) }
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        space = try UUID(decoding: &key)
        var parts: [UInt64] = []
        for _ in 0..<4 { parts.append(try UInt64(decoding: &key)) }
        hash = parts
    }

    var bytes: [UInt8] {
        hash.flatMap { part in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: part >> $0) } }
    }
}

/// An invite into a space.
struct InviteRecord: Record {
    let id: InviteID
    var sealedKeys: [UInt8]
    var expires: Int64
    var usedBy: UInt64?

    static let collection = RecordCollection<InviteRecord>("hubinvites", isTracked: false) {
        Field(1, "sealedKeys", .bytes)
        Field(2, "expires", .integer)
        Field(3, "usedBy", .integer)
    }

    init(_ row: InviteRow) {
        id = InviteID(row.space, row.tokenHash)
        sealedKeys = row.sealedKeys
        expires = row.expires
        usedBy = row.usedBy
    }

    init(id: InviteID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        sealedKeys = try fields.optionalBytes(1) ?? []
        expires = try fields.int64(2)
        usedBy = try fields.optionalInt64(3).map { UInt64(bitPattern: $0) }
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, sealedKeys)
        fields.put(2, expires)
        fields.put(3, usedBy.map { Int64(bitPattern: $0) })
    }

    var row: InviteRow {
        InviteRow(
            space: id.space, tokenHash: id.bytes, sealedKeys: sealedKeys, expires: expires, usedBy: usedBy)
    }
}

/// The id of a unit in a space.
struct UnitID: OrderedKey, Hashable {
    let space: UUID
    let record: UUID
    let unit: UInt16

    static var width: Int { 34 }
    static var isShownInErrors: Bool { true }

    init(_ space: UUID, _ id: UnitKey) {
        self.space = space
        record = id.record
        unit = id.unit
    }

    func encode(into key: inout KeyBytes) {
        space.encode(into: &key)
        record.encode(into: &key)
        key.append(bigEndian: unit)
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        space = try UUID(decoding: &key)
        record = try UUID(decoding: &key)
        unit = try key.bigEndian()
    }
}

/// A unit of a space.
struct UnitRecord: Record {
    let id: UnitID
    var sequence: Int64
    var key: [UInt8]
    var flags: UInt32
    var device: Int64
    var body: [UInt8]

    static let inOrder = Index<UnitRecord, NumberInSpace>("inOrder", isUnique: true) {
        NumberInSpace($0.id.space, UInt64(bitPattern: $0.sequence))
    }

    static let collection = RecordCollection<UnitRecord>("hubunits", isTracked: false) {
        Field(1, "sequence", .integer)
        Field(2, "key", .bytes)
        Field(3, "flags", .unsigned32)
        Field(4, "device", .integer)
        Field(5, "body", .bytes)
        inOrder
    }

    init(_ numbered: NumberedUnit, in space: UUID) {
        id = UnitID(space, numbered.unit.id)
        sequence = numbered.sequence
        key = numbered.unit.key
        flags = UInt32(numbered.unit.flags.rawValue)
        device = Int64(bitPattern: numbered.device)
        body = numbered.unit.body
    }

    init(id: UnitID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        sequence = try fields.int64(1)
        key = try fields.optionalBytes(2) ?? []
        flags = try fields.optionalUInt32(3) ?? 0
        device = try fields.int64(4)
        body = try fields.optionalBytes(5) ?? []
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, sequence)
        fields.put(2, key)
        fields.put(3, flags)
        fields.put(4, device)
        fields.put(5, body)
    }

    var numbered: NumberedUnit {
        NumberedUnit(
            SyncUnit(
                record: id.record, unit: id.unit, key: key,
                flags: SyncUnit.Flags(rawValue: UInt16(truncatingIfNeeded: flags)), body: body),
            sequence: sequence, device: UInt64(bitPattern: device))
    }

    var header: UnitHeader {
        UnitHeader(
            id: UnitKey(record: id.record, unit: id.unit), sequence: sequence, key: key, bodySize: body.count)
    }
}

/// A value of the hub's own.
struct SettingRecord: Record {
    let id: UInt32
    var name: String
    var value: [UInt8]

    static let byName = Index<SettingRecord, TextKey>("byName", isUnique: true) { TextKey($0.name) }

    static let collection = RecordCollection<SettingRecord>("hubsettings", isTracked: false) {
        Field(1, "name", .text)
        Field(2, "value", .bytes)
        byName
    }

    init(id: UInt32, name: String, value: [UInt8]) {
        self.id = id
        self.name = name
        self.value = value
    }

    init(id: UInt32, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        name = try fields.string(1)
        value = try fields.optionalBytes(2) ?? []
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, name)
        fields.put(2, value)
    }
}
