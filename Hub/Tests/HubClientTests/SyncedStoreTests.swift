import Daybook
import DaybookHubSync
import Foundation
import HubClient
import HubMessages
import HubServer
import HubTestSupport
import Sync
import Testing

/// What `daybook-sync` does with a store and its hub.
@Suite(.timeLimit(.minutes(2))) struct SyncedStoreTests {
    /// Lends a folder that is removed afterwards.
    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "daybook-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private static func context(_ clock: SettableClock) -> Context {
        Context(
            clock: clock, random: SystemRandomSource(), zones: Context.system.zones, weekStart: Context.system.weekStart
        )
    }

    /// A new space, whose first device has a store.
    private static func makeSpace(at folder: String, _ address: HubAddress) async throws {
        try SyncedStore.prepare(folder)
        let (identity, recovery) = try SpaceIdentity.create(
            hub: address.description, pin: nil, name: "first", random: RunningServer.random)
        try await RunningServer.withConnection(address) { try await $0.createSpace(of: identity, recovery: recovery) }
        try identity.write(inStore: folder)
    }

    private static func join(at folder: String, _ address: HubAddress, by first: SyncedStore) async throws {
        try SyncedStore.prepare(folder)
        let identity = await first.keeper.identity
        let invite = Invite(to: identity, random: RunningServer.random)
        _ = try await first.session.open(invite, to: identity)
        try await RunningServer.withConnection(address) { connection in
            try await connection.join(NewDevice(name: "second", random: RunningServer.random), with: invite)
                .write(inStore: folder)
        }
    }

    private static func texts(_ synced: SyncedStore) throws -> [String] {
        try synced.store.tasks.inbox().map(\.text).sorted()
    }

    @Test("A store that was copied becomes another device by itself, and nothing that either has is lost")
    func copy() async throws {
        try await RunningServer.withHub { address, clock in
            try await Self.withFolder { folder in
                let (path, copyPath) = ("\(folder)/store", "\(folder)/copy")
                try await Self.makeSpace(at: path, address)
                var original = try await SyncedStore(at: path, context: Self.context(clock))
                try await original.store.tasks.create("Milk")
                try await original.run()
                let device = original.session.device
                await original.close()
                try FileManager.default.copyItem(atPath: path, toPath: copyPath)

                original = try await SyncedStore(at: path, context: Self.context(clock))
                try await original.store.tasks.create("Bread")
                try await original.run()
                let copy = try await SyncedStore(at: copyPath, context: Self.context(clock))
                try await copy.store.tasks.create("Butter")
                try await copy.run()
                #expect(copy.session.device != device)
                #expect(try copy.replica.status().device == copy.session.device)
                #expect(try SpaceIdentity.read(inStore: copyPath).device == copy.session.device)
                try await original.run()
                #expect(original.session.device == device)
                try await copy.run()
                for store in [original, copy] { #expect(try Self.texts(store) == ["Bread", "Butter", "Milk"]) }
                // It has a card, so that the others know it.
                #expect(await original.keeper.identity.ring.members.contains { $0.device == copy.session.device })
                await copy.close()
                await original.close()
            }
        }
    }

    @Test("A store that was killed after it had become another device in its file is that device")
    func interruptedCopy() async throws {
        try await RunningServer.withHub { address, clock in
            try await Self.withFolder { folder in
                try await Self.makeSpace(at: folder, address)
                var store = try await SyncedStore(at: folder, context: Self.context(clock))
                try await store.run()
                let device = try NewDevice(name: "new", random: RunningServer.random)
                try await store.session.register(device)
                await store.close()
                try SpaceIdentity.read(inStore: folder).copied(as: device).write(inStore: folder)
                store = try await SyncedStore(at: folder, context: Self.context(clock))
                #expect(try store.replica.status().device == device.device)
                try await store.store.tasks.create("Milk")
                try await store.run()
                await store.close()
            }
        }
    }

    @Test("Where the hub registers no other device, a copy stops, keeps everything and says what to do")
    func limit() async throws {
        var settings = HubSettings()
        settings.deviceRate = RateLimit(perSecond: 1_000_000, burst: 1_000_000)
        try await RunningServer.withHub(settings) { address, clock in
            try await Self.withFolder { folder in
                let (path, copyPath) = ("\(folder)/store", "\(folder)/copy")
                try await Self.makeSpace(at: path, address)
                let original = try await SyncedStore(at: path, context: Self.context(clock))
                try await original.run()
                await original.close()
                try FileManager.default.copyItem(atPath: path, toPath: copyPath)
                let store = try await SyncedStore(at: path, context: Self.context(clock))
                try await store.store.tasks.create("Milk")
                try await store.run()
                let count = try await store.session.devices().devices.count
                for _ in count..<HubLimits.deviceLimit {
                    try await store.session.register(NewDevice(name: "filler", random: RunningServer.random))
                }
                let copy = try await SyncedStore(at: copyPath, context: Self.context(clock))
                try await copy.store.tasks.create("Bread")
                let failure = await #expect(throws: SyncFailure.self) { try await copy.run() }
                #expect(failure?.code == 5)
                #expect(failure?.message.contains("Revoke one that is gone") == true)
                #expect(try copy.replica.status().held == "forked")
                #expect(try Self.texts(copy) == ["Bread"])
                await copy.close()
                await store.close()
            }
        }
    }

    @Test("The next sync resumes a revocation that was interrupted at the hub")
    func interruptedRevocation() async throws {
        try await RunningServer.withHub { address, clock in
            try await Self.withFolder { folder in
                try await Self.makeSpace(at: "\(folder)/a", address)
                var first = try await SyncedStore(at: "\(folder)/a", context: Self.context(clock))
                try await first.run()
                try await Self.join(at: "\(folder)/b", address, by: first)
                let second = try await SyncedStore(at: "\(folder)/b", context: Self.context(clock))
                try await second.run()
                try await first.run()
                // The program was killed between the hub's answer and the new key.
                var identity = await first.keeper.identity
                identity.revoking = [second.session.device]
                try identity.write(inStore: "\(folder)/a")
                try await first.session.revoke(second.session.device)
                await first.close()

                first = try await SyncedStore(at: "\(folder)/a", context: Self.context(clock))
                try await first.run()
                identity = try SpaceIdentity.read(inStore: "\(folder)/a")
                #expect(identity.revoking.isEmpty)
                #expect(identity.ring.removed == [second.session.device])
                #expect(identity.ring.keys.count == 2)
                let failure = await #expect(throws: SyncFailure.self) { try await second.run() }
                #expect(failure?.code == 5)
                // Once is enough.
                try await first.run()
                #expect(try SpaceIdentity.read(inStore: "\(folder)/a").ring.keys.count == 2)
                await second.close()
                await first.close()
            }
        }
    }
}
