import Records

/// The register of one record: for each unit the value with the largest key. This is all that decides; what is written follows
/// from it.
struct UnitMerge {
    var stamps: UnitStamps
    /// Whether the record's content is there, so that what is known already need not be taken again.
    let isStored: Bool
    /// The field of the collection that has the time of the last change.
    let timeField: Int?
    /// Whether a fault injection point decides ties for what is here.
    var keepsOwnInTies = false
    /// The units that the record does not have yet.
    private(set) var opened: [UInt16: OpenedUnit] = [:]

    init(stamps: UnitStamps, isStored: Bool, timeField: Int?) {
        self.stamps = stamps
        self.isStored = isStored
        self.timeField = timeField
    }

    var winners: [UInt16: UnitBody] { opened.mapValues(\.body) }

    /// Takes a unit if its key is the larger one.
    mutating func take(_ unit: OpenedUnit) {
        let number = unit.unit.unit
        if let current = stamps[number] {
            if current.key == unit.key {
                // The hub has what this device has sent.
                if !unit.isPending { stamps[number]?.isPending = false }
                if !isStored { opened[number] = unit }
                return
            }
            if current.key > unit.key || keepsOwnInTies && current.key.stamp.time == unit.key.stamp.time { return }
        }
        if case .purge = unit.key {
            stamps.purge(
                UnitStamp(
                    key: unit.key, updatedAt: unit.key.stamp.milliseconds &* 1000, isPending: unit.isPending))
            opened = [number: unit]
            return
        }
        // Nothing follows a purge.
        if stamps.isPurged { return }
        stamps[number] = UnitStamp(
            key: unit.key, updatedAt: updatedAt(unit), isPending: unit.isPending,
            isAutomatic: unit.unit.flags.contains(.automatic))
        if case .existence(let isAlive, _, _) = unit.body { stamps.isDeleted = !isAlive }
        opened[number] = unit
    }

    /// The record as it was created, if its base is new here.
    var base: StoredFields? {
        if case .base(_, _, let value) = opened[SyncUnit.base]?.body { StoredFields(value) } else { nil }
    }

    /// The fields of a unit that is new here.
    func fields(of unit: UInt16) -> StoredFields? { opened[unit].flatMap { Self.fields($0.body) } }

    static func fields(_ body: UnitBody) -> StoredFields? {
        if case .fields(_, let value, _) = body { StoredFields(value) } else { nil }
    }

    static func fields(_ waiting: DeferredUnit) -> StoredFields? {
        (try? UnitBody(decoding: waiting.body, of: waiting.id.unit)).flatMap(fields)
    }

    private func updatedAt(_ unit: OpenedUnit) -> Int64 {
        switch unit.body {
        case .existence(_, let updatedAt, _), .fields(let updatedAt, _, _): updatedAt
        case .base(_, _, let value):
            timeField.flatMap { StoredFields(value)?.integer($0) } ?? unit.key.stamp.milliseconds &* 1000
        }
    }
}
