import FoundationEssentials
import Records

/// What a replica has of each unit, and how far it has come: for labs, which compare it with what the hub has.
package struct ReplicaContent: Sendable {
    /// A unit of a record, by its name on the wire.
    package struct Name: Hashable, Sendable {
        package let record: UUID
        package let unit: UInt16

        package init(record: UUID, unit: UInt16) {
            self.record = record
            self.unit = unit
        }
    }

    /// What is known of a unit.
    package struct Unit: Sendable {
        package let key: [UInt8]
        /// Whether it is still to be sent.
        package let isPending: Bool
        /// Whether the hub has refused it.
        package let isParked: Bool
        /// Whether it could be sent: its value is here.
        package let hasValue: Bool
    }

    package let device: UInt64
    package let epoch: UUID?
    package let cursor: Int64
    package let pushNumber: UInt64
    package let fullPulls: Int64
    /// Whether some of what was in the store when it joined has no stamps yet.
    package let isStamping: Bool
    package private(set) var units: [Name: Unit] = [:]
    /// Synced records without stamps, by the name of their collection: nobody sends them.
    package private(set) var unstamped: [String] = []
    /// The bytes of each synced record and tombstone, by collection and key.
    package private(set) var records: [String: [UInt8]] = [:]
    /// Those of `records` that are tombstones of which nothing else is left: a hub that has lost such a record learns that it was
    /// deleted and no more, so that a device which never had it has no tombstone.
    package private(set) var bareTombstones: Set<String> = []

    fileprivate init(
        _ state: SpaceState, _ clock: SyncClock, _ collections: SyncedCollections, _ sealing: any UnitSealing,
        in transaction: ReadTransaction
    ) throws {
        device = clock.device
        epoch = state.epoch
        cursor = state.cursor
        pushNumber = state.pushNumber
        fullPulls = state.fullPulls
        isStamping = state.isStamping
        for collection in collections.all {
            let table = StampTable(collection: collection)
            try table.forEach(of: transaction) { key, stamps in
                let record = sealing.name(ofRecord: key, in: collection.number)
                let hasContent =
                    try !stamps.pendingContent.isEmpty || stamps.deferred[SyncUnit.base] != nil
                    || transaction.storedBytes(ofKey: key, in: collection.number) != nil
                for (number, unit) in stamps.units {
                    units[Name(record: record, unit: number)] = Unit(
                        key: unit.key.bytes, isPending: unit.isPending, isParked: unit.isParked,
                        hasValue: hasContent || number == SyncUnit.existence)
                }
                if let tombstones = collection.tombstones, stamps[SyncUnit.base] == nil {
                    bareTombstones.insert("\(tombstones.number) \(key)")
                }
                return true
            }
            for source in [collection.number, collection.tombstones?.number].compactMap({ $0 }) {
                try transaction.forEachStored(in: source) { key, value in
                    records["\(source) \(key)"] = value
                    if try table.load(key, in: transaction) == nil { unstamped.append(collection.name) }
                    return true
                }
            }
        }
        try transaction[DeferredUnit.self].forEach { waiting in
            let name = Name(record: waiting.id.record, unit: waiting.id.unit)
            let isOlder = units[name].map { !$0.key.lexicographicallyPrecedes(waiting.key) } ?? false
            guard !waiting.reason.isStamped, !isOlder else { return true }
            units[name] = Unit(
                key: waiting.key, isPending: waiting.reason == .outgoing || waiting.isPending, isParked: false,
                hasValue: true)
            return true
        }
    }
}

extension SyncReplica {
    /// What the replica has; nil while the store belongs to no space.
    package func content() throws -> ReplicaContent? {
        try store.read { transaction in
            guard let state = try transaction[SpaceState.self].get(0),
                let clock = try SyncClock.load(in: transaction)
            else { return nil }
            return try ReplicaContent(state, clock, collections, sealing, in: transaction)
        }
    }
}

extension SyncUnit {
    /// The time of its stamp, in microseconds since 1970; nil if its key is none.
    package var stampedAt: Int64? { MergeKey(key).map { $0.stamp.milliseconds * 1000 } }
}
