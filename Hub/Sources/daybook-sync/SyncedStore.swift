import CivilTime
import Daybook
import FoundationEssentials
import Glibc
import HubClient
import Sync

/// A store that belongs to a space, with the way to its hub.
final class SyncedStore: Sendable {
    let folder: String
    let store: DaybookStore
    let replica: SyncReplica
    let session: HubSession
    let connection: HubConnection
    let keeper: KeyKeeper

    /// Opens the store of a folder that has an identity.
    init(at folder: String) async throws {
        let identity = try SpaceIdentity.read(inStore: folder)
        self.folder = folder
        store = try DaybookStore.open(at: folder)
        keeper = KeyKeeper(identity, folder: folder)
        replica = store.replica(as: identity, keys: keeper)
        connection = HubConnection(try HubAddress(identity.hub), pin: identity.pin)
        session = HubSession(connection, of: identity)
        // A program that was killed between joining and this has left the store without stamps.
        if try !replica.hasBegun() {
            try await replica.begin(space: identity.space, device: identity.device)
        }
    }

    /// Makes the store if it is missing, so that its folder can hold an identity.
    static func prepare(_ folder: String) throws {
        guard !SpaceIdentity.isThere(inStore: folder) else { throw SyncError.alreadySynced }
        try DaybookStore.open(at: folder).close()
    }

    /// Sends and receives until nothing is left, and ends with the exit code that says so.
    func run() async throws {
        // Whoever asks may have done something about what was held.
        try await replica.release()
        try await exchange()
        if try await publish() {
            try await exchange()
            try await keeper.receive(replica.spaceUnits(), for: replica)
        }
    }

    /// Sends what the other devices lack of this one. After an exchange, when the hub's time is known: the stamps of such units
    /// cannot be replaced.
    ///
    /// - Returns: whether there is something to exchange.
    func publish() async throws -> Bool {
        // Also what this device has sent, and what another process of it has received.
        let units = try replica.spaceUnits()
        try await keeper.receive(units, for: replica)
        let identity = await keeper.identity
        let random = Context.system.random
        // Without a stamp of this moment when nothing is missing: that would be a write for each exchange.
        let none = Stamp(time: 0, device: identity.device)
        guard try !identity.missing(from: units, stamp: none, random: random).isEmpty else { return false }
        try await replica.send(identity.missing(from: units, stamp: replica.stamp(), random: random))
        return true
    }

    private func exchange() async throws {
        let ending = try await SyncLoop(replica, over: session).run()
        switch ending {
        case .settled: return
        case .held:
            let held = try replica.status().held ?? ""
            throw SyncFailure(StatusText.held(held), code: 5)
        case .failed(let refusal):
            let problem = await session.problem
            throw SyncFailure(problem.map { "\($0)" } ?? StatusText.refusal(refusal), code: 3)
        }
    }

    func close() async {
        await connection.close()
        store.close()
    }

    /// Opens the store of a folder for one command.
    static func with<Result>(_ folder: String, _ body: (SyncedStore) async throws -> Result) async throws -> Result {
        let opened = try await SyncedStore(at: folder)
        do {
            let result = try await body(opened)
            await opened.close()
            return result
        } catch {
            await opened.close()
            throw error
        }
    }

    static var deviceName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "device" }
        let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.isEmpty ? "device" : text
    }
}

/// The identity of a store in memory and in its file; both change when other devices pass on keys.
actor KeyKeeper: KeyKeeping {
    private(set) var identity: SpaceIdentity
    private let folder: String

    init(_ identity: SpaceIdentity, folder: String) {
        self.identity = identity
        self.folder = folder
    }

    func receive(_ units: [SyncUnit], for replica: SyncReplica) async throws {
        let before = identity.ring
        // Another process of this device may have received keys.
        identity = (try? SpaceIdentity.read(inStore: folder)) ?? identity
        let isNew = identity.receive(units)
        guard isNew || identity.ring != before else { return }
        try identity.write(inStore: folder)
        try await replica.adopt(identity.sealing)
    }
}
