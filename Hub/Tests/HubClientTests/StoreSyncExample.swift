import Daybook
import DaybookHubSync
import Foundation
import HubTestSupport
import Testing

/// The example of Documentation/Sync.md.
@Suite(.timeLimit(.minutes(2))) struct StoreSyncExample {
    @Test("An application creates a space, pairs another device and exchanges changes [L-FR29, L-FR33, N-10]")
    func example() async throws {
        try await RunningServer.withHub { address, _ in
            let folder = NSTemporaryDirectory() + "daybook-example-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let context = Context(
                clock: SettableClock(TestHub.start), random: SystemRandomSource(), zones: Context.system.zones,
                weekStart: Context.system.weekStart)
            let store = try DaybookStore.open(at: folder + "/laptop", context: context)
            let phoneStore = try DaybookStore.open(at: folder + "/phone", context: context)
            let hub = address.description
            try await store.tasks.create("Water the tomatoes")

            let laptop = StoreSync(store)
            let recoveryKey = try await laptop.create(at: hub)  // keep it on paper
            await laptop.start()  // exchanges at once, after writes, and when another device has changed something
            await laptop.now()

            let phone = StoreSync(phoneStore)
            try await phone.join(laptop.pair().uri)  // travels from screen to screen
            let status = await phone.now()
            print(status.phase, status.pendingCount, status.lastSuccess as Any, status.failureCode as Any)

            await laptop.stop()  // ends an exchange that is under way, and loses nothing

            #expect(!recoveryKey.isEmpty)
            #expect(status.phase == .idle)
            #expect(try phoneStore.tasks.inbox().map(\.text) == ["Water the tomatoes"])
        }
    }
}
