import FoundationEssentials
import Sync

/// What a push does: decided from the rows alone, without reading or writing anything.
///
/// The larger key wins by byte comparison; an equal key is accepted again, so that a push may be repeated. Numbers are given
/// under the space's lock, hence in the order of commits.
struct PushPlan {
    private(set) var results: [UnitResult] = []
    private(set) var changes = UnitChanges()
    /// The stored units that won over pushed ones.
    private(set) var winners: [UnitHeader] = []
    private(set) var space: SpaceRow

    private struct Current {
        var header: UnitHeader
        let isStored: Bool
        /// The pushed unit; nil for what was stored before.
        var pushed: SyncUnit?
    }

    init(_ units: [SyncUnit], state: [UnitHeader], space: SpaceRow, device: UInt64) {
        self.space = space
        var current: [UnitKey: Current] = [:]
        var byRecord: [UUID: Set<UInt16>] = [:]
        for header in state {
            current[header.id] = Current(header: header, isStored: true)
            byRecord[header.id.record, default: []].insert(header.id.unit)
        }
        var lost: Set<UnitKey> = []
        var deleted: [UnitKey] = []
        for unit in units {
            guard MergeKey(unit.key) != nil, unit.body.count <= SyncProtocol.bodyLimit else {
                results.append(.refused)
                continue
            }
            let existence = UnitKey(record: unit.record, unit: SyncUnit.existence)
            if unit.unit != SyncUnit.existence, current[existence]?.header.isPurge == true {
                results.append(.superseded)
                lost.insert(existence)
                continue
            }
            if let other = current[unit.id]?.header, other.key != unit.key, !other.key.precedes(unit.key) {
                results.append(.superseded)
                lost.insert(unit.id)
                continue
            }
            results.append(.accepted)
            if current[unit.id]?.header.key == unit.key { continue }
            if let replaced = current[unit.id]?.header { self.space.remove(replaced) }
            self.space.head += 1
            let header = UnitHeader(
                id: unit.id, sequence: self.space.head, key: unit.key, bodySize: unit.body.count)
            self.space.add(header)
            current[unit.id] = Current(header: header, isStored: current[unit.id]?.isStored ?? false, pushed: unit)
            byRecord[unit.record, default: []].insert(unit.unit)
            guard unit.isPurge else { continue }
            for other in byRecord[unit.record, default: []].sorted() where other != SyncUnit.existence {
                let id = UnitKey(record: unit.record, unit: other)
                guard let erased = current.removeValue(forKey: id) else { continue }
                self.space.remove(erased.header)
                if erased.isStored { deleted.append(id) }
            }
            byRecord[unit.record] = [SyncUnit.existence]
        }
        changes.deleted = deleted
        let written = current.values.filter { $0.pushed != nil }.sorted { $0.header.sequence < $1.header.sequence }
        for entry in written {
            guard let unit = entry.pushed else { continue }
            let numbered = NumberedUnit(unit, sequence: entry.header.sequence, device: device)
            if entry.isStored { changes.updated.append(numbered) } else { changes.inserted.append(numbered) }
        }
        // What won and came with this push as well is known to the device.
        winners = lost.compactMap { current[$0] }.filter { $0.pushed == nil }.map(\.header)
            .sorted { $0.sequence < $1.sequence }
    }

    /// The ids of the units that this push has written or removed.
    var touched: Set<UnitKey> {
        Set((changes.inserted + changes.updated).map(\.unit.id)).union(changes.deleted)
    }
}

extension SpaceRow {
    fileprivate mutating func add(_ header: UnitHeader) {
        digest &+= header.digest
        bytes += Int64(header.cost)
    }

    fileprivate mutating func remove(_ header: UnitHeader) {
        digest &-= header.digest
        bytes -= Int64(header.cost)
    }
}

extension [UInt8] {
    /// Whether these bytes come before others.
    func precedes(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}
