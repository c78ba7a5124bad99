import ArgumentParser
import CivilTime
import Daybook
import DaybookHubSync
import FoundationEssentials
import HubClient
import Sync

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the state of sync.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await SyncedStore.with(options.folder) { synced in
            let status = try synced.replica.status()
            let identity = await synced.keeper.identity
            print(options.json ? StatusText.json(status, identity) : StatusText.lines(status, identity))
        }
    }
}

struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the devices of the space.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await SyncedStore.with(options.folder) { synced in
            let identity = await synced.keeper.identity
            let names = Dictionary(identity.ring.members.map { ($0.device, $0.name) }) { first, _ in first }
            for device in try await synced.session.devices().devices where device.role == .member {
                let number = device.registration.device.value
                let marks = (number == identity.device ? ["this device"] : []) + (device.isRevoked ? ["revoked"] : [])
                let name = names[number] ?? "(no name yet)"
                print("\(number)  \(name)\(marks.isEmpty ? "" : "  " + marks.joined(separator: ", "))")
            }
        }
    }
}

struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Revoke a device: it gets nothing new, and has no key for what is new. It keeps what it has.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The number of the device, as `daybook sync devices` shows it.") var device: UInt64

    func run() async throws {
        try await SyncedStore.with(options.folder) { synced in
            do {
                try await synced.revoke(device)
            } catch {
                guard await synced.keeper.identity.revoking.contains(device) else { throw error }
                let failure = error as? SyncFailure ?? SyncFailure(error)
                throw SyncFailure(
                    "\(NextCommand.message(of: failure)) The next `daybook sync` goes on with revoking.",
                    code: failure.code)
            }
        }
    }
}

struct Journals: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show whether journals take part, or let them, on all devices and for good.")

    enum Choice: String, ExpressibleByArgument { case on }

    @OptionGroup var options: StoreOptions
    @Argument(help: "Let the journals of all devices take part. What is sent once cannot be taken back.") var choice:
        Choice?

    func run() async throws {
        try await SyncedStore.with(options.folder) { synced in
            if choice == .on {
                try await synced.replica.switchOnJournals()
                try await synced.run()
            }
            print(try synced.replica.status().hasJournals ? "on" : "off")
        }
    }
}

struct Conflicts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show texts that lost against another device's within the last 30 days.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await SyncedStore.with(options.folder) { synced in
            for lost in try synced.replica.conflicts(limit: 1000) {
                let id = UUID(bytes: lost.key).map { $0.uuidString.lowercased() } ?? "?"
                print("\(lost.at)  \(lost.collectionName) \(id)  \(lost.unit): \(lost.value)")
            }
        }
    }
}

struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Get a space back with its recovery key, which is read from standard input.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The address of the hub.") var url: String
    @Option(help: "The pin of the hub's certificate.") var pin: String?
    @Option(help: "The name of this device. Default: the machine's.") var name: String?

    func run() async throws {
        let folder = try options.folder
        guard let line = readLine() else { throw SyncFailure("Type the recovery key as one line.", code: 2) }
        let key = try RecoveryKey(text: line)
        try SyncedStore.prepare(folder)
        let pin = try self.pin.map { text in
            guard let pin = CertificatePin(text: text) else { throw SyncFailure("This is not a pin.", code: 2) }
            return pin
        }
        let connection = HubConnection(try HubAddress(url), pin: pin)
        let device = try NewDevice(name: name ?? SyncedStore.deviceName, random: Context.system.random)
        let identity: SpaceIdentity
        do {
            identity = try await connection.recover(device, with: key, pin: pin)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
        try identity.write(inStore: folder)
        try await SyncedStore.with(folder) { try await $0.run() }
    }
}

struct Leave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End this store's part in the space. It keeps its tasks; the other devices keep theirs.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let folder = try options.folder
        try await SyncedStore.with(folder) { synced in
            let identity = await synced.keeper.identity
            // Without the hub the device stays listed there; another device can revoke it.
            try? await synced.session.revoke(identity.device)
            try await synced.replica.end()
        }
        try SpaceIdentity.remove(fromStore: folder)
    }
}
