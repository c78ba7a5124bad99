import CivilTime
import Daybook
import FoundationEssentials
import HubClient
import Sync
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A store that belongs to a space, with the way to its hub.
package final class SyncedStore: Sendable {
    package let folder: String
    package let store: DaybookStore
    package let replica: SyncReplica
    package let keeper: KeyKeeper
    private let connection: HubConnection
    private let current: Mutex<HubSession>
    private let wrap: StoreSync.Wrapper

    /// The conversation with the hub. A store that becomes another device begins a new one.
    package var session: HubSession { current.withLock { $0 } }

    /// The session's requests, each of which ends at once when its task is cancelled.
    var transport: any SyncTransport { CancellableTransport(base: wrap(session)) }

    private var random: any RandomSource { store.context.random }

    /// Opens the store of a folder that has an identity.
    package convenience init(at folder: String, context: Context = .system) async throws {
        try await self.init(at: folder, context: context) { $0 }
    }

    /// Opens the store of a folder that has an identity, and sends its requests through another transport.
    init(at folder: String, context: Context, wrapping wrap: @escaping StoreSync.Wrapper) async throws {
        let identity = try SpaceIdentity.read(inStore: folder)
        self.folder = folder
        self.wrap = wrap
        store = try DaybookStore.open(at: folder, context: context)
        keeper = KeyKeeper(identity, folder: folder)
        // By a clock that stands still, as in tests, it would wait forever.
        replica = store.replica(as: identity, keys: keeper, yielding: context.clock is SystemClock)
        connection = HubConnection(try HubAddress(identity.hub), pin: identity.pin)
        current = Mutex(HubSession(connection, of: identity))
        do {
            // A program that was killed between joining and this has left the store without stamps.
            if try !replica.hasBegun() { try await replica.begin(space: identity.space, device: identity.device) }
            // One that was killed when the store became another device has left it with the former number.
            try await replica.adopt(device: identity.device)
        } catch {
            // A connection that is released without being closed ends the program. The store may be an application's.
            await connection.close()
            throw error
        }
    }

    /// Makes the store if it is missing, so that its folder can hold an identity.
    package static func prepare(_ folder: String) throws {
        guard !SpaceIdentity.isThere(inStore: folder) else { throw SyncError.alreadySynced }
        try DaybookStore.open(at: folder).close()
    }

    /// Sends and receives until nothing is left.
    ///
    /// - Parameter releasing: Whether a person has asked, who may have done something about what was held.
    /// - Throws: `SyncFailure` when a person must do something; `HubRefusal`, `HubClientError`.
    package func run(releasing: Bool = true) async throws {
        if releasing { try await replica.release() }
        try await exchange()
        if try await publish() {
            try await exchange()
            try await keeper.receive(replica.spaceUnits(), for: replica)
        }
        try await finishRevocations()
    }

    /// Sends what the other devices lack of this one. After an exchange, when the hub's time is known: the stamps of such units
    /// cannot be replaced.
    ///
    /// - Returns: whether there is something to exchange.
    private func publish() async throws -> Bool {
        // Also what this device has sent, and what another process of it has received.
        let units = try replica.spaceUnits()
        try await keeper.receive(units, for: replica)
        let identity = await keeper.identity
        // Without a stamp of this moment when nothing is missing: that would be a write for each exchange.
        let none = Stamp(time: 0, device: identity.device)
        guard try !identity.missing(from: units, stamp: none, random: random).isEmpty else { return false }
        try await replica.send(identity.missing(from: units, stamp: replica.stamp(), random: random))
        return true
    }

    /// Pushes and pulls until nothing is left.
    ///
    /// - Throws: `SyncFailure` when a person must do something; `HubRefusal`.
    func exchange() async throws {
        while true {
            switch try await SyncLoop(replica, over: transport).run() {
            case .settled: return
            case .held: try await handleHold()
            case .failed(let refusal):
                try Task.checkCancellation()
                throw HubRefusal(refusal: refusal, problem: await session.problem)
            }
        }
    }

    /// Does what can be done without a person about what is held.
    ///
    /// - Throws: `SyncFailure` when a person must do something.
    func handleHold() async throws {
        guard let held = try replica.status().held else { return }
        guard held == "forked" else { throw SyncFailure.held(held) }
        try await becomeAnotherDevice()
    }

    package func close() async {
        await connection.close()
        store.close()
    }

    /// Closes the connections in the background: one that is being made takes until its timeout. The store stays open: closing it
    /// would close it for the application, too.
    func abandon() {
        Task { [connection] in await connection.close() }
    }

    /// Opens the store of a folder for one command.
    package static func with<Result>(
        _ folder: String, _ body: (SyncedStore) async throws -> Result
    ) async throws -> Result {
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

    /// The name of this machine, for people.
    package static var deviceName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "device" }
        let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.isEmpty ? "device" : text
    }
}

// MARK: Devices

extension SyncedStore {
    /// Makes this store a device by itself, since a copy of it pushes under the same number. What is not sent yet is stamped
    /// anew; the hub keeps both devices, and what either has pushed.
    ///
    /// - Throws: `SyncFailure` when the hub registers no other device.
    private func becomeAnotherDevice() async throws {
        var identity = try SpaceIdentity.read(inStore: folder)
        // Another process of this store may have done it already.
        if identity.device == session.device {
            let name = Self.deviceName
            let isTaken = identity.ring.members.contains { $0.name == name }
            let device = try NewDevice(name: isTaken ? "\(name) (copy)" : name, random: random)
            do {
                try await session.register(device)
            } catch {
                // A pattern for one case makes Swift 6.3.1 crash here.
                throw error == .limit ? SyncFailure.held("forked") : error as any Error
            }
            // The file first: a store that has another number than its file takes that of the file.
            identity = identity.copied(as: device)
            try identity.write(inStore: folder)
        }
        await keeper.use(identity)
        try await replica.adopt(device: identity.device)
        current.withLock { [connection] in $0 = HubSession(connection, of: identity) }
    }

    /// Revokes a device: at the hub, then by a key that it does not have.
    ///
    /// It is noted before, so that the next sync resumes what was interrupted.
    package func revoke(_ device: UInt64) async throws {
        try await run()
        guard await device != keeper.identity.device else { return try await session.revoke(device) }
        guard try await session.devices().devices.contains(where: { $0.registration.device.value == device }) else {
            throw HubClientError.unknownDevice
        }
        try await keeper.note(revoking: [device], isDone: false)
        try await finishRevocations()
    }

    /// Resumes what `revoke` has begun.
    func finishRevocations() async throws {
        let identity = await keeper.identity
        guard !identity.revoking.isEmpty else { return }
        for device in identity.revoking.sorted() {
            do {
                try await session.revoke(device)
            } catch {
                // A hub that was restored from before the device joined does not have it.
                guard error == .unknownDevice else { throw error }
            }
        }
        if !identity.revoking.isSubset(of: identity.ring.removed) {
            let (units, _) = try identity.rotation(
                removing: identity.revoking, stamp: await replica.stamp(), random: random)
            try await replica.send(units)
            // The new key is used once the hub has it for the others, not before: when it is received.
            try await exchange()
            try await keeper.receive(replica.spaceUnits(), for: replica)
        }
        try await keeper.note(revoking: identity.revoking, isDone: true)
    }
}
