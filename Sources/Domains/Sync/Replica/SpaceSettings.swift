import CivilTime
import FoundationEssentials
import Records

/// What is decided for a space as a whole. It travels as a unit of the space, sealed, so that only members decide it.
///
/// Journals are switched on for good: a device that has sent them cannot take them back.
struct SpaceSettings: Hashable {
    /// Whether journals take part.
    var hasJournals = false

    var encoded: [UInt8] {
        var writer = WireWriter()
        writer.put(hasJournals ? UInt64(1) : 0)
        return writer.bytes
    }

    init(hasJournals: Bool) { self.hasJournals = hasJournals }

    init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = WireReader(bytes)
        hasJournals = try reader.unsigned() & 1 != 0
        // A later version may append settings.
    }
}

extension SyncSteps {
    private static let settings = DeferredUnit.ID(record: SyncUnit.commonRecord, unit: SyncUnit.settings)

    /// Lets journals take part, here and on every device of the space.
    func switchOnJournals() throws {
        guard var clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        var state = try SpaceState.load(in: transaction)
        try switchOnJournals(&clock, &state)
        try clock.save(in: transaction)
        try transaction.put(state)
    }

    private func switchOnJournals(_ clock: inout SyncClock, _ state: inout SpaceState) throws {
        guard !clock.hasJournals else { return }
        clock.hasJournals = true
        // What was written before has no stamps yet.
        state.isStamping = true
    }

    /// Follows the decision that another device has sent.
    func adoptSettings(_ clock: inout SyncClock, _ state: inout SpaceState) throws {
        guard !clock.hasJournals, let unit = try transaction[DeferredUnit.self].get(Self.settings)?.unit,
            let body = try? sealing.open(unit), (try? SpaceSettings(decoding: body))?.hasJournals ?? false
        else { return }
        try switchOnJournals(&clock, &state)
    }

    /// Sends the decision to the others. When the hub's time is known: the stamps of such units cannot be replaced.
    func announceSettings() throws {
        guard var clock = try SyncClock.load(in: transaction), clock.hasJournals,
            try transaction[DeferredUnit.self].get(Self.settings) == nil
        else { return }
        let stamp = clock.tick(now: transaction.context.clock.wall)
        try clock.save(in: transaction)
        var unit = SyncUnit(
            record: SyncUnit.commonRecord, unit: SyncUnit.settings, key: MergeKey.latest(stamp).bytes, body: [])
        unit.body = try sealing.seal(SpaceSettings(hasJournals: true).encoded, as: unit)
        try send([unit])
    }
}
