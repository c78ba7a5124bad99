import Foundation
import Synchronization

@testable import Sync

/// A hub as plain dictionaries, written from the specification: a register store that keeps of each unit the largest key.
final class ModelHub: SyncTransport {
    struct State {
        var epoch = UUID()
        var units: [Name: NumberedUnit] = [:]
        var head: Int64 = 0
        var pushes: [UInt64: (number: UInt64, units: [SyncUnit])] = [:]
        /// Every unit that was ever accepted or seen: what the fold of the oracle is made of.
        var seen: [SyncUnit] = []
        var now: Int64 = 0
        var requests = 0
    }

    struct Name: Hashable {
        let record: UUID
        let unit: UInt16
    }

    let state = Mutex(State())
    /// The device that a request comes from, as its token would say.
    let device: Mutex<UInt64> = Mutex(0)
    let unitLimit: Int

    init(unitLimit: Int = SyncProtocol.unitLimit) { self.unitLimit = unitLimit }

    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        // As bytes, so that each run checks the encoding as well.
        guard let request = try? SyncRequest(decoding: request.encoded) else { throw .malformed }
        let device = device.withLock { $0 }
        let answer = try state.withLock { state throws(SyncRefusal) in
            try Self.answer(request, from: device, limit: unitLimit, in: &state)
        }
        guard let read = try? SyncAnswer(decoding: answer.encoded), read == answer else { throw .malformed }
        return answer
    }

    private static func answer(
        _ request: SyncRequest, from device: UInt64, limit: Int, in state: inout State
    ) throws(SyncRefusal) -> SyncAnswer {
        state.requests += 1
        // A device that never comes to an end must not keep the tests from theirs.
        guard state.requests < 5000 else { throw .unavailable }
        if let epoch = request.epoch, epoch != state.epoch { throw .epochChanged(state.epoch) }
        if request.pushNumber != 0, let last = state.pushes[device], request.pushNumber <= last.number,
            request.pushNumber != last.number || request.units != last.units
        {
            throw .forked
        }
        for unit in request.units {
            if let time = MergeKey(unit.key)?.stamp.milliseconds,
                time * 1000 > state.now + SyncProtocol.clockTolerance
            {
                throw .clockAhead(time: state.now)
            }
        }
        if request.pushNumber != 0 { state.pushes[device] = (request.pushNumber, request.units) }
        var results: [UnitResult] = []
        var winners: [NumberedUnit] = []
        var pushed: Set<Name> = []
        for unit in request.units {
            let name = Name(record: unit.record, unit: unit.unit)
            state.seen.append(unit)
            if let purge = state.units[Name(record: unit.record, unit: 0)], purge.unit.isPurge, !unit.isPurge {
                results.append(.superseded)
                winners.append(purge)
                continue
            }
            if let there = state.units[name], !there.unit.key.lexicographicallyPrecedes(unit.key) {
                results.append(there.unit.key == unit.key ? .accepted : .superseded)
                if there.unit.key != unit.key { winners.append(there) }
                continue
            }
            if unit.isPurge { state.units = state.units.filter { $0.key.record != unit.record } }
            state.head += 1
            state.units[name] = NumberedUnit(unit, sequence: state.head, device: device)
            pushed.insert(name)
            results.append(.accepted)
        }
        let later = state.units.values.filter { $0.sequence > request.after }.sorted { $0.sequence < $1.sequence }
        let page = later.prefix(limit)
        let digest = state.units.values.reduce(UInt64(0)) { $0 &+ $1.unit.digest }
        return SyncAnswer(
            epoch: state.epoch, results: results,
            units: winners + page.filter { !pushed.contains(Name(record: $0.unit.record, unit: $0.unit.unit)) },
            next: page.count < later.count ? page.last?.sequence ?? request.after : state.head, head: state.head,
            digest: digest, time: state.now)
    }

    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer {
        let units = state.withLock { state in
            state.units.values.filter { request.records.contains($0.unit.record) }.sorted { $0.sequence < $1.sequence }
        }
        return RecordsAnswer(units: units)
    }

    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 { state.withLock { $0.head } }

    /// What the register must hold: of each unit that was ever sent the one with the largest key.
    var fold: [Name: SyncUnit] {
        state.withLock { state in
            var fold: [Name: SyncUnit] = [:]
            for unit in state.seen {
                let name = Name(record: unit.record, unit: unit.unit)
                if let there = fold[name], !there.key.lexicographicallyPrecedes(unit.key) { continue }
                fold[name] = unit
            }
            let purged = Set(fold.values.filter(\.isPurge).map(\.record))
            return fold.filter { !purged.contains($0.key.record) || $0.value.isPurge }
        }
    }
}
