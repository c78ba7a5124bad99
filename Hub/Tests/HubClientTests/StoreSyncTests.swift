import Daybook
import DaybookHubSync
import Foundation
import HubClient
import HubTestSupport
import Sync
import Testing

/// Sync in the process of an application, over a hub in the same process and clocks that the tests move.
@Suite(.timeLimit(.minutes(2))) struct StoreSyncTests {
    /// A device: the store of an application, and its service.
    private struct Device {
        let store: DaybookStore
        let clock: SettableClock
        let network = TestNetwork()
        let sync: StoreSync

        init(at folder: String, seed: UInt64) throws {
            clock = SettableClock(TestHub.start)
            store = try DaybookStore.open(
                at: folder,
                context: Context(
                    clock: clock, random: SystemRandomSource(), zones: Context.system.zones,
                    weekStart: Context.system.weekStart))
            sync = StoreSync(store) { [network] in network.transport(to: $0) }
        }

        var texts: [String] {
            get throws { try store.tasks.inbox().map(\.text).sorted() }
        }

        /// Waits for a status.
        @discardableResult
        func status(_ isExpected: (SyncStatus) -> Bool) async -> SyncStatus {
            for await status in sync.statuses where isExpected(status) { return status }
            return sync.status
        }

        /// Waits until the service sleeps for so many microseconds.
        func sleeps(_ microseconds: Int64) async {
            while clock.timeToNextWake != microseconds, !Task.isCancelled { await Task.yield() }
        }

        func close() async {
            await sync.stop()
            store.close()
        }
    }

    /// Two devices of one space, which have exchanged everything and are stopped.
    private struct World {
        let first: Device
        let second: Device
        let hubClock: SettableClock

        func advance(_ microseconds: Int64) {
            for clock in [hubClock, first.clock, second.clock] { clock.advance(byMicroseconds: microseconds) }
        }
    }

    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "daybook-service-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private static func withDevices(_ body: (World) async throws -> Void) async throws {
        try await RunningServer.withHub { address, clock in
            try await withFolder { folder in
                let world = World(
                    first: try Device(at: "\(folder)/a", seed: 1), second: try Device(at: "\(folder)/b", seed: 2),
                    hubClock: clock)
                _ = try await world.first.sync.create(at: address.description, name: "first")
                try await world.second.sync.join(world.first.sync.pair().uri, name: "second")
                for device in [world.first, world.second, world.first] {
                    #expect(await device.sync.now().phase == .idle)
                }
                try await body(world)
                await world.first.close()
                await world.second.close()
            }
        }
    }

    @Test("Two devices in one process converge, with stores that were opened before they joined [L-FR29]")
    func converge() async throws {
        try await Self.withDevices { world in
            let (first, second) = (world.first, world.second)
            try await first.store.tasks.create("Milk")
            let bread = try await second.store.tasks.create("Bread")
            for device in [first, second, first] { await device.sync.now() }
            for device in [first, second] { #expect(try device.texts == ["Bread", "Milk"]) }

            try await first.store.tasks.edit(bread.id) { $0.text = "Rye bread" }
            try await second.store.tasks.setState(bread.id, to: .completed)
            for device in [first, second, first] { await device.sync.now() }
            for device in [first, second] {
                let task = try #require(try device.store.read { try $0[TaskItem.self].get(bread.id) })
                #expect(task.text == "Rye bread")
                #expect(task.state == .completed)
                #expect(try device.store.verify().isClean)
                #expect(device.sync.status.pendingCount == 0)
                #expect(device.sync.status.lastSuccess == TestHub.start)
            }
        }
    }

    @Test("A started service exchanges a write once nothing was written for a while [L-FR29]")
    func quietTime() async throws {
        try await Self.withDevices { world in
            let (first, second) = (world.first, world.second)
            await first.sync.start()
            await first.sleeps(300_000_000)
            let requests = first.network.requests
            try await first.store.tasks.create("Milk")
            await first.sleeps(500_000)
            world.advance(400_000)
            try await first.store.tasks.create("Bread")
            await first.sleeps(500_000)
            #expect(first.network.requests == requests)
            world.advance(500_000)
            await first.sleeps(300_000_000)
            #expect(first.network.requests > requests)
            #expect(first.sync.status.pendingCount == 0)
            await second.sync.now()
            #expect(try second.texts == ["Bread", "Milk"])
        }
    }

    @Test("A started service gets the changes of others after an interval, or when the hub reports them [L-FR29]")
    func changesOfOthers() async throws {
        try await Self.withDevices { world in
            let (first, second) = (world.first, world.second)
            await second.sync.start()
            await second.sleeps(300_000_000)
            try await first.store.tasks.create("Milk")
            await first.sync.now()
            #expect(try second.texts == [])
            world.advance(300_000_000)
            await second.sleeps(300_000_000)
            #expect(try second.texts == ["Milk"])

            await second.sync.stop()
            second.network.state.withLock { $0.isWatching = true }
            await second.sync.start()
            await second.sleeps(300_000_000)
            try await first.store.tasks.create("Bread")
            await first.sync.now()
            while try second.texts != ["Bread", "Milk"] { await Task.yield() }
        }
    }

    @Test("A device that is offline backs off, and exchanges by itself when it is back [L-FR30, L-FR31, L-FR43]")
    func offline() async throws {
        try await Self.withDevices { world in
            let (first, second) = (world.first, world.second)
            first.network.state.withLock { $0.isOffline = true }
            try await first.store.tasks.create("Milk")
            await first.sync.start()
            var status = await first.status { $0.phase == .offline }
            #expect(status.failureCode == "unavailable")
            #expect(status.pendingCount > 0)
            #expect(status.lastSuccess == TestHub.start)
            // Waits are random, of at most 1, 2, 4, … seconds. Writes do not shorten them.
            var waits: [Int64] = []
            for _ in 0..<8 {
                while first.clock.timeToNextWake == nil { await Task.yield() }
                let requests = first.network.requests
                let wait = try #require(first.clock.timeToNextWake)
                waits.append(wait)
                try await first.store.tasks.create("Task \(waits.count)")
                world.advance(wait)
                while first.network.requests == requests { await Task.yield() }
                await first.status { $0.phase == .offline }
            }
            #expect(waits.allSatisfy { $0 <= 30_000_000 })
            first.network.state.withLock { $0.isOffline = false }
            while first.sync.status.phase != .idle {
                // None while an exchange is under way.
                if let wait = first.clock.timeToNextWake { world.advance(wait) }
                await Task.yield()
            }
            status = first.sync.status
            #expect(status.failureCode == nil)
            #expect(status.pendingCount == 0)
            await second.sync.now()
            #expect(try second.texts.count == 9)
        }
    }

    @Test("A hub with another key than the pinned one gets nothing, and the status says so [L-FR43]")
    func wrongKey() async throws {
        try await CertificateTests.withHub { address in
            try await Self.withFolder { folder in
                let device = try Device(at: folder, seed: 1)
                let pin = try await HubConnection.presentedPin(of: address)
                let other = CertificatePin(ofPublicKey: [1])
                await #expect(throws: HubClientError.wrongCertificate(pin)) {
                    _ = try await device.sync.create(at: address.description, pin: other.text)
                }
                #expect(device.sync.status.phase == .notJoined)
                _ = try await device.sync.create(at: address.description, pin: pin.text)
                var identity = try SpaceIdentity.read(inStore: folder)
                identity.pin = other
                try identity.write(inStore: folder)
                try await device.store.tasks.create("Milk")
                let status = await device.sync.now()
                #expect(status.phase == .failed)
                #expect(status.failureCode == "wrongCertificate")
                #expect(status.pendingCount > 0)
                #expect(status.lastSuccess == nil)
                await device.close()
            }
        }
    }

    @Test("Stopping ends an exchange whose answer does not come, and loses nothing [L-FR30]")
    func stopDuringExchange() async throws {
        try await Self.withDevices { world in
            let (first, second) = (world.first, world.second)
            try await first.store.tasks.create("Milk")
            first.network.state.withLock { $0.isStalled = true }
            let requests = first.network.requests
            await first.sync.start()
            while first.network.requests == requests { await Task.yield() }
            #expect(first.sync.status.phase == .exchanging)
            await first.sync.stop()
            #expect(first.sync.status.phase == .idle)

            // The same for a single exchange of a service that is not started.
            let next = first.network.requests
            let exchange = Task { await first.sync.now() }
            while first.network.requests == next { await Task.yield() }
            await first.sync.stop()
            #expect(await exchange.value.phase == .idle)

            first.network.state.withLock { $0.isStalled = false }
            #expect(await first.sync.now().pendingCount == 0)
            await second.sync.now()
            #expect(try second.texts == ["Milk"])
        }
    }

    @Test("The service of a closed store ends with the status failed and the code of the store [L-FR43]")
    func closedStore() async throws {
        try await Self.withDevices { world in
            let first = world.first
            await first.sync.start()
            await first.sleeps(300_000_000)
            first.store.close()
            #expect(await first.status { $0.phase == .failed }.failureCode == "closed")
            #expect(await first.sync.now().failureCode == "closed")
            #expect(first.sync.status.phase == .failed)
        }
    }

    @Test("A started service begins when its store joins a space [L-FR33]")
    func joinsLater() async throws {
        try await RunningServer.withHub { address, _ in
            try await Self.withFolder { folder in
                let device = try Device(at: folder, seed: 1)
                await device.sync.start()
                #expect(device.sync.status == SyncStatus(.notJoined))
                #expect(await device.sync.now().phase == .notJoined)
                await #expect(throws: IdentityError.notJoined) { _ = try await device.sync.pair() }
                _ = try await device.sync.create(at: address.description)
                #expect(await device.status { $0.phase == .idle && $0.lastSuccess != nil }.failureCode == nil)
                await #expect(throws: SyncError.alreadySynced) {
                    _ = try await device.sync.create(at: address.description)
                }
                await device.close()
            }
        }
    }

    @Test("A device that was revoked stops, and keeps what it has [L-FR43]")
    func revoked() async throws {
        try await Self.withDevices { world in
            let (first, second) = (world.first, world.second)
            let device = try SpaceIdentity.read(inStore: second.store.path).device
            let synced = try await SyncedStore(at: first.store.path, context: first.store.context)
            try await synced.revoke(device)
            await synced.close()
            try await second.store.tasks.create("Milk")
            await second.sync.start()
            #expect(await second.status { $0.phase == .failed }.failureCode == "revoked")
            let requests = second.network.requests
            world.advance(3_600_000_000)
            try await second.store.tasks.create("Bread")
            await second.status { $0.pendingCount > 1 || $0.phase == .failed }
            #expect(second.network.requests == requests)
            #expect(try second.texts == ["Bread", "Milk"])
        }
    }
}
