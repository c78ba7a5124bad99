import CivilTime
import Records

/// A store's clock for stamps, which is stored with each change that it has stamped. A store without one is not synced, and its
/// changes are not stamped.
struct SyncClock: Sendable, Hashable {
    /// The device's id in its space.
    var device: UInt64
    /// The hybrid logical clock.
    var clock = HybridClock()
    /// How far the hub's clock is ahead of this device's, in microseconds; 0 before it is known, and for one that is off by more
    /// than a day, which nobody should follow silently.
    var offset: Int64 = 0
    /// The number of the last row of the change log whose changes are stamped.
    var sequence: UInt64
    /// The number after which rows are not stamped, because a program without sync has written them; nil when there is no gap.
    var gapStart: UInt64?
    /// Whether journals take part.
    var hasJournals = false

    /// Whether changes of a collection are stamped.
    func follows(_ collection: SyncedCollection) -> Bool { hasJournals || !collection.isOfJournals }

    private static let name = "sync"

    /// The store's clock; nil when it is not synced.
    static func load(in transaction: ReadTransaction) throws -> SyncClock? {
        guard let bytes = try transaction.followerState(of: name) else { return nil }
        guard let clock = try? SyncClock(decoding: bytes) else { throw SyncError.unreadableStamps }
        return clock
    }

    func save(in transaction: WriteTransaction) throws {
        try transaction.setFollowerState(encoded, of: Self.name)
    }

    static func remove(in transaction: WriteTransaction) throws {
        try transaction.setFollowerState(nil, of: name)
    }

    /// The stamp of a change that is made now.
    mutating func tick(now: Instant) -> Stamp {
        Stamp(time: clock.tick(now: now.advanced(byMicroseconds: offset)), device: device)
    }

    /// Notes that a row is stamped, and a gap when rows before it are not.
    mutating func note(_ row: UInt64) {
        if row != sequence + 1, gapStart == nil { gapStart = sequence }
        sequence = row
    }

    init(device: UInt64, sequence: UInt64) {
        self.device = device
        self.sequence = sequence
    }

    private init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = WireReader(bytes)
        device = try reader.fixed()
        clock = HybridClock(last: try reader.fixed())
        offset = try reader.signed()
        sequence = try reader.unsigned()
        gapStart = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in try reader.unsigned() }
            .first
        // Written only where it is true, so that earlier versions read all others.
        hasJournals = try reader.isAtEnd ? false : reader.unsigned() != 0
        try reader.end()
    }

    private var encoded: [UInt8] {
        var writer = WireWriter()
        writer.putFixed(device)
        writer.putFixed(clock.last)
        writer.put(offset)
        writer.put(sequence)
        writer.put([gapStart].compactMap { $0 }) { $1.put($0) }
        if hasJournals { writer.put(UInt64(1)) }
        return writer.bytes
    }
}
