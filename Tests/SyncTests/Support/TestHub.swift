import CivilTime
import DeviceSimulation
import Foundation
import Synchronization

@testable import Sync

/// The hub of the simulation as a transport: at a time that the test sets, on a network without faults.
final class TestHub: SyncTransport {
    /// When its clock begins.
    static let start = Instant(secondsSince1970: 1_770_804_000)  // 2026-02-11T10:00:00Z

    struct State {
        var now = TestHub.start.microsecondsSince1970
        var requests = 0
        /// Every unit that was ever pushed: what the fold of the oracle is made of.
        var seen: [SyncUnit] = []
    }

    let state = Mutex(State())
    /// The device that a request comes from, as its token would say.
    let device: Mutex<UInt64> = Mutex(0)
    private let model: ModelHub

    init(unitLimit: Int = SyncProtocol.unitLimit) { model = ModelHub(pageLimit: unitLimit) }

    /// What it has.
    var units: [UnitName: NumberedUnit] { model.rows.units }

    /// Changes its tables behind its back.
    func change(_ body: (inout ModelHub.Rows) -> Void) { model.change(body) }

    /// Removes everything, as a new database has nothing.
    func empty() { model.empty() }

    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        // As bytes, so that each run checks the encoding as well.
        guard let request = try? SyncRequest(decoding: request.encoded) else { throw .malformed }
        let answer = try await model.sync(request, in: try call())
        state.withLock { $0.seen += request.units }
        guard let read = try? SyncAnswer(decoding: answer.encoded), read == answer else { throw .malformed }
        return answer
    }

    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer {
        try await model.records(request, in: try call())
    }

    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 { model.head() }

    private func call() throws(SyncRefusal) -> HubCall {
        let (number, time) = state.withLock { state in
            state.requests += 1
            return (state.requests, state.now)
        }
        // A device that never comes to an end must not keep the tests from theirs.
        guard number < 5000 else { throw .unavailable }
        return HubCall(device: device.withLock { $0 }, time: time, number: number) { _ in nil }
    }

    /// What the register must hold: of each unit that was ever sent the one with the largest key.
    var fold: [UnitName: SyncUnit] {
        state.withLock { state in
            var fold: [UnitName: SyncUnit] = [:]
            for unit in state.seen {
                if let there = fold[unit.name], !there.key.lexicographicallyPrecedes(unit.key) { continue }
                fold[unit.name] = unit
            }
            let purged = Set(fold.values.filter(\.isPurge).map(\.record))
            return fold.filter { !purged.contains($0.key.record) || $0.value.isPurge }
        }
    }
}
