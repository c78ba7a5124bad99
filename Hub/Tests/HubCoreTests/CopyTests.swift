import Daybook
import FoundationEssentials
import HubCore
import HubTestSupport
import Sync
import Testing

@Suite("Copies of spaces")
struct CopyTests {
    /// Fails after so many transactions at the destination.
    private struct Failing: HubStorage {
        let base: any HubStorage
        let writes: Writes
        var isShared: Bool { base.isShared }

        actor Writes {
            private var left: Int

            init(_ left: Int) { self.left = left }

            func take() throws {
                guard left > 0 else { throw SyncRefusal.unavailable }
                left -= 1
            }
        }

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any HubReading) throws -> Result
        ) async throws -> Result { try await base.read(body) }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any HubWriting) throws -> Result
        ) async throws -> Result {
            try await writes.take()
            return try await base.write(body)
        }

        func close() async {}
    }

    @Test(
        "Devices go on at the copy of their space as if nothing had happened, also after interruptions",
        arguments: TestStorage.all)
    func copies(_ kind: TestStorage) async throws {
        for seed: UInt64 in 1...4 {
            try await kind.with { source in
                try await TestStorage.embedded.with { destination in
                    var run = RandomRun(TestHub(source, seed: seed), seed: seed)
                    try await run.hub.createSpace(devices: 1...3)
                    for _ in 0..<40 { try await run.step() }
                    // More than one page.
                    let many = (0..<1200).map { run.hub.unit(1000 + $0, 7) }
                    for (number, start) in [0, 400, 800].enumerated() {
                        let device: UInt64 = 1
                        let answer = try await run.hub.push(
                            Array(many[start..<start + 400]), number: 500 + UInt64(number), by: device)
                        #expect(answer.results.allSatisfy { $0 == .accepted })
                    }
                    var attempts = 0
                    var copied: SpaceCopy.Result?
                    while copied == nil, attempts < 20 {
                        attempts += 1
                        let failing = Failing(base: destination, writes: Failing.Writes(attempts))
                        do {
                            copied = try await SpaceCopy(from: source, to: failing).copy()
                        } catch SyncRefusal.unavailable {}
                    }
                    #expect(attempts > 2 && copied?.spaces == 1)
                    let (there, copy) = (run.hub, TestHub(destination, clock: run.hub.clock, seed: seed))
                    let (before, after) = (try await there.all(), try await copy.all())
                    #expect(before.units == after.units)
                    #expect(before.last == after.last)
                    #expect(
                        try await there.hub.devices(of: there.space, device: 1)
                            == copy.hub.devices(of: there.space, device: 1))
                    // A device that has seen everything gets what is new, in the same epoch.
                    try await copy.push([copy.unit(7777)], number: 900)
                    let news = try await copy.pull(by: 2, after: before.last.head, epoch: before.last.epoch)
                    #expect(news.units.map(\.unit) == [copy.unit(7777)])
                    // From then on the copy is the original.
                    await #expect(throws: SpaceCopy.Conflict.self) {
                        try await SpaceCopy(from: source, to: destination).copy()
                    }
                }
            }
        }
    }

    @Test("A device that was revoked after the copy does not come back by repeating it", arguments: TestStorage.all)
    func revokedAfterwards(_ kind: TestStorage) async throws {
        try await kind.with { source in
            try await TestStorage.embedded.with { destination in
                let hub = TestHub(source)
                try await hub.createSpace(devices: 1...3)
                let copy = SpaceCopy(from: source, to: destination)
                #expect(try await copy.copy().spaces == 1)
                #expect(try await copy.copy().spaces == 1)
                _ = try await hub.persisting { try await hub.hub.revoke(3, in: hub.space, device: 1) }
                await #expect(throws: SpaceCopy.Conflict.self) { try await copy.copy() }
            }
        }
    }

    @Test("Only spaces of the range are copied")
    func range() async throws {
        try await TestStorage.embedded.with { source in
            var hubs: [TestHub] = []
            for seed: UInt64 in 1...40 {
                hubs.append(TestHub(source, seed: seed))
                try await hubs[hubs.count - 1].createSpace()
            }
            let texts = ["0000-3fff", "4000-bfff", "c000-ffff"]
            var counts: [Int] = []
            for text in texts {
                let range = try #require(SpaceRange(text))
                try await TestStorage.embedded.with { destination in
                    counts.append(try await SpaceCopy(from: source, to: destination).copy(range).spaces)
                    let there = try await destination.read { try $0.spaces(after: nil, limit: 100) }
                    #expect(Set(there) == Set(hubs.map(\.space).filter { range.contains($0) }))
                }
            }
            #expect(counts.reduce(0, +) == 40 && counts.allSatisfy { $0 > 0 })
        }
    }

    @Test(
        "What is no range is none",
        arguments: ["", "0000", "0-ffff", "8000-7fff", "0000-fffg", "0000-7fff-ffff", "+000-ffff"])
    func noRange(_ text: String) { #expect(SpaceRange(text) == nil) }
}
