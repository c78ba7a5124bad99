import Daybook
import FoundationEssentials
import HubClient
import Sync

/// Keeps a store in sync with its hub in the process of an application.
///
///     let sync = StoreSync(store)
///     try await sync.join("daybook://join?…")
///     await sync.start()
///     for await status in sync.statuses { show(status) }
///
/// Changes are exchanged at once, after writes, when the hub has changes of other devices, and after an interval. While the
/// hub cannot be reached, the service tries again after 1 to 30 seconds. The store can be used, and opened, before and after it
/// joins its space.
///
/// Time and randomness are those of the store's context. Errors and statuses contain no text of a user.
public actor StoreSync: SyncService {
    /// When changes are exchanged.
    public struct Options: Sendable, Hashable {
        /// How long nothing is written before what was written is exchanged.
        public var quietTime: Duration = .milliseconds(500)
        /// By how much writes that follow one another delay an exchange at most.
        public var longestDelay: Duration = .seconds(2)
        /// The time between two exchanges when nothing changes.
        public var interval: Duration = .seconds(300)

        /// The defaults.
        public init() {}
    }

    /// What another device needs to join.
    public struct Pairing: Sendable, Hashable {
        /// The URI, to be shown to the other device and to nobody else: whoever has it can read everything.
        public let uri: String
        /// For how many seconds, and for one device, the hub accepts it.
        public let validSeconds: Int
    }

    typealias Wrapper = @Sendable (any SyncTransport) -> any SyncTransport

    private let store: DaybookStore
    private let options: Options
    private let wrap: Wrapper
    private nonisolated let board: StatusBoard
    private var isStarted = false
    private var running: (run: SyncRun, task: Task<Void, Never>)?
    private var single: Task<Void, Never>?

    /// Creates the service of a store. It exchanges nothing before it is started or asked to.
    public init(_ store: DaybookStore, options: Options = Options()) {
        self.init(store, options: options) { $0 }
    }

    /// Creates a service whose requests pass through another transport: for tests.
    package init(
        _ store: DaybookStore, options: Options = Options(),
        wrapping wrap: @escaping @Sendable (any SyncTransport) -> any SyncTransport
    ) {
        self.store = store
        self.options = options
        self.wrap = wrap
        board = StatusBoard(SyncStatus(SpaceIdentity.isThere(inStore: store.path) ? .idle : .notJoined))
    }

    deinit {
        running?.task.cancel()
        single?.cancel()
    }

    // MARK: Status

    /// The status now and after each change of it.
    public nonisolated var statuses: AsyncStream<SyncStatus> { board.statuses }

    /// The status now.
    public nonisolated var status: SyncStatus { board.status }

    /// Why nothing is exchanged before a person does something; nil while the service continues by itself.
    package nonisolated var blocked: SyncFailure? { board.blocked }

    // MARK: Exchanges

    /// Begins to exchange changes. A store without a space begins when it joins one.
    public func start() {
        isStarted = true
        if let running, !running.run.hasEnded { return }
        guard isJoined else { return board.show(.notJoined) }
        let run = SyncRun(store, options, board, wrap)
        running = (run, Task { await run.run() })
    }

    /// Ends exchanges, also one that is under way, and returns when none runs.
    public func stop() async {
        isStarted = false
        let tasks = [running?.task, single].compactMap { $0 }
        running = nil
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Exchanges everything now, also what was refused before.
    ///
    /// - Returns: The status after the exchange.
    @discardableResult
    public func now() async -> SyncStatus {
        if let running, !running.run.hasEnded { return await running.run.request() }
        guard isJoined else {
            board.show(.notJoined)
            return board.status
        }
        let run = SyncRun(store, options, board, wrap)
        let task = single ?? Task { await run.runOnce() }
        single = task
        await task.value
        if single == task { single = nil }
        return board.status
    }

    private var isJoined: Bool { SpaceIdentity.isThere(inStore: store.path) }

    // MARK: Spaces

    /// Creates a space at a hub, with this store as its first device.
    ///
    /// - Parameters:
    ///   - hub: The address of the hub, such as `https://sync.example.org`.
    ///   - pin: The pin of the hub's certificate, for one that no public authority vouches for.
    ///   - registrationToken: What the hub's operator asks for, if anything.
    ///   - name: The name of this device for the others; by default the machine's.
    /// - Returns: The recovery key, to be kept on paper. It opens the space when every device is lost.
    /// - Throws: `SyncError.alreadySynced`, `HubClientError`, `IdentityError`.
    public func create(
        at hub: String, pin: String? = nil, registrationToken: String? = nil, name: String? = nil
    ) async throws -> String {
        guard !isJoined else { throw SyncError.alreadySynced }
        let address = try HubAddress(hub)
        let pin = try pin.map { text in
            guard let pin = CertificatePin(text: text) else { throw HubClientError.invalidPin }
            return pin
        }
        let (identity, recovery) = try SpaceIdentity.create(
            hub: address.description, pin: pin, name: name ?? SyncedStore.deviceName, random: store.context.random)
        try await Self.withConnection(to: address, pin: pin) { connection in
            try await connection.createSpace(of: identity, recovery: recovery, registrationToken: registrationToken)
        }
        try identity.write(inStore: store.path)
        begin()
        return recovery.text
    }

    /// Joins the space of an invite. What is in the store is merged with what the space has.
    ///
    /// - Parameters:
    ///   - uri: What ``pair()`` or `daybook sync invite` returned on another device.
    ///   - name: The name of this device for the others; by default the machine's.
    /// - Throws: `SyncError.alreadySynced`, `HubClientError`, `IdentityError`.
    public func join(_ uri: String, name: String? = nil) async throws {
        guard !isJoined else { throw SyncError.alreadySynced }
        let invite = try Invite(uri: uri)
        let device = try NewDevice(name: name ?? SyncedStore.deviceName, random: store.context.random)
        let identity = try await Self.withConnection(to: HubAddress(invite.hub), pin: invite.pin) { connection in
            try await connection.join(device, with: invite)
        }
        try identity.write(inStore: store.path)
        begin()
    }

    /// Invites another device to the space of this store.
    ///
    /// - Throws: `IdentityError.notJoined` before the store has joined a space; `HubClientError`.
    public func pair() async throws -> Pairing {
        let identity = try SpaceIdentity.read(inStore: store.path)
        let invite = Invite(to: identity, random: store.context.random)
        let seconds = try await Self.withConnection(to: HubAddress(identity.hub), pin: identity.pin) { connection in
            try await HubSession(connection, of: identity).open(invite, to: identity)
        }
        return Pairing(uri: invite.uri, validSeconds: seconds)
    }

    /// Shows that the store has joined, and exchanges if the service was started before.
    private func begin() {
        board.show(.idle)
        if isStarted { start() }
    }

    private static func withConnection<Result: Sendable>(
        to address: HubAddress, pin: CertificatePin?, _ body: @Sendable (HubConnection) async throws -> Result
    ) async throws -> Result {
        let connection = HubConnection(address, pin: pin)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }
}
