import Daybook
import Foundation
import HubCore
import HubTestSupport
import Sync
import Testing

@Suite("Random pushes and pulls")
struct ModelTests {
    /// Pushes random units of few records, with many ties and purges, by three devices; some are repeated.
    struct Run {
        var hub: TestHub
        var model = UnitModel()
        var replicas = [UInt64: UnitModel]()
        var cursors = [UInt64: Int64]()
        var pushes = [UInt64: UInt64]()
        let random: SeededRandomSource

        init(_ hub: TestHub, seed: UInt64) {
            self.hub = hub
            random = SeededRandomSource(seed: seed)
        }

        func below(_ limit: UInt64) -> UInt64 { random.next() % limit }

        func unit(by device: UInt64) -> SyncUnit {
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
            let body = [UInt8](repeating: UInt8(below(256)), count: Int(below(40)))
            // Equal keys have equal bodies: a device makes a stamp once.
            return SyncUnit(
                record: TestHub.uuid(below(6)), unit: number, key: below(60) == 0 ? [1] : key.bytes,
                body: body.isEmpty ? [] : key.bytes)
        }

        mutating func step() async throws {
            let device = 1 + below(3)
            let units = (0..<below(8)).map { _ in unit(by: device) }
            let number = pushes[device, default: 0] + (units.isEmpty ? 0 : 1)
            pushes[device] = number
            let expected = units.map { model.merge($0) }
            let after = cursors[device, default: 0]
            var answer = try await hub.push(units, number: number, by: device, after: after)
            // What was unavailable and asked for again may find its own units there.
            #expect(answer.results == expected || Self.isRepeated(answer.results, expected))
            if below(5) == 0 { answer = try await hub.push(units, number: number, by: device, after: after) }
            #expect(answer.digest == model.digest)
            apply(units, answer, to: device)
        }

        mutating func apply(_ units: [SyncUnit], _ answer: SyncAnswer, to device: UInt64) {
            var replica = replicas[device, default: UnitModel()]
            for unit in units { replica.merge(unit) }
            for unit in answer.units { replica.merge(unit.unit) }
            replicas[device] = replica
            cursors[device] = answer.next
        }

        /// A purge later in a push makes units before it superseded, when the push is repeated.
        static func isRepeated(_ results: [UnitResult], _ expected: [UnitResult]) -> Bool {
            zip(results, expected).allSatisfy { $0 == $1 || $0 == .superseded && $1 == .accepted }
        }
    }

    @Test("The hub keeps the fold by the largest key, and every device arrives there", arguments: TestStorage.all)
    func fold(_ kind: TestStorage) async throws {
        for seed: UInt64 in 1...(kind == .embedded ? 20 : 5) {
            try await kind.with { storage in
                var run = Run(TestHub(storage, seed: seed), seed: seed)
                try await run.hub.createSpace(devices: 1...3)
                for _ in 0..<60 { try await run.step() }
                for device: UInt64 in 1...3 {
                    let answer = try await run.hub.pull(by: device, after: run.cursors[device, default: 0])
                    run.apply([], answer, to: device)
                    #expect(run.replicas[device] == run.model, "seed \(seed), device \(device)")
                }
                let all = try await run.hub.all()
                #expect(Set(all.units.map(\.unit)) == Set(run.model.units.values))
                #expect(all.last.digest == run.model.digest)
                #expect(all.units.map(\.sequence) == all.units.map(\.sequence).sorted())
                let bytes = run.model.units.values.reduce(0) { $0 + $1.cost }
                #expect(try await run.hub.hub.sizes().bytes == Int64(bytes))
            }
        }
    }

    @Test("A reader skips no unit that commits while it reads", arguments: TestStorage.all)
    func readersSkipNothing(_ kind: TestStorage) async throws {
        try await kind.with(connections: 4) { storage in
            let hub = TestHub(storage)
            try await hub.createSpace(devices: 1...4)
            let pushes: UInt64 = kind == .embedded ? 60 : 30
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device: UInt64 in 1...3 {
                    group.addTask {
                        for push in 1...pushes {
                            // Some records of its own, and some of all.
                            let units = (0..<3).map {
                                hub.unit(device * 1000 + push % 7 * 10 + $0, at: Int64(push), by: device)
                            }
                            let shared = hub.unit(push % 5, at: Int64(push), by: device)
                            try await hub.push(units + [shared], number: push, by: device)
                        }
                    }
                }
                group.addTask {
                    var replica = UnitModel()
                    var after: Int64 = 0
                    var head: Int64 = 0
                    var last: Int64 = 0
                    // Until all have pushed, and everything was read.
                    while true {
                        let answer = try await hub.pull(by: 4, after: after)
                        #expect(answer.head >= head)
                        head = answer.head
                        for unit in answer.units {
                            #expect(unit.sequence > last)
                            last = unit.sequence
                            replica.merge(unit.unit)
                        }
                        after = answer.next
                        if try await Self.isDone(hub, pushes), after == (try await hub.pull(by: 4)).head {
                            let all = try await hub.all(by: 4)
                            if all.last.head == after {
                                #expect(Set(replica.units.values) == Set(all.units.map(\.unit)))
                                #expect(replica.digest == all.last.digest)
                                return
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Whether the last push of each device has arrived.
    private static func isDone(_ hub: TestHub, _ pushes: UInt64) async throws -> Bool {
        let numbers = try await hub.hub.storage.read { [space = hub.space] in
            try $0.devices(of: space).filter { $0.device <= 3 }.map(\.pushNumber)
        }
        return numbers.allSatisfy { $0 == Int64(pushes) }
    }
}
