import ArgumentParser
import CivilTime
import Daybook
import FoundationEssentials
import Glibc
import HubClient
import StoreSync
import Sync

struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a space at a hub, and print its recovery key.",
        discussion: "The recovery key opens the space when every device is lost. Keep it on paper; nobody else has it.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "The address of the hub, such as https://sync.example.org.") var url: String
    @Option(help: "The pin of the hub's certificate, for one that no public authority vouches for.") var pin: String?
    @Option(help: "What the hub's operator asks for, if anything.") var registrationToken: String?
    @Option(help: "The name of this device, for your other devices. Default: the machine's.") var name: String?
    @Flag(help: "Let journals take part as well, for good.") var journals = false

    func run() async throws {
        let folder = try options.folder
        let address = try HubAddress(url)
        let pin = try self.pin.map { text in
            guard let pin = CertificatePin(text: text) else { throw SyncFailure("This is not a pin.", code: 2) }
            return pin
        }
        try SyncedStore.prepare(folder)
        let (identity, recovery) = try SpaceIdentity.create(
            hub: address.description, pin: pin, name: name ?? SyncedStore.deviceName, random: Context.system.random)
        let connection = HubConnection(address, pin: pin)
        do {
            try await connection.createSpace(
                of: identity, recovery: recovery, registrationToken: registrationToken)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
        try identity.write(inStore: folder)
        print(recovery.text)
        try await SyncedStore.with(folder) { synced in
            if journals { try await synced.replica.switchOnJournals() }
            try await synced.run()
        }
    }
}

struct MakeInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Print what another device needs to join, once and within ten minutes.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await SyncedStore.with(options.folder) { synced in
            let identity = await synced.keeper.identity
            let invite = Invite(to: identity, random: Context.system.random)
            let seconds = try await synced.session.open(invite, to: identity)
            guard isatty(1) == 1 else { return print(invite.uri) }
            if let code = QRCode(invite.uri) { print(code.terminalText()) }
            print(invite.uri)
            print("Valid for \(seconds / 60) minutes and one device. Whoever sees it can read everything.")
        }
    }
}

struct Join: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Join a space with an invite. What is in this store is merged with what the space has.")

    @OptionGroup var options: StoreOptions
    @Argument(help: "What `daybook sync invite` printed.") var uri: String
    @Option(help: "The name of this device, for your other devices. Default: the machine's.") var name: String?

    func run() async throws {
        let folder = try options.folder
        let invite = try Invite(uri: uri)
        try SyncedStore.prepare(folder)
        let device = try NewDevice(name: name ?? SyncedStore.deviceName, random: Context.system.random)
        let connection = HubConnection(try HubAddress(invite.hub), pin: invite.pin)
        let identity: SpaceIdentity
        do {
            identity = try await connection.join(device, with: invite)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
        try identity.write(inStore: folder)
        try await SyncedStore.with(folder) { try await $0.run() }
    }
}

struct Now: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Send and receive everything once.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await SyncedStore.with(options.folder) { try await $0.run() }
    }
}

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep sending and receiving as changes are made, here or elsewhere.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        try await SyncedStore.with(options.folder) { synced in
            try await Watcher(synced).run()
        }
    }
}
