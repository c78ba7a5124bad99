import Foundation
import HubCore
import HubMessages
import HubTestSupport
import Sync
import Testing

@Suite("Push and pull")
struct PushTests {
    @Test("A pushed unit is pulled by another device with its number", arguments: TestStorage.all)
    func pushedUnitIsPulled(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace(devices: 1...2)
            let units = [hub.unit(1, body: [1, 2, 3]), hub.unit(1, 3), hub.unit(2, 65_535)]
            let pushed = try await hub.push(units, number: 1)
            #expect(pushed.results == [.accepted, .accepted, .accepted])
            #expect(pushed.units.isEmpty && pushed.head == 3 && pushed.next == 3)
            let pulled = try await hub.pull(by: 2)
            #expect(pulled.units.map(\.unit) == units)
            #expect(pulled.units.map(\.sequence) == [1, 2, 3])
            #expect(pulled.units.allSatisfy { $0.device == 1 })
            #expect(pulled.digest == units.reduce(0) { $0 &+ $1.digest })
            #expect(pulled.next == 3 && pulled.epoch == pushed.epoch)
            #expect(pulled.time == hub.clock.wall.microsecondsSince1970)
        }
    }

    @Test("The larger key wins, and its unit is sent along", arguments: TestStorage.all)
    func largerKeyWins(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace(devices: 1...2)
            let (early, late) = (hub.unit(1, at: -10, by: 2), hub.unit(1, at: -5, by: 1, body: [7]))
            try await hub.push([late], number: 1)
            let answer = try await hub.push([early, hub.unit(2, by: 2)], number: 1, by: 2, after: 1)
            #expect(answer.results == [.superseded, .accepted])
            #expect(answer.units.map(\.unit) == [late])
            // Once only, although it is behind the device's number as well.
            #expect(try await hub.push([early], number: 2, by: 2, after: 0).units.filter { $0.unit == late }.count == 1)
            let later = hub.unit(1, at: -1, by: 2, body: [8])
            #expect(try await hub.push([later], number: 3, by: 2).results == [.accepted])
            let all = try await hub.all()
            #expect(Set(all.units.map(\.unit)) == [later, hub.unit(2, by: 2)])
            #expect(all.units.map(\.sequence) == [2, 3])
        }
    }

    @Test("A push that is repeated changes nothing and is answered alike", arguments: TestStorage.all)
    func repeatedPush(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            let units = [hub.unit(1), hub.unit(2)]
            let first = try await hub.push(units, number: 5)
            let second = try await hub.push(units, number: 5, after: first.next)
            #expect(second.results == first.results && second.head == first.head && second.digest == first.digest)
            // The same units under the next number are no fork either.
            #expect(try await hub.push(units, number: 6).head == 2)
            #expect(try await hub.push(units, number: 4).head == 2)
        }
    }

    @Test("A push number with other units is a fork, and changes nothing", arguments: TestStorage.all)
    func reusedNumberForks(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace(devices: 1...2)
            try await hub.push([hub.unit(1)], number: 5)
            for number: UInt64 in [5, 4, 1] {
                await #expect(throws: SyncRefusal.forked) { try await hub.push([hub.unit(2)], number: number) }
            }
            #expect(try await hub.pull().head == 1)
            // Numbers are of each device.
            #expect(try await hub.push([hub.unit(2, by: 2)], number: 1, by: 2).results == [.accepted])
        }
    }

    @Test("A purge erases the other units of its record, and nothing follows it", arguments: TestStorage.all)
    func purgeErases(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace(devices: 1...2)
            try await hub.push([hub.unit(1, 0), hub.unit(1, 1), hub.unit(1, 2), hub.unit(2)], number: 1)
            let purge = hub.purge(1, at: -1000)
            let purged = try await hub.push([purge], number: 2)
            #expect(purged.results == [.accepted])
            #expect(purged.digest == purge.digest &+ hub.unit(2).digest)
            let answer = try await hub.push([hub.unit(1, 2, at: 10, by: 2)], number: 1, by: 2)
            #expect(answer.results == [.superseded])
            #expect(answer.units.map(\.unit).contains(purge))
            #expect(Set(try await hub.all().units.map(\.unit)) == [purge, hub.unit(2)])
            let sizes = try await hub.hub.sizes()
            #expect(sizes.bytes == Int64(purge.cost + hub.unit(2).cost))
        }
    }

    @Test("A purge in the same push erases what comes before and refuses what comes after", arguments: TestStorage.all)
    func purgeWithinPush(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            try await hub.push([hub.unit(1, 5)], number: 1)
            let purge = hub.purge(1)
            let units = [hub.unit(1, 2), hub.unit(1, 5, at: 5), purge, hub.unit(1, 3, at: 6)]
            let answer = try await hub.push(units, number: 2, after: 1)
            #expect(answer.results == [.accepted, .accepted, .accepted, .superseded])
            // The device has the purge itself.
            #expect(answer.units.isEmpty)
            #expect(answer.digest == purge.digest)
            #expect(try await hub.all().units.map(\.unit) == [purge])
        }
    }

    @Test("Stamps up to 60 s ahead are accepted; later ones refuse the request", arguments: TestStorage.all)
    func clockAhead(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            #expect(try await hub.push([hub.unit(1, at: 60_000)], number: 1).results == [.accepted])
            await #expect(throws: SyncRefusal.clockAhead(time: hub.clock.wall.microsecondsSince1970)) {
                try await hub.push([hub.unit(2), hub.unit(3, at: 60_001)], number: 2)
            }
            #expect(try await hub.pull().head == 1)
            let stamp = Stamp(time: hub.time(milliseconds: 400 * 86_400_000), device: 1)
            for key in [
                MergeKey.completion(epoch: 0, isDone: true, stamp), .base(createdAt: 0, stamp),
                .placed(in: Stamp(time: 0, device: 0), stamp), .purge(stamp),
            ] {
                let unit = SyncUnit(record: TestHub.uuid(9), unit: 0, key: key.bytes, body: [])
                await #expect(throws: SyncRefusal.self) { try await hub.push([unit], number: 3) }
            }
            // The distant past is nobody's business.
            #expect(try await hub.push([hub.unit(4, at: -400 * 86_400_000)], number: 4).results == [.accepted])
        }
    }

    @Test("A unit that cannot be kept is refused, and the rest goes on", arguments: TestStorage.all)
    func refusedUnit(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            let noKey = SyncUnit(record: TestHub.uuid(1), unit: 2, key: [1, 2, 3], body: [])
            let large = hub.unit(2, body: [UInt8](repeating: 1, count: SyncProtocol.bodyLimit + 1))
            let largest = hub.unit(3, body: [UInt8](repeating: 1, count: SyncProtocol.bodyLimit - 64))
            let answer = try await hub.push([noKey, large, hub.unit(4)], number: 1)
            #expect(answer.results == [.refused, .refused, .accepted])
            #expect(try await hub.push([largest], number: 2).results == [.accepted])
            #expect(try await hub.all().units.map(\.unit) == [hub.unit(4), largest])
        }
    }

    @Test("Requests beyond the protocol's limits are refused", arguments: TestStorage.all)
    func limits(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            let many = (0..<513).map { hub.unit($0) }
            await #expect(throws: SyncRefusal.tooLarge) { try await hub.push(many, number: 1) }
            let half = [UInt8](repeating: 0, count: SyncProtocol.bodyLimit)
            let large = (0..<3).map { hub.unit($0, body: half) }
            await #expect(throws: SyncRefusal.tooLarge) { try await hub.push(large, number: 1) }
            await #expect(throws: SyncRefusal.malformed) { try await hub.push([hub.unit(1)], number: 0) }
            await #expect(throws: SyncRefusal.malformed) { try await hub.pull(after: -1) }
            var request = SyncRequest(epoch: nil, pushNumber: 0, after: 0, units: [])
            request.version = 2
            await #expect(throws: SyncRefusal.upgradeRequired) {
                try await hub.hub.sync(request, space: hub.space, device: 1)
            }
        }
    }

    @Test("A long pull comes in pages of at most 512 units and 1 MiB, without gaps", arguments: TestStorage.all)
    func pages(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace(devices: 1...2)
            for push: UInt64 in 1...3 {
                try await hub.push((0..<400).map { hub.unit(push * 1000 + $0) }, number: push)
            }
            let body = [UInt8](repeating: 9, count: 300_000)
            for push: UInt64 in 4...6 {
                try await hub.push((0..<2).map { hub.unit(push * 1000 + $0, body: body) }, number: push)
            }
            var after: Int64 = 0
            var sequences: [Int64] = []
            var pages = 0
            while true {
                let answer = try await hub.pull(by: 2, after: after)
                #expect(answer.units.count <= SyncProtocol.unitLimit)
                #expect(answer.encoded.count <= SyncProtocol.messageLimit)
                sequences += answer.units.map(\.sequence)
                pages += 1
                guard answer.next < answer.head else { break }
                #expect(answer.next > after)
                after = answer.next
            }
            #expect(sequences == Array(1...1206))
            #expect(pages >= 4)
        }
    }

    @Test("Winners that do not fit into an answer make the push too large", arguments: TestStorage.all)
    func largeWinners(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace(devices: 1...2)
            let body = [UInt8](repeating: 9, count: 500_000)
            for number: UInt64 in 1...3 { try await hub.push([hub.unit(number, body: body)], number: number) }
            let losing = (1...3).map { hub.unit($0, at: -5, by: 2) }
            await #expect(throws: SyncRefusal.tooLarge) {
                try await hub.push(losing + [hub.unit(9, by: 2)], number: 1, by: 2, after: 3)
            }
            #expect(try await hub.pull().head == 3)
            let answer = try await hub.push([losing[0]], number: 1, by: 2, after: 3)
            #expect(answer.results == [.superseded] && answer.units.count == 1)
        }
    }

    @Test("A space that is full refuses more, and takes what makes it smaller", arguments: TestStorage.all)
    func spaceLimit(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage, spaceLimit: 2000)
            try await hub.createSpace()
            try await hub.push([hub.unit(1, body: [UInt8](repeating: 1, count: 1500))], number: 1)
            await #expect(throws: SyncRefusal.full) {
                try await hub.push([hub.unit(2, body: [UInt8](repeating: 1, count: 1500))], number: 2)
            }
            #expect(try await hub.push([hub.unit(1, at: 5)], number: 3).results == [.accepted])
        }
    }

    @Test("Another epoch is refused with the hub's; without one the hub answers", arguments: TestStorage.all)
    func epochs(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            let epoch = try await hub.push([hub.unit(1)], number: 1).epoch
            #expect(try await hub.pull(epoch: epoch).head == 1)
            await #expect(throws: SyncRefusal.epochChanged(epoch)) { try await hub.pull(epoch: TestHub.uuid(99)) }
            await #expect(throws: SyncRefusal.epochChanged(epoch)) {
                try await hub.push([hub.unit(2)], number: 2, epoch: TestHub.uuid(99))
            }
            #expect(try await hub.hub.renewEpochs() == 1)
            let renewed = try await hub.pull().epoch
            #expect(renewed != epoch)
            await #expect(throws: SyncRefusal.epochChanged(renewed)) { try await hub.pull(epoch: epoch) }
        }
    }

    @Test(
        "A device that has seen more than the hub has gets a new epoch, by pull and by push", arguments: TestStorage.all
    )
    func shorterHistory(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            let first = try await hub.push([hub.unit(1)], number: 1).epoch
            await #expect(throws: SyncRefusal.self) { try await hub.pull(after: 2, epoch: first) }
            let second = try await hub.pull().epoch
            #expect(second != first)
            await #expect(throws: SyncRefusal.self) {
                try await hub.push([hub.unit(2)], number: 2, after: 9, epoch: second)
            }
            let third = try await hub.pull()
            #expect(third.epoch != second && third.head == 1)
        }
    }

    @Test("Records are fetched by id, all their units and no others", arguments: TestStorage.all)
    func fetchByRecord(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            let units = [hub.unit(1, 0), hub.unit(1, 2), hub.unit(2, 2), hub.unit(3, 2)]
            try await hub.push(units, number: 1)
            let request = RecordsRequest(records: [TestHub.uuid(1), TestHub.uuid(3), TestHub.uuid(4), TestHub.uuid(1)])
            let answer = try await hub.persisting {
                try await hub.hub.records(request, space: hub.space, device: 1)
            }
            #expect(answer.units.map(\.unit) == [units[0], units[1], units[3]])
            let many = RecordsRequest(records: (0..<513).map { TestHub.uuid($0) })
            await #expect(throws: SyncRefusal.tooLarge) {
                try await hub.hub.records(many, space: hub.space, device: 1)
            }
            #expect(try await hub.hub.records(RecordsRequest(records: []), space: hub.space, device: 1).units.isEmpty)
        }
    }

    @Test("Heads of several spaces come at once", arguments: TestStorage.all)
    func heads(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let (first, second) = (TestHub(storage, seed: 1), TestHub(storage, seed: 2))
            try await first.createSpace()
            try await second.createSpace()
            try await first.push([first.unit(1), first.unit(2)], number: 1)
            let heads = try await first.hub.heads(of: [first.space, second.space, TestHub.uuid(3)])
            #expect(heads == [first.space: 2, second.space: 0])
            // Spaces do not see each other.
            #expect(try await second.pull().units.isEmpty)
            #expect(try await first.hub.sizes().spaces == 2)
        }
    }
}
