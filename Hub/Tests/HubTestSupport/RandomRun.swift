import Daybook
import FoundationEssentials
import HubCore
import Sync

/// Pushes random units of few records, with many ties and purges, by three devices; some are repeated.
package struct RandomRun: Sendable {
    package let hub: TestHub
    /// What the hub must hold.
    package private(set) var model = UnitModel()
    /// What each device holds.
    package private(set) var replicas = [UInt64: UnitModel]()
    package private(set) var cursors = [UInt64: Int64]()
    private var pushes = [UInt64: UInt64]()
    private let random: SeededRandomSource
    /// Whether pushes are repeated because their outcome was unknown.
    private let isFaulty: Bool

    package init(_ hub: TestHub, seed: UInt64, isFaulty: Bool = false) {
        self.hub = hub
        self.isFaulty = isFaulty
        random = SeededRandomSource(seed: seed)
    }

    private func below(_ limit: UInt64) -> UInt64 { random.next() % limit }

    private func unit(by device: UInt64) -> SyncUnit {
        let stamp = Stamp(time: hub.time(milliseconds: Int64(below(40)) - 20), device: 1 + below(3))
        let number = UInt16(below(5))
        let key: MergeKey
        switch below(12) {
        case 0 where number == SyncUnit.existence: key = .purge(stamp)
        case 1: key = .completion(epoch: UInt32(below(3)), isDone: below(2) == 0, stamp)
        case 2: key = .base(createdAt: Int64(below(3)), stamp)
        case 3: key = .placed(in: Stamp(time: hub.time(), device: 1), stamp)
        default: key = .latest(stamp)
        }
        // Equal keys have equal bodies: a device makes a stamp once.
        let bytes = below(60) == 0 ? [1] : key.bytes
        return SyncUnit(record: TestHub.uuid(below(6)), unit: number, key: bytes, body: bytes)
    }

    package mutating func step() async throws {
        let device = 1 + below(3)
        let units = (0..<below(8)).map { _ in unit(by: device) }
        let number = pushes[device, default: 0] + (units.isEmpty ? 0 : 1)
        pushes[device] = number
        let expected = units.map { model.merge($0) }
        let after = cursors[device, default: 0]
        var answer = try await hub.push(units, number: number, by: device, after: after)
        // What was unavailable and asked for again may find its own units there.
        guard answer.results == expected || isFaulty && Self.isRepeated(answer.results, expected) else {
            throw Difference("results of device \(device)")
        }
        if below(5) == 0 { answer = try await hub.push(units, number: number, by: device, after: after) }
        guard answer.digest == model.digest else { throw Difference("digest for device \(device)") }
        apply(units, answer, to: device)
    }

    package mutating func apply(_ units: [SyncUnit], _ answer: SyncAnswer, to device: UInt64) {
        var replica = replicas[device, default: UnitModel()]
        for unit in units { replica.merge(unit) }
        for unit in answer.units { replica.merge(unit.unit) }
        replicas[device] = replica
        cursors[device] = answer.next
    }

    /// A purge later in a push makes units before it superseded, when the push is repeated.
    private static func isRepeated(_ results: [UnitResult], _ expected: [UnitResult]) -> Bool {
        zip(results, expected).allSatisfy { $0 == $1 || $0 == .superseded && $1 == .accepted }
    }
}

extension RandomRun {
    /// The hub and the model differ.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String

        init(_ what: String) { description = "The \(what) differ from the model." }
    }

    /// Lets every device pull, and compares each with the model.
    ///
    /// - Parameter isAlone: whether the hub has no other space.
    package mutating func checkConvergence(devices: ClosedRange<UInt64> = 1...3, isAlone: Bool = true) async throws {
        for device in devices {
            let answer = try await hub.pull(by: device, after: cursors[device, default: 0])
            apply([], answer, to: device)
            guard replicas[device] == model else { throw Difference("units of device \(device)") }
        }
        let all = try await hub.all()
        let sequences = all.units.map(\.sequence)
        guard Set(all.units.map(\.unit)) == Set(model.units.values) else { throw Difference("units of the hub") }
        guard all.last.digest == model.digest else { throw Difference("digest of the hub") }
        guard sequences == sequences.sorted() else { throw Difference("order of units") }
        guard isAlone else { return }
        let sizes = try await hub.persisting { try await hub.hub.sizes() }
        let bytes = model.units.values.reduce(0) { $0 + $1.cost }
        guard sizes.bytes == Int64(bytes) else { throw Difference("bytes of the space") }
    }
}
