import Daybook
import Foundation
import HubCore
import HubTestSupport
import Sync
import Testing

@Suite("Random pushes and pulls")
struct ModelTests {
    @Test("The hub keeps the fold by the largest key, and every device arrives there", arguments: TestStorage.all)
    func fold(_ kind: TestStorage) async throws {
        for seed: UInt64 in 1...(kind == .embedded ? 20 : 5) {
            try await kind.with { storage in
                var run = RandomRun(TestHub(storage, seed: seed), seed: seed)
                try await run.hub.createSpace(devices: 1...3)
                for _ in 0..<60 { try await run.step() }
                try await run.checkConvergence()
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
