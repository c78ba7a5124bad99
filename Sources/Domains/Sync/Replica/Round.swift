import CivilTime
import FoundationEssentials
import Injection
import Records

/// One exchange with the hub, as it was prepared: what is sent, and of which records.
public struct Round: Sendable {
    /// The message.
    public let request: SyncRequest
    /// The records of the units, in the same order.
    let records: [SyncedRecord?]
}

/// What a device does when an answer has come or has not.
public enum RoundOutcome: Sendable, Hashable {
    /// More is to be sent or to come: the next round can begin at once.
    case more
    /// Nothing is left: device and hub agree.
    case settled
    /// Nothing is left but what a person must decide; `ReplicaStatus.held` says what.
    case held
    /// The hub says that it has something newer than what was sent, and does not give it. The next try is to be made later.
    case contradicted
}

/// The steps of sync, each within one transaction of the store, so that a crash between any two of them loses nothing and
/// repeats at most an exchange.
struct SyncSteps {
    let collections: SyncedCollections
    let sealing: any UnitSealing
    let transaction: WriteTransaction

    /// The largest offset of the clock with which changes are still sent, in microseconds.
    static let offsetLimit: Int64 = 86_400_000_000
    /// What the last try ended with when the hub has contradicted itself.
    static let contradiction = "contradiction"
    /// The time between two repairs of a difference that stays, in microseconds.
    static let repairPause: Int64 = 3_600_000_000

    // MARK: Rounds

    /// Decides what to send next, and notes the number of the push before it is sent: a copy of this store that sends other units
    /// under the same number is recognized by the hub.
    func prepare(unitLimit: Int, byteLimit: Int) throws -> Round {
        try repairGap()
        try openWhatKeysAllow()
        try fetchLost()
        try dropOldConflicts()
        var state = try SpaceState.load(in: transaction)
        var items: [Outbox.Item] = []
        // The first answer has the hub's time; nothing is stamped before the clocks were compared.
        if state.held == nil, state.epoch != nil {
            try announceSettings()
            repeat {
                items = try Outbox(collections: collections, sealing: sealing, transaction: transaction)
                    .next(unitLimit: unitLimit, byteLimit: byteLimit)
            } while try nameRecords(of: items)
        }
        if !items.isEmpty {
            state.pushNumber += 1
            try transaction.put(state)
        }
        if transaction.injectionPoint(.settlesWhenSent) { try settle(items) }
        let request = SyncRequest(
            epoch: state.epoch, pushNumber: items.isEmpty ? 0 : state.pushNumber, after: state.cursor,
            units: items.map(\.unit))
        return Round(request: request, records: items.map(\.record))
    }

    /// Notes the names of records before they are sent: if the answer is lost, they come back as units of a record that must be
    /// known. A device that was restored may have got some already, of a record that it had not sent yet: they have waited for
    /// its base, which the hub need not have. Returns whether there were any, so that something else is to be sent now.
    private func nameRecords(of items: [Outbox.Item]) throws -> Bool {
        guard let clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        var merging = try Merging(collections, sealing: sealing, device: clock.device, in: transaction)
        var hasMerged = false
        for item in items {
            guard let record = item.record, try transaction[WireName.self].get(item.unit.record) == nil else {
                continue
            }
            try transaction.put(
                WireName(id: item.unit.record, collection: record.collection.number, key: record.key))
            if try merging.openNamed(item.unit.record, record) { hasMerged = true }
        }
        return hasMerged
    }

    /// Takes an answer over: what was acknowledged, what others have changed, and how far that goes, in one transaction.
    func finish(_ round: Round, with answer: SyncAnswer) throws -> (outcome: RoundOutcome, report: MergeReport) {
        guard answer.results.count == round.records.count, answer.next >= round.request.after,
            answer.next <= answer.head
        else { throw SyncError.invalidAnswer }
        try repairGap()
        var state = try SpaceState.load(in: transaction)
        guard var clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        // Another process of this device may have finished a later round in the meantime, or begun anew.
        guard state.epoch == round.request.epoch, state.cursor >= round.request.after || round.request.after == 0 else {
            return (.more, MergeReport())
        }
        state.epoch = answer.epoch
        try acknowledge(round, answer.results)
        var merging = try Merging(collections, sealing: sealing, device: clock.device, in: transaction)
        try merging.apply(answer.units, clock: &clock)
        try settleUnitsLostToDeferred(round, answer.results)
        try adoptSettings(&clock, &state)
        if state.cursor == round.request.after { state.cursor = answer.next }
        state.clockOffset = answer.time - transaction.context.clock.wall.microsecondsSince1970
        clock.offset = abs(state.clockOffset) <= Self.offsetLimit ? state.clockOffset : 0
        try clock.save(in: transaction)
        if state.held == nil || state.held == Held.clock.rawValue {
            state.held = abs(state.clockOffset) > Self.offsetLimit ? Held.clock.rawValue : nil
        }
        var outcome = try conclude(&state, answer)
        if outcome == .more, state.cursor == answer.head, try isContradicted(round, answer.results) {
            // Sent again at once, it would be refused again at once.
            state.failures += 1
            state.lastError = Self.contradiction
            outcome = .contradicted
        }
        try transaction.put(state)
        return (outcome, merging.report)
    }

    /// Stores how far an answer goes before its units are there: what the fault injection point does.
    func storeCursor(of answer: SyncAnswer, to round: Round) throws {
        var state = try SpaceState.load(in: transaction)
        guard state.cursor == round.request.after else { return }
        state.cursor = answer.next
        try transaction.put(state)
    }

    /// What follows from an answer: more rounds, or the comparison of the digests.
    private func conclude(_ state: inout SpaceState, _ answer: SyncAnswer) throws -> RoundOutcome {
        // Another process of this device has gone on: what this answer compares with is over.
        guard state.cursor == answer.head else { return .more }
        let hasNothing = try Outbox(collections: collections, sealing: sealing, transaction: transaction).isEmpty()
        if !hasNothing && state.held == nil { return .more }
        if try transaction[WantedRecord.self].count() > 0 || state.isStamping { return .more }
        state.lastSuccess = transaction.context.clock.wall.microsecondsSince1970
        state.lastError = nil
        state.failures = 0
        if state.held != nil { return .held }
        let own = try digest()
        guard let own, own != answer.digest else {
            state.digest = own == nil ? 0 : 1
            state.repairStep = 0
            state.differsAt = nil
            return .settled
        }
        // A hub that reads its digest and its units at two moments can give what does not belong together, but not twice.
        guard state.differsAt == answer.head else {
            state.differsAt = answer.head
            return .more
        }
        state.digest = 2
        // First everything is pulled, then everything is sent, so that both have what either has. What differs even then, as
        // with a hub that forges, is tried again after an hour and not with every change.
        let now = transaction.context.clock.wall.microsecondsSince1970
        if state.repairStep == 2 {
            guard abs(now - state.repairedAt) > Self.repairPause else { return .settled }
            state.repairStep = 0
        }
        state.repairStep += 1
        state.repairedAt = now
        state.fullPulls += 1
        state.cursor = 0
        if state.repairStep == 2 { try markAllPending() }
        return .more
    }

    /// Takes over records that were fetched by their names.
    func finishFetch(of names: [UUID], with answer: RecordsAnswer) throws -> MergeReport {
        try repairGap()
        guard var clock = try SyncClock.load(in: transaction) else { throw SyncError.notSynced }
        var merging = try Merging(collections, sealing: sealing, device: clock.device, in: transaction)
        try merging.apply(answer.units, clock: &clock)
        try clock.save(in: transaction)
        // A record that the hub does not have either cannot be asked for again and again.
        for name in names { try transaction.delete(WantedRecord.self, id: name) }
        return merging.report
    }

    /// Notes that a try has failed.
    func note(_ refusal: SyncRefusal) throws {
        var state = try SpaceState.load(in: transaction)
        state.failures += 1
        state.lastError = refusal.code
        try transaction.put(state)
    }

    private func dropOldConflicts() throws {
        let oldest = transaction.context.clock.wall.advanced(byMicroseconds: -LostValue.life)
        for value in try transaction[LostValue.byTime].range(to: oldest, limit: 256) {
            try transaction.delete(LostValue.self, id: value.id)
        }
    }
}

/// Why a device sends nothing before someone does something.
enum Held: String, Sendable {
    case clock
    case revoked
    case unknownSpace
    case forked
    case upgrade
    case unauthorized
}
