import Daybook
import DaybookHubSync
import DaybookModels
import Foundation
import HubClient
import HubTestSupport
import Observation
import Sync
import Testing

/// The application `Lists` of Examples/Apps on two devices of one person.
@MainActor @Suite(.timeLimit(.minutes(2))) struct OfflineStories {
    /// A device with the application open on it.
    @MainActor private struct Device {
        let app: ReminderListsApp
        let network = TestNetwork()
        let sync: StoreSync

        init(at folder: String) throws {
            let store = try DaybookStore.open(
                at: folder,
                context: Context(
                    clock: SettableClock(TestHub.start), random: SystemRandomSource(),
                    zones: SettableZone(try Zone("Europe/Istanbul")), weekStart: .monday))
            app = ReminderListsApp(store)
            sync = StoreSync(store) { [network] in network.transport(to: $0) }
        }

        func setOffline(_ isOffline: Bool) { network.state.withLock { $0.isOffline = isOffline } }

        func close() async {
            await sync.stop()
            app.store.close()
        }
    }

    private static func shown(_ holds: @escaping @MainActor @Sendable () -> Bool) async {
        for await isShown in Observations({ holds() }) where isShown { return }
    }

    /// Not of the main actor: the server lends its address to whoever asks, wherever that runs.
    private nonisolated static func withDevices(
        _ body: @escaping @MainActor @Sendable (_ phone: Device, _ laptop: Device) async throws -> Void
    ) async throws {
        try await RunningServer.withHub { address, _ in try await use(address.description, body) }
    }

    private static func use(
        _ hub: String, _ body: @MainActor @Sendable (_ phone: Device, _ laptop: Device) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "daybook-offline-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let phone = try Device(at: folder + "/phone")
        let laptop = try Device(at: folder + "/laptop")
        _ = try await phone.sync.create(at: hub, name: "phone")
        try await laptop.sync.join(phone.sync.pair().uri, name: "laptop")
        for device in [phone, laptop, phone] { #expect(await device.sync.now().phase == .idle) }
        try await body(phone, laptop)
        await phone.close()
        await laptop.close()
    }

    @Test("Two devices are offline, both are used, and both show everything when they are back [L-FR29, L-FR31, N-8]")
    func offline() async throws {
        try await Self.withDevices { phone, laptop in
            let list = try #require(await phone.app.create("Home"))
            phone.app.select(list.id)
            await phone.app.add("Milk")
            for device in [phone, laptop] { #expect(await device.sync.now().phase == .idle) }
            laptop.app.select(list.id)
            await Self.shown {
                laptop.app.open.tasks.map(\.text) == ["Milk"] && laptop.app.lists.overview?.lists.count == 1
            }

            for device in [phone, laptop] { device.setOffline(true) }
            // The same task on both: its text on one, its state on the other.
            let milk = try #require(phone.app.open.tasks.first?.id)
            _ = try await phone.app.session.tasks.edit(milk) { $0.text = "Oat milk" }
            await phone.app.add("Bread")
            _ = try await laptop.app.session.tasks.setState(milk, to: .completed)
            await laptop.app.add("Salt")
            // Without the hub each device shows its own changes, and says that they are pending.
            for device in [phone, laptop] { #expect(await device.sync.now().phase != .idle) }
            await Self.shown { Set(phone.app.open.tasks.map(\.text)) == ["Oat milk", "Bread"] }
            await Self.shown { Set(laptop.app.open.tasks.map(\.text)) == ["Milk", "Salt"] }
            #expect(phone.sync.status.pendingCount > 0 && laptop.sync.status.pendingCount > 0)
            #expect(phone.app.message == nil && laptop.app.message == nil)

            for device in [phone, laptop] { device.setOffline(false) }
            for device in [phone, laptop, phone] { #expect(await device.sync.now().phase == .idle) }
            for app in [phone.app, laptop.app] {
                await Self.shown {
                    Set(app.open.tasks.map(\.text)) == ["Oat milk", "Bread", "Salt"]
                        && app.open.tasks.first { $0.id == milk }?.isCompleted == true
                        && app.lists.overview?.lists.first?.open == 2
                }
            }
            #expect(phone.app.open.tasks.map(\.id) == laptop.app.open.tasks.map(\.id))
            #expect(phone.sync.status.pendingCount == 0 && laptop.sync.status.pendingCount == 0)
        }
    }

    @Test("What is added offline to a list that another device deletes is kept, in no list [L-FR31, L-SY3]")
    func deletedList() async throws {
        try await Self.withDevices { phone, laptop in
            let list = try #require(await phone.app.create("Home"))
            phone.app.select(list.id)
            await phone.app.add("Milk")
            for device in [phone, laptop] { await device.sync.now() }
            laptop.app.select(list.id)
            await Self.shown { laptop.app.open.tasks.count == 1 }

            for device in [phone, laptop] { device.setOffline(true) }
            await phone.app.delete(list.id)
            await laptop.app.add("Bread")
            for device in [phone, laptop] { device.setOffline(false) }
            for device in [phone, laptop, phone, laptop] { await device.sync.now() }
            for app in [phone.app, laptop.app] { await Self.shown { app.lists.overview?.lists.isEmpty == true } }
            let texts = try [phone, laptop].map { try $0.app.store.tasks.inbox().map(\.text) }
            #expect(texts == [["Bread"], ["Bread"]])
            #expect(try phone.app.store.verify().isClean && laptop.app.store.verify().isClean)
        }
    }
}
