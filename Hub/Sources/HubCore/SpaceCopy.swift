import FoundationEssentials
import Sync

/// Copies spaces into another storage: to divide them over more databases, or from a store to a database.
///
/// No hub may serve them meanwhile. A copy that was interrupted continues where it was: a space's head at the destination is the
/// last unit that it has. Nothing is removed at the source.
public struct SpaceCopy: Sendable {
    private let source: any HubStorage
    private let destination: any HubStorage

    /// A copy from one storage to another.
    public init(from source: any HubStorage, to destination: any HubStorage) {
        self.source = source
        self.destination = destination
    }

    /// What was copied.
    public struct Result: Sendable, Hashable {
        /// Spaces, those that were there before included.
        public var spaces = 0
        /// Units that were not there before.
        public var units = 0
    }

    /// The destination has another history of a space, or more than the source: it was served there.
    public struct Conflict: Error, CustomStringConvertible {
        /// What to do.
        public let description = """
            The destination has a space whose history is not the source's: a hub has served it there, or at the source after it \
            was copied. Decide which one devices shall go on with, and delete the other one's rows.
            """
    }

    /// Copies all spaces of a range. One transaction at the destination for each 512 units or MiB.
    ///
    /// - Throws: `Conflict`; `SyncRefusal`, and then it can be repeated.
    public func copy(_ range: SpaceRange = .all) async throws -> Result {
        var result = Result()
        var last = range.before
        while true {
            let spaces = try await source.read { [last] in try $0.spaces(after: last, limit: 256) }
            for space in spaces where range.contains(space) {
                result.units += try await copy(space)
                result.spaces += 1
            }
            guard let end = spaces.last, range.contains(end) else { return result }
            last = end
        }
    }

    private func copy(_ space: UUID) async throws -> Int {
        let (row, devices, invites) = try await source.write { rows in
            let row = try rows.lock(space, device: 0, records: []).space
            return (row, try rows.devices(of: space), try rows.invites(of: space))
        }
        guard let row else { return 0 }
        var at = try await destination.write { rows in
            if let there = try rows.lock(space, device: 0, records: []).space {
                // Who was revoked or has joined since is not to be found by the units.
                guard try rows.devices(of: space) == devices, Set(try rows.invites(of: space)) == Set(invites) else {
                    throw Conflict()
                }
                return there
            }
            var empty = row
            empty.head = 0
            empty.digest = 0
            empty.bytes = 0
            try rows.insert(empty)
            for device in devices { try rows.insert(device) }
            for invite in invites { try rows.insert(invite) }
            return empty
        }
        guard at.epoch == row.epoch, at.head <= row.head else { throw Conflict() }
        var units = 0
        while at != row {
            let page = try await source.read { [at] in
                try $0.page(
                    of: space, after: at.head, through: row.head, count: SyncProtocol.unitLimit,
                    bytes: SyncProtocol.byteLimit)
            }
            var next = at
            next.head = page.units.last?.sequence ?? row.head
            for unit in page.units { next.add(unit.unit) }
            if page.isComplete {
                next.head = row.head
                guard next == row else { throw Conflict() }
            }
            var changes = UnitChanges()
            changes.inserted = page.units
            try await destination.write { [at, next, changes] rows in
                _ = try rows.lock(space, device: 0, records: [])
                guard try rows.units(changes.inserted.map(\.unit.id), in: space).isEmpty else { throw Conflict() }
                try rows.update(at, to: next)
                if !changes.isEmpty { try rows.write(changes, in: space) }
            }
            units += page.units.count
            at = next
        }
        return units
    }
}

extension SpaceRow {
    fileprivate mutating func add(_ unit: SyncUnit) {
        digest &+= SyncUnit.digest(record: unit.record, unit: unit.unit, key: unit.key)
        bytes += Int64(unit.cost)
    }
}
