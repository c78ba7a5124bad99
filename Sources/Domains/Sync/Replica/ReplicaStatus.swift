import CivilTime
import FoundationEssentials
import Records

/// The state of sync of a replica, for people.
public struct ReplicaStatus: Sendable, Hashable {
    /// Whether this device has the same as the hub.
    public enum Digest: UInt8, Sendable, Hashable {
        /// It was not compared yet.
        case unknown = 0
        /// It has the same.
        case same = 1
        /// It has not, although nothing is to be sent or to come.
        case different = 2
    }

    /// The space.
    public let space: UUID
    /// This device in the space.
    public let device: UInt64
    /// When everything last agreed with the hub.
    public let lastSuccess: Instant?
    /// How many changes the hub has not acknowledged.
    public let pending: Int
    /// What the last try ended with; nil after a success.
    public let lastError: String?
    /// Why nothing is sent before someone does something.
    public let held: String?
    /// The comparison with the hub.
    public let digest: Digest
    /// How many texts lost against other devices' in the last 30 days.
    public let conflicts: Int
    /// How often everything was pulled again because the digests differed.
    public let fullPulls: Int
    /// How many tries have failed since the last success.
    public let failures: Int
    /// Whether journals take part.
    public let hasJournals: Bool
    /// How many changes stay on this device, because the hub cannot take them: values of more than 512 KiB.
    public let parked: Int
}

extension SyncReplica {
    /// The state of sync.
    public func status() throws -> ReplicaStatus {
        try store.read { transaction in
            let state = try SpaceState.load(in: transaction)
            guard let clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
            let outbox = Outbox(collections: collections, sealing: sealing, transaction: transaction)
            return ReplicaStatus(
                space: state.space, device: clock.device,
                lastSuccess: state.lastSuccess.map(Instant.init(microsecondsSince1970:)), pending: try outbox.count(),
                lastError: state.lastError, held: state.held, digest: .init(rawValue: state.digest) ?? .unknown,
                conflicts: try transaction[LostValue.self].count(), fullPulls: Int(state.fullPulls),
                failures: Int(state.failures), hasJournals: clock.hasJournals,
                // The digests were compared unless something is parked, so that nothing else has to be looked for.
                parked: state.digest == 0 ? try outbox.parkedCount() : 0)
        }
    }

    /// The texts that lost against other devices', the latest first.
    public func conflicts(limit: Int = 100) throws -> [LostValue] {
        try store.read { try $0[LostValue.byTime].records(in: .all, backwards: true, limit: limit) }
    }
}

extension SyncRefusal {
    /// A short name, for the status.
    public var code: String {
        switch self {
        case .malformed: "malformed"
        case .unauthorized: "unauthorized"
        case .forbidden: "revoked"
        case .unknownSpace: "unknownSpace"
        case .epochChanged: "epochChanged"
        case .forked: "forked"
        case .tooLarge: "tooLarge"
        case .clockAhead: "clock"
        case .upgradeRequired: "upgrade"
        case .busy: "busy"
        case .unavailable: "unavailable"
        case .full: "full"
        }
    }
}
