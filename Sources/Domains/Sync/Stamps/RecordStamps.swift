import Records

/// The stamp of one unit of a record, as a device keeps it.
struct UnitStamp: Sendable, Hashable {
    /// The key of the value that the record has.
    var key: MergeKey
    /// When the record was changed so, in microseconds since 1970: of the units' times the largest is the record's.
    var updatedAt: Int64
    /// Whether the hub has not acknowledged this key yet.
    var isPending = false
    /// Whether a rollover or an expiry made the change.
    var isAutomatic = false
    /// Whether the hub has refused it: it is not sent again before it changes.
    var isParked = false
    /// Which key it replaced, for a value that is to be sent and would be missed: see `MergeKey.mark`. 0 for none.
    var replaced: UInt32 = 0
}

/// The stamps of a record's units. A record that nobody has edited since it was created has one, that of its base.
struct UnitStamps: Sendable, Hashable {
    private(set) var units: [UInt16: UnitStamp] = [:]

    subscript(unit: UInt16) -> UnitStamp? {
        get { units[unit] }
        set { units[unit] = newValue }
    }

    /// Whether the last word on the record's existence is that it was deleted.
    var isDeleted = false

    /// Whether damage took the record: nobody has deleted it, and the hub has it.
    var isLost = false

    /// The last content of a record that is gone while some of it is not sent yet: it may come back, here by undo and elsewhere
    /// because somebody has changed it since.
    var pendingContent: [UInt8] = []

    /// The values of units that name a record which is missing here, as the bytes of their fields. The record itself names none
    /// meanwhile. Under the number of the base: the whole record, which cannot be there without the missing one. Under the number
    /// of existence: the tombstone of a record that is there although it was deleted, because somebody has changed it since.
    var deferred: [UInt16: [UInt8]] = [:]

    /// The content of a record that is not there itself; nil when nothing is known of it.
    var absentContent: [UInt8]? { deferred[SyncUnit.base] ?? (pendingContent.isEmpty ? nil : pendingContent) }

    /// The units that are to be sent.
    var pending: [UInt16] { units.filter { $0.value.isPending && !$0.value.isParked }.keys.sorted() }

    /// Whether something is to be sent.
    var isPending: Bool { !pending.isEmpty }

    /// The key that the value of a unit has: that of the base while the unit has none.
    func effectiveKey(_ unit: UInt16) -> MergeKey? { (units[unit] ?? units[SyncUnit.base])?.key }

    var isPurged: Bool { if case .purge = units[SyncUnit.existence]?.key { true } else { false } }

    /// The stamp under which a place in a unit counts: that of the unit, or of the base while the unit has none.
    func group(_ unit: UInt16) -> Stamp { (units[unit] ?? units[SyncUnit.base])?.key.stamp ?? .zero }

    /// The time of the last change among the values that the record has.
    var updatedAt: Int64 { units.values.map(\.updatedAt).max() ?? 0 }

    /// Removes all units but the one that says that the record was purged.
    mutating func purge(_ stamp: UnitStamp) {
        units = [SyncUnit.existence: stamp]
        isDeleted = true
        pendingContent = []
        deferred = [:]
    }

    /// Removes all units but the one that says that the record was deleted, with what some of them would name: should the record come
    /// back, it does so with what others have.
    mutating func keepExistence() {
        units = units.filter { $0.key == SyncUnit.existence }
        deferred = deferred.filter { $0.key == SyncUnit.existence }
    }

    /// Lets the units of a change bring the record back, as if a person had made it.
    mutating func keepAlive(by stamp: Stamp) {
        for (number, unit) in units where unit.key.stamp == stamp { units[number]?.isAutomatic = false }
    }

    /// Whether the record exists: it was not deleted, or a person has changed its content since.
    var isAlive: Bool {
        guard isDeleted, let existence = units[SyncUnit.existence] else { return true }
        guard !isPurged else { return false }
        return units.contains { number, unit in
            if number == SyncUnit.existence || unit.isAutomatic { return false }
            if case .placed = unit.key { return false }
            return unit.key.stamp > existence.key.stamp
        }
    }

    // MARK: Bytes

    private enum Flag {
        static let pending: UInt64 = 1
        static let automatic: UInt64 = 2
        static let parked: UInt64 = 4
        static let replaces: UInt64 = 8
    }

    /// The number of units, then of each in ascending order: number, flags, key, and the distance of its time from that of the
    /// stamp, which takes two bytes on a device whose clock is right.
    var encoded: [UInt8] {
        var writer = WireWriter()
        writer.put((isDeleted ? UInt64(1) : 0) | (isLost ? 2 : 0))
        writer.put(units.sorted { $0.key < $1.key }) { entry, writer in
            let (number, unit) = entry
            writer.put(UInt64(number))
            writer.put(
                (unit.isPending ? Flag.pending : 0) | (unit.isAutomatic ? Flag.automatic : 0)
                    | (unit.isParked ? Flag.parked : 0) | (unit.replaced != 0 ? Flag.replaces : 0))
            writer.put(unit.key.bytes)
            writer.put(unit.updatedAt &- unit.key.timeNearby)
            if unit.replaced != 0 { writer.put(UInt64(unit.replaced)) }
        }
        writer.put(pendingContent)
        writer.put(deferred.sorted { $0.key < $1.key }) { entry, writer in
            writer.put(UInt64(entry.key))
            writer.put(entry.value)
        }
        return writer.bytes
    }

    init() {}

    init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = WireReader(bytes)
        let state = try reader.unsigned()
        isDeleted = state & 1 != 0
        isLost = state & 2 != 0
        let list = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in
            let number: UInt16 = try reader.small()
            let flags = try reader.unsigned()
            guard let key = MergeKey(try reader.data()) else { throw MalformedMessage() }
            let distance = try reader.signed()
            let replaced: UInt32 = flags & Flag.replaces != 0 ? try reader.small() : 0
            return (
                number,
                UnitStamp(
                    key: key, updatedAt: key.timeNearby &+ distance, isPending: flags & Flag.pending != 0,
                    isAutomatic: flags & Flag.automatic != 0, isParked: flags & Flag.parked != 0, replaced: replaced)
            )
        }
        pendingContent = try reader.data()
        let values = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in
            (try reader.small(as: UInt16.self), try reader.data())
        }
        try reader.end()
        deferred = Dictionary(values) { first, _ in first }
        units = Dictionary(list) { first, _ in first }
    }
}

extension MergeKey {
    /// A time in microseconds that the record's own time is likely to be near.
    fileprivate var timeNearby: Int64 {
        if case .base(let createdAt, _) = self { createdAt } else { stamp.milliseconds &* 1000 }
    }
}

/// The stamps of a record of a type, in an untracked collection beside it: they are written with each change of the record,
/// and are neither undone nor in the change log.
struct RecordStamps<R: Record>: Record {
    /// The part of the table that it is in, then the record's id.
    typealias ID = Compound<UInt8, R.ID>

    let id: ID
    let content: [UInt8]

    static var collection: RecordCollection<RecordStamps<R>> {
        RecordCollection("\(R.collection.name).stamps", isTracked: false) { Field(1, "stamps", .bytes) }
    }

    init(id: ID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        content = try fields.optionalBytes(1) ?? []
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, content)
    }

    var brokenInvariants: [String] {
        (try? UnitStamps(decoding: content)) == nil ? ["the stamps cannot be read"] : []
    }
}
