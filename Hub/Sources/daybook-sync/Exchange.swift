import ArgumentParser
import CivilTime
import Daybook
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
        try await SyncedStore.with(folder) { try await $0.run() }
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

/// Syncs whenever something has changed, here or at the hub.
struct Watcher {
    private let synced: SyncedStore

    init(_ synced: SyncedStore) { self.synced = synced }

    func run() async throws {
        // What comes while a run is under way is one more run, however much it is.
        let (news, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await followStore { continuation.yield() } }
            group.addTask { try await followHub { continuation.yield() } }
            for await _ in news { try await syncUntilReached() }
            group.cancelAll()
        }
    }

    private func syncUntilReached() async throws {
        while true {
            switch try await SyncLoop(synced.replica, over: synced.session).run() {
            case .settled:
                guard try await synced.publish() else { return }
            case .held: throw SyncFailure(StatusText.held(try synced.replica.status().held ?? ""), code: 5)
            case .failed(let refusal):
                let failures = try synced.replica.status().failures
                try await wait(
                    SyncBackoff.delay(after: refusal, failures: failures, random: synced.store.context.random))
            }
        }
    }

    private func followStore(_ report: @Sendable () -> Void) async throws {
        for try await change in synced.store.changes(after: try synced.store.read({ try $0.lastSequence() })) {
            // What came from others needs no answer.
            if change.label.origin != .sync { report() }
        }
    }

    private func followHub(_ report: @Sendable () -> Void) async throws {
        var head: Int64 = -1
        while !Task.isCancelled {
            do {
                let next = try await synced.session.watch(after: head)
                if next != head { report() }
                head = next
            } catch {
                try await wait(5_000_000)
                report()
            }
        }
    }

    private func wait(_ microseconds: Int64) async throws {
        let clock = synced.store.context.clock
        try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: microseconds))
    }
}
