import CivilTime
import FoundationEssentials
import Records
import Threading

/// Keeps the keys of a space: learns them from the units that carry them.
public protocol KeyKeeping: Sendable {
    /// Takes units of the space into account; calls `adopt` of the replica if its keys have changed.
    func receive(_ units: [SyncUnit], for replica: SyncReplica) async throws
}

/// A store as a replica of its space: prepares what is sent to the hub, and takes over what comes back.
///
/// The local store is the truth for its device. No call here blocks, slows or refuses a local write beyond the length of one
/// transaction, and nothing is deleted because it is missing elsewhere.
public final class SyncReplica: Sendable {
    /// The label of merges in the change log. A person's undo passes over them.
    static let label = ChangeLabel(operation: "sync.merge", origin: .sync)

    let store: RecordStore
    private let keys: (any KeyKeeping)?
    private let turns: BackgroundTurns?
    let collections: SyncedCollections
    private let sealer: ForkSafeMutex<any UnitSealing>
    /// Whether nothing was sent or received since the store was opened.
    private let isNew = ForkSafeMutex(true)
    var sealing: any UnitSealing { sealer.withLock { $0 } }

    /// A replica of a store that was opened with this schema.
    ///
    /// - Parameters:
    ///   - keys: is given the units of the space that come in.
    ///   - turns: lets the writes of others go before each transaction.
    public init(
        of store: RecordStore, _ schema: SyncSchema, sealing: any UnitSealing, keys: (any KeyKeeping)? = nil,
        turns: BackgroundTurns? = nil
    ) {
        self.keys = keys
        self.turns = turns
        self.store = store
        collections = schema.collections
        sealer = ForkSafeMutex(sealing)
    }

    /// Runs steps in one transaction.
    private func step<Result: Sendable>(
        _ body: @escaping @Sendable (SyncSteps) throws -> Result
    ) async throws -> Result {
        let sealing = sealing
        let write = { @Sendable [store, collections] in
            try await store.write(Self.label) { transaction in
                try body(SyncSteps(collections: collections, sealing: sealing, transaction: transaction))
            }
        }
        guard let turns else { return try await write() }
        return try await turns.take(write)
    }

    // MARK: Beginning and end

    /// Makes the store a replica of a space. Changes are stamped from now on, and everything in the store is to be sent.
    ///
    /// - Throws: `SyncError.alreadySynced`.
    public func begin(space: UUID, device: UInt64) async throws {
        try await startBeginning(space: space, device: device)
        try await stampAll()
    }

    /// The first transaction of beginning.
    package func startBeginning(space: UUID, device: UInt64) async throws {
        try await step { try $0.begin(space: space, device: device) }
    }

    /// Stamps some of what was in the store before, and returns how many records that were.
    package func stampSome(limit: Int) async throws -> Int { try await step { try $0.stampMissing(limit: limit) } }

    /// Stamps what was in the store before its changes were stamped: also after a program was killed in the middle of that.
    private func stampAll() async throws {
        guard try store.read({ try $0[SpaceState.self].get(0)?.isStamping ?? false }) else { return }
        while try await stampSome(limit: 20_000) > 0 {}
    }

    /// Whether the store was made a replica already.
    public func hasBegun() throws -> Bool { try store.read { try $0[SpaceState.self].get(0) != nil } }

    /// Ends the store's part in the space. It keeps its records; the conflict log goes.
    public func end() async throws { try await step { try $0.end() } }

    /// Gives the store the identity of another device: a copy of it uses the former one. Does nothing in a store that has it.
    public func adopt(device: UInt64) async throws {
        let isDone = try store.read { transaction in
            try SyncClock.load(in: transaction)?.device == device
                && SpaceState.load(in: transaction).held != Held.forked.rawValue
        }
        guard !isDone else { return }
        try await step { try $0.adopt(device: device) }
    }

    // MARK: Rounds

    /// Decides what to send next. The number of the push is durable when this returns.
    public func prepare(
        unitLimit: Int = SyncProtocol.unitLimit, byteLimit: Int = SyncProtocol.byteLimit
    ) async throws -> Round {
        try await stampAll()
        if isNew.withLock({ $0 }) {
            try await step { try $0.openKnown() }
            isNew.withLock { $0 = false }
        }
        return try await step { try $0.prepare(unitLimit: unitLimit, byteLimit: byteLimit) }
    }

    /// Takes over the answer to a round.
    @discardableResult
    public func finish(_ round: Round, with answer: SyncAnswer) async throws -> RoundOutcome {
        if store.injectionPoint(.storesCursorFirst) { try await step { try $0.storeCursor(of: answer, to: round) } }
        let (outcome, report) = try await step { try $0.finish(round, with: answer) }
        if !report.spaceUnits.isEmpty { try await keys?.receive(report.spaceUnits, for: self) }
        return outcome
    }

    /// The number of the hub's last unit that is applied here.
    public func cursor() throws -> Int64 { try store.read { try SpaceState.load(in: $0).cursor } }

    // MARK: Journals

    /// Lets the journals of all devices of the space take part, for good. They take part on no device before.
    public func switchOnJournals() async throws {
        guard try !status().hasJournals else { return }
        try await step { try $0.switchOnJournals() }
    }

    // MARK: Keys

    /// A stamp for a unit of the space.
    public func stamp() async throws -> Stamp { try await step { try $0.stamp() } }

    /// Sends units of the space with the next rounds: a device's card, keys for the others.
    public func send(_ units: [SyncUnit]) async throws { try await step { try $0.send(units) } }

    /// The units of the space that the hub has, as far as is known here.
    public func spaceUnits() throws -> [SyncUnit] {
        try store.read { transaction in
            var units: [SyncUnit] = []
            // Their records come first in the order of keys.
            try transaction[DeferredUnit.self].forEach { waiting in
                guard waiting.unit.isReserved else { return false }
                if waiting.reason == .space { units.append(waiting.unit) }
                return true
            }
            return units
        }
    }

    /// Uses other keys from now on, and merges what could not be opened before.
    public func adopt(_ sealing: any UnitSealing) async throws {
        sealer.withLock { $0 = sealing }
        _ = try await step { try $0.openSealed() }
    }

    /// The names of records to be fetched, at most 100.
    public func wantedRecords() throws -> [UUID] {
        try store.read { try $0[WantedRecord.self].page(limit: 100).map(\.id) }
    }

    /// Takes over records that were fetched by their names.
    public func finishFetch(of names: [UUID], with answer: RecordsAnswer) async throws {
        _ = try await step { try $0.finishFetch(of: names, with: answer) }
    }

    // MARK: Refusals

    /// What a device does after a refusal.
    public enum Reaction: Sendable, Hashable {
        /// It tries again at once, with at most so many units.
        case retry(unitLimit: Int)
        /// It waits and tries again.
        case wait
        /// It stops until someone does something.
        case stop
    }

    /// Takes a refusal of a round into account.
    public func react(to refusal: SyncRefusal, of round: Round) async throws -> Reaction {
        switch refusal {
        case .malformed, .tooLarge:
            guard round.request.units.count > 1 else {
                guard !round.request.units.isEmpty else { return try await fail(refusal, reaction: .wait) }
                try await step { try $0.park(round) }
                return .retry(unitLimit: SyncProtocol.unitLimit)
            }
            return .retry(unitLimit: round.request.units.count / 2)
        case .epochChanged(let epoch):
            try await step { try $0.adopt(epoch: epoch) }
            return .retry(unitLimit: SyncProtocol.unitLimit)
        case .clockAhead(let time):
            // Stamps of others that are ahead of the hub's clock, as after it was set back, can only be waited for.
            let isTaken = try await step { steps in
                let isTaken = try steps.restamp(after: time)
                if !isTaken { try steps.note(refusal) }
                return isTaken
            }
            return isTaken ? .retry(unitLimit: SyncProtocol.unitLimit) : .wait
        case .forked:
            // Another process of this device may have pushed under a later number in the meantime: that is no copy.
            let isOvertaken = try await step {
                try SpaceState.load(in: $0.transaction).pushNumber > round.request.pushNumber
            }
            return isOvertaken ? .retry(unitLimit: SyncProtocol.unitLimit) : try await hold(.forked)
        case .forbidden: return try await hold(.revoked)
        case .unknownSpace: return try await hold(.unknownSpace)
        case .upgradeRequired: return try await hold(.upgrade)
        case .unauthorized: return try await hold(.unauthorized)
        case .busy, .unavailable, .full: return try await fail(refusal, reaction: .wait)
        }
    }

    private func hold(_ reason: Held) async throws -> Reaction {
        try await step { steps in
            var state = try SpaceState.load(in: steps.transaction)
            state.held = reason.rawValue
            state.lastError = reason.rawValue
            try steps.transaction.put(state)
        }
        return .stop
    }

    private func fail(_ refusal: SyncRefusal, reaction: Reaction) async throws -> Reaction {
        try await step { try $0.note(refusal) }
        return reaction
    }

    /// Tries again what was held, because someone has done something about it.
    public func release() async throws {
        guard try status().held != nil else { return }
        try await step { steps in
            var state = try SpaceState.load(in: steps.transaction)
            state.held = nil
            try steps.transaction.put(state)
        }
    }
}
