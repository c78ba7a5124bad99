import CivilTime
import FoundationEssentials
import Records

/// The state of a device's space, besides the records.
struct SpaceState: Record {
    let id: UInt8
    /// The space.
    var space: UUID
    /// The history of the hub's copy; nil before the first answer. A hub that was restored has another.
    var epoch: UUID?
    /// The number of the hub's last unit that is applied here.
    var cursor: Int64 = 0
    /// The number of the last push; every push of other units has a higher one.
    var pushNumber: UInt64 = 0
    /// How often everything was pulled again because the digests differed.
    var fullPulls: Int64 = 0
    /// When everything was last in agreement with the hub, in microseconds since 1970.
    var lastSuccess: Int64?
    /// What the last try ended with; nil after a success.
    var lastError: String?
    /// Why nothing is sent before a person does something; nil in nearly all cases.
    var held: String?
    /// How far the hub's clock is ahead of this device's, in microseconds.
    var clockOffset: Int64 = 0
    /// Whether the digests agreed when they were last compared: 0 unknown, 1 the same, 2 different.
    var digest: UInt8 = 0
    /// How many tries have failed since the last success.
    var failures: Int64 = 0
    /// When a difference of the digests was last repaired, in microseconds since 1970, and how far that has come: 1 everything was
    /// pulled, 2 everything was sent.
    var repairedAt: Int64 = 0
    var repairStep: Int64 = 0
    /// Whether records that were there before are still to be stamped.
    var isStamping = false
    /// The hub's head at which the digests differed once: if they still do, everything is pulled.
    var differsAt: Int64?

    static let collection = RecordCollection<SpaceState>("sync.space", isTracked: false) {
        Field(1, "space", .uuid)
        Field(2, "epoch", .uuid)
        Field(3, "cursor", .integer)
        Field(4, "pushNumber", .integer)
        Field(5, "fullPulls", .integer)
        Field(6, "lastSuccess", .integer)
        Field(7, "lastError", .text)
        Field(8, "held", .text)
        Field(9, "clockOffset", .integer)
        Field(10, "digest", .unsigned8)
        Field(11, "failures", .integer)
        Field(12, "repairedAt", .integer)
        Field(13, "repairStep", .integer)
        Field(14, "isStamping", .boolean)
        Field(15, "differsAt", .integer)
    }

    init(space: UUID) {
        id = 0
        self.space = space
    }

    init(id: UInt8, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        space = try fields.uuid(1)
        epoch = try fields.optionalUUID(2)
        cursor = try fields.optionalInt64(3) ?? 0
        pushNumber = UInt64(bitPattern: try fields.optionalInt64(4) ?? 0)
        fullPulls = try fields.optionalInt64(5) ?? 0
        lastSuccess = try fields.optionalInt64(6)
        lastError = try fields.optionalString(7)
        held = try fields.optionalString(8)
        clockOffset = try fields.optionalInt64(9) ?? 0
        digest = try fields.optionalByte(10) ?? 0
        failures = try fields.optionalInt64(11) ?? 0
        repairedAt = try fields.optionalInt64(12) ?? 0
        repairStep = try fields.optionalInt64(13) ?? 0
        isStamping = try fields.bool(14)
        differsAt = try fields.optionalInt64(15)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, space)
        fields.put(2, epoch)
        fields.put(3, cursor)
        fields.put(4, Int64(bitPattern: pushNumber))
        fields.put(5, fullPulls)
        fields.put(6, lastSuccess)
        fields.put(7, lastError)
        fields.put(8, held)
        fields.put(9, clockOffset)
        fields.put(10, digest)
        fields.put(11, failures)
        fields.put(12, repairedAt)
        fields.put(13, repairStep)
        fields.put(14, isStamping)
        fields.put(15, differsAt)
    }

    /// The state of a store; throws `notSynced` when there is none.
    static func load(in transaction: ReadTransaction) throws -> SpaceState {
        guard let state = try transaction[SpaceState.self].get(0) else { throw SyncError.notSynced }
        return state
    }
}
