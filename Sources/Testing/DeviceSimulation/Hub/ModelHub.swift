import FoundationEssentials
import Sync
import Threading

/// A hub as plain dictionaries, written from the specification: a register store that keeps of each unit the largest key. Any
/// number of processes can carry out requests on it at once.
package final class ModelHub: SimulatedHub {
    /// The tables.
    package struct Rows: Sendable {
        package var epoch: UUID
        package var units: [UnitName: NumberedUnit] = [:]
        package var head: Int64 = 0
        package var digest: UInt64 = 0
        /// The last push of each device.
        package var pushes: [UInt64: (number: UInt64, units: [SyncUnit])] = [:]
        /// The names by number, ascending. A unit that has moved on is still at its former places.
        var order: [(sequence: Int64, name: UnitName)] = []
    }

    private struct State {
        var rows: Rows
        var saved: Rows?
        var epochs: UInt64 = 1
        /// The call that has locked the space.
        var locker: Int?
        /// A counter as databases have them, for a fault injection point.
        var counter: Int64 = 0
    }

    private let state: ForkSafeMutex<State>
    /// How many units an answer has at most.
    let pageLimit: Int
    /// How many units a request may have.
    let requestLimit: Int
    /// Whether numbers are drawn before the space is locked: a negative control.
    let numbersOutsideLock: Bool

    package init(
        pageLimit: Int = SyncProtocol.unitLimit, requestLimit: Int = SyncProtocol.unitLimit,
        numbersOutsideLock: Bool = false
    ) {
        state = ForkSafeMutex(State(rows: Rows(epoch: UUID(high: 0xE90C, low: 1))))
        self.pageLimit = pageLimit
        self.requestLimit = requestLimit
        self.numbersOutsideLock = numbersOutsideLock
    }

    /// The tables as they are.
    package var rows: Rows { state.withLock { $0.rows } }

    /// Changes the tables behind the hub's back.
    package func change(_ body: (inout Rows) -> Void) { state.withLock { body(&$0.rows) } }

    // MARK: Requests

    package func sync(_ request: SyncRequest, in call: HubCall) async throws(SyncRefusal) -> SyncAnswer {
        guard request.units.count <= requestLimit else { throw .tooLarge }
        for unit in request.units {
            if let stamp = MergeKey(unit.key)?.stamp,
                stamp.milliseconds > (call.time + SyncProtocol.clockTolerance) / 1000
            {
                throw .clockAhead(time: call.time)
            }
        }
        // As often as the database asks for it.
        while true {
            do throws(Attempt) {
                return request.units.isEmpty ? try await pull(request, in: call) : try await push(request, in: call)
            } catch {
                if case .refused(let refusal) = error { throw refusal }
            }
        }
    }

    /// Why a transaction was not carried out.
    private enum Attempt: Error {
        case again
        case refused(SyncRefusal)
    }

    private func reach(_ statement: HubStatement, _ call: HubCall) async throws(Attempt) {
        switch await call.reaches(statement) {
        case nil: return
        case .serialization: throw .again
        case .unknownAndUndone, .unknownButDone: throw .refused(.unavailable)
        }
    }

    private func pull(_ request: SyncRequest, in call: HubCall) async throws(Attempt) -> SyncAnswer {
        try await reach(.readSpace, call)
        let space = state.withLock { (epoch: $0.rows.epoch, head: $0.rows.head, digest: $0.rows.digest) }
        if let epoch = request.epoch, epoch != space.epoch { throw .refused(.epochChanged(space.epoch)) }
        if request.after > space.head { throw .refused(.epochChanged(renewEpoch())) }
        // What is committed between the two statements is behind the head, or comes with a later answer.
        try await reach(.readPage, call)
        return state.withLock { state in
            let page = Self.page(of: state.rows, after: request.after, through: space.head, limit: pageLimit)
            return SyncAnswer(
                epoch: space.epoch, results: [], units: page.units, next: page.next ?? space.head, head: space.head,
                digest: space.digest, time: call.time)
        }
    }

    private func push(_ request: SyncRequest, in call: HubCall) async throws(Attempt) -> SyncAnswer {
        var drawn: Int64?
        if numbersOutsideLock {
            drawn = state.withLock { state in
                state.counter = max(state.counter, state.rows.head) + Int64(request.units.count)
                return state.counter - Int64(request.units.count)
            }
        } else {
            try await lock(call)
        }
        defer { if !numbersOutsideLock { state.withLock { $0.locker = nil } } }
        try await reach(.readUnits, call)
        let space = state.withLock { (epoch: $0.rows.epoch, head: $0.rows.head, last: $0.rows.pushes[call.device]) }
        if let epoch = request.epoch, epoch != space.epoch { throw .refused(.epochChanged(space.epoch)) }
        if request.after > space.head { throw .refused(.epochChanged(renewEpoch())) }
        if let last = space.last, request.pushNumber <= last.number, request.units != last.units {
            throw .refused(.forked)
        }
        for statement in [HubStatement.updateSpace, .writeUnits, .updateDevice] { try await reach(statement, call) }
        let fault = await call.reaches(.commit)
        if fault == .serialization { throw .again }
        if fault == .unknownAndUndone { throw .refused(.unavailable) }
        let answer = state.withLock { state in
            Self.commit(request, in: call, limit: pageLimit, from: drawn, to: &state.rows)
        }
        if fault == .unknownButDone { throw .refused(.unavailable) }
        return answer
    }

    private func lock(_ call: HubCall) async throws(Attempt) {
        repeat {
            try await reach(.lock, call)
        } while !state.withLock { state in
            guard state.locker == nil else { return false }
            state.locker = call.number
            return true
        }
    }

    private func renewEpoch() -> UUID {
        state.withLock { state in
            state.epochs += 1
            state.rows.epoch = UUID(high: 0xE90C, low: state.epochs)
            return state.rows.epoch
        }
    }

    package func records(_ request: RecordsRequest, in call: HubCall) async throws(SyncRefusal) -> RecordsAnswer {
        guard await call.reaches(.readUnits) == nil else { throw .unavailable }
        return state.withLock { state in
            RecordsAnswer(
                units: state.rows.units.values.filter { request.records.contains($0.unit.record) }
                    .sorted { $0.sequence < $1.sequence })
        }
    }

    package func head() -> Int64 { state.withLock { $0.rows.head } }

    // MARK: Restoring

    package var canBeRestored: Bool { true }

    package func save() { state.withLock { $0.saved = $0.rows } }

    package func restore(isNewEpoch: Bool) {
        state.withLock { state in
            guard let saved = state.saved else { return }
            state.rows = saved
            // What was restored by an older copy has an older epoch: never one that was used since.
            if isNewEpoch {
                state.epochs += 1
                state.rows.epoch = UUID(high: 0xE90C, low: state.epochs)
            }
        }
    }

    package func empty() {
        state.withLock { state in
            state.epochs += 1
            state.rows = Rows(epoch: UUID(high: 0xE90C, low: state.epochs))
            state.saved = nil
        }
    }
}
