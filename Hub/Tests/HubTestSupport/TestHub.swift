import Daybook
import FoundationEssentials
import HubCore
import HubMessages
import Sync

/// A hub with a clock that is set, random numbers by a seed, and a space with some devices.
package struct TestHub: Sendable {
    package let hub: Hub
    package let clock: SettableClock
    package let space: UUID

    /// 2026-03-01, 12:00 UTC.
    package static let start = Instant(secondsSince1970: 1_772_366_400)

    package init(
        _ storage: any HubStorage, clock: SettableClock = SettableClock(TestHub.start), seed: UInt64 = 1,
        spaceLimit: Int64 = 1 << 30
    ) {
        let random = SeededRandomSource(seed: seed)
        self.clock = clock
        hub = Hub(
            storage: storage, spaceLimit: spaceLimit, now: { clock.wall.microsecondsSince1970 },
            random: { random.next() })
        space = Self.uuid(seed &* 1000 + 7)
    }

    /// Creates the space with device 1, and lets it register the others.
    package func createSpace(devices: ClosedRange<UInt64> = 1...1) async throws {
        _ = try await persisting {
            try await hub.createSpace(SpaceRequest(space: space, device: Self.registration(devices.lowerBound)))
        }
        for device in devices.dropFirst() {
            _ = try await persisting {
                try await hub.join(
                    JoinRequest(token: nil, device: Self.registration(device)), space: space,
                    sponsor: devices.lowerBound)
            }
        }
    }

    package static func registration(_ device: UInt64) -> DeviceRegistration {
        DeviceRegistration(
            device: device, signingKey: Data(repeating: UInt8(truncatingIfNeeded: device), count: 32),
            agreementKey: Data(repeating: 0xAA, count: 32), label: Data([UInt8(truncatingIfNeeded: device)]))
    }

    /// An id of a number.
    package static func uuid(_ number: UInt64) -> UUID {
        let random = SeededRandomSource(seed: number)
        return UUID(high: random.next(), low: random.next())
    }

    /// The time of a stamp, relative to the clock.
    package func time(milliseconds: Int64 = 0, counter: UInt64 = 0) -> UInt64 {
        UInt64(clock.wall.microsecondsSince1970 / 1000 + milliseconds) << 16 | counter
    }

    /// A unit whose key is a stamp.
    package func unit(
        _ record: UInt64, _ unit: UInt16 = 2, at milliseconds: Int64 = 0, by device: UInt64 = 1, body: [UInt8] = [1]
    ) -> SyncUnit {
        let stamp = Stamp(time: time(milliseconds: milliseconds), device: device)
        return SyncUnit(record: Self.uuid(record), unit: unit, key: MergeKey.latest(stamp).bytes, body: body)
    }

    /// The purge of a record.
    package func purge(_ record: UInt64, at milliseconds: Int64 = 0, by device: UInt64 = 1) -> SyncUnit {
        let stamp = Stamp(time: time(milliseconds: milliseconds), device: device)
        return SyncUnit(
            record: Self.uuid(record), unit: SyncUnit.existence, key: MergeKey.purge(stamp).bytes, body: [])
    }

    @discardableResult
    package func push(
        _ units: [SyncUnit], number: UInt64, by device: UInt64 = 1, after: Int64 = 0, epoch: UUID? = nil
    ) async throws -> SyncAnswer {
        try await persisting {
            try await hub.sync(
                SyncRequest(epoch: epoch, pushNumber: number, after: after, units: units), space: space,
                device: device)
        }
    }

    package func pull(by device: UInt64 = 1, after: Int64 = 0, epoch: UUID? = nil) async throws -> SyncAnswer {
        try await push([], number: 0, by: device, after: after, epoch: epoch)
    }

    /// Everything in the space, page by page.
    package func all(by device: UInt64 = 1) async throws -> (units: [NumberedUnit], last: SyncAnswer) {
        var units: [NumberedUnit] = []
        var after: Int64 = 0
        while true {
            let answer = try await pull(by: device, after: after)
            units += answer.units
            if answer.next == answer.head { return (units, answer) }
            after = answer.next
        }
    }

    /// As a device does: what is unavailable is asked for again.
    package func persisting<Result>(_ body: () async throws -> Result) async throws -> Result {
        for _ in 0..<10_000 {
            do {
                return try await body()
            } catch SyncRefusal.unavailable {
                continue
            }
        }
        throw SyncRefusal.unavailable
    }
}

/// What a space holds: folded by the largest key, without a hub.
package struct UnitModel: Sendable, Equatable {
    package private(set) var units: [UnitKey: SyncUnit] = [:]

    package init() {}

    /// - Returns: what the hub answers.
    @discardableResult
    package mutating func merge(_ unit: SyncUnit) -> UnitResult {
        guard MergeKey(unit.key) != nil, unit.body.count <= SyncProtocol.bodyLimit else { return .refused }
        let existence = UnitKey(record: unit.record, unit: SyncUnit.existence)
        if unit.unit != SyncUnit.existence, units[existence]?.isPurge == true { return .superseded }
        if let other = units[unit.id], unit.key.lexicographicallyPrecedes(other.key) { return .superseded }
        if units[unit.id]?.key == unit.key { return .accepted }
        if unit.isPurge { units = units.filter { $0.key.record != unit.record } }
        units[unit.id] = unit
        return .accepted
    }

    package var digest: UInt64 { units.values.reduce(0) { $0 &+ $1.digest } }
}
