import ArgumentParser
import CivilTime
import Daybook
import DaybookHubSync
import FoundationEssentials
import Glibc
import HubClient
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
        try SyncedStore.prepare(folder)
        let recovery = try await StoreSync.with(folder) { sync in
            try await sync.create(at: url, pin: pin, registrationToken: registrationToken, name: name)
        }
        print(recovery)
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
        let pairing = try await StoreSync.with(options.folder) { try await $0.pair() }
        guard isatty(1) == 1 else { return print(pairing.uri) }
        if let code = QRCode(pairing.uri) { print(code.terminalText()) }
        print(pairing.uri)
        print("Valid for \(pairing.validSeconds / 60) minutes and one device. Whoever sees it can read everything.")
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
        // A text that is no invite makes no store.
        _ = try Invite(uri: uri)
        try SyncedStore.prepare(folder)
        try await StoreSync.with(folder) { try await $0.join(uri, name: name) }
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
        var delays = StoreSync.Options()
        // A person may be waiting; `BackgroundTurns` lets writes go first.
        delays.quietTime = .zero
        try await StoreSync.with(options.folder, delays) { try await $0.runUntilBlocked() }
    }
}
