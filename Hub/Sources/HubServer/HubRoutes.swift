import Daybook
import FoundationEssentials
import HTTPTypes
import HubCore
import HubMessages
import Hummingbird
import HummingbirdCore
import Logging
import ServiceLifecycle
import Sync

/// The requests that a hub answers. Sources/HubMessages/README.md describes each.
struct HubRoutes: Sendable {
    let hub: Hub
    let settings: HubSettings
    let clock: any TimeSource
    let sessions: Sessions
    let watchers: Watchers
    let metrics: HubMetrics
    let gate: StorageGate
    let devices: RateLimiter<Session.Identity>
    let networks: RateLimiter<ClientNetwork>
    /// Counted apart, so that whoever uses up the limit of a network does not let its hub look broken.
    let probes: RateLimiter<ClientNetwork>
    let health: HealthCheck

    init(hub: Hub, settings: HubSettings, clock: any TimeSource, sessions: Sessions) {
        self.hub = hub
        self.settings = settings
        self.clock = clock
        self.sessions = sessions
        watchers = Watchers()
        metrics = HubMetrics()
        gate = StorageGate(settings.storageLimit, queueLimit: settings.queueLimit)
        devices = RateLimiter(settings.deviceRate, clock: clock)
        networks = RateLimiter(settings.addressRate, clock: clock)
        probes = RateLimiter(settings.addressRate, clock: clock)
        health = HealthCheck(clock: clock) {
            (try? await hub.storage.read { _ = try $0.setting("secret") }) != nil
        }
    }

    func router(logger: Logger) -> Router<HubContext> {
        let router = Router(context: HubContext.self)
        router.add(middleware: RequestObserver(metrics: metrics, logger: logger, clock: clock))
        router.get("health") { _, context in try await healthAnswer(context) }
        router.get("metrics") { _, context in try await metricsText(context) }
        let version = router.group("v1")
        version.post("spaces") { try await createSpace($0, $1) }
        version.post("spaces/:space/invites") { try await invite($0, $1) }
        version.post("spaces/:space/devices") { try await join($0, $1) }
        version.get("spaces/:space/devices") { try await listDevices($0, $1) }
        version.delete("spaces/:space/devices/:device") { try await revoke($0, $1) }
        version.post("sessions/challenge") { try await challenge($0, $1) }
        version.post("sessions") { try await openSession($0, $1) }
        version.post("spaces/:space/sync") { try await sync($0, $1) }
        version.post("spaces/:space/records") { try await records($0, $1) }
        version.get("spaces/:space/watch") { try await watch($0, $1) }
        return router
    }

    private var now: Int64 { clock.wall.microsecondsSince1970 }

    // MARK: Who asks

    /// The session of a request, for the space in its path.
    ///
    /// - Throws: `SyncRefusal`.
    func session(_ request: Request, _ context: HubContext) throws -> Session {
        let space = try space(context)
        guard let token = request.token else { throw SyncRefusal.unauthorized }
        let session = try sessions.session(of: token)
        guard space == session.space else { throw SyncRefusal.forbidden }
        if let seconds = devices.take(session.identity) { throw SyncRefusal.busy(retryAfter: seconds) }
        return session
    }

    private func space(_ context: HubContext) throws -> UUID {
        guard let space = context.parameters.get("space").flatMap({ UUID(uuidString: $0) }) else {
            throw SyncRefusal.malformed
        }
        try expect(space)
        return space
    }

    /// Checks that this hub has a space, if there is one.
    ///
    /// - Throws: `Misdirected`; `SyncRefusal.unavailable` while the space is moving.
    private func expect(_ space: UUID) throws {
        switch settings.place(space) {
        case .here: break
        case .moving: throw SyncRefusal.unavailable
        case .elsewhere(let address): throw Misdirected(address: address)
        }
    }

    /// Counts a request of somebody unknown.
    private func limit(_ context: HubContext) throws {
        if let seconds = networks.take(context.network) { throw SyncRefusal.busy(retryAfter: seconds) }
    }

    /// Runs what uses the storage when it is its turn.
    private func storing<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        guard let result = try await gate.run(body) else { throw SyncRefusal.unavailable }
        return result
    }

    // MARK: Accounts

    private func createSpace(_ request: Request, _ context: HubContext) async throws -> Response {
        try limit(context)
        if let expected = settings.registrationToken {
            guard let token = request.token, token.isEqualInConstantTime(to: expected) else {
                throw AccountRefusal.registration
            }
        }
        let body = try await request.json(SpaceRequest.self, limit: HubLimits.accountMessageLimit)
        try expect(body.space)
        let answer = try await storing { try await hub.createSpace(body) }
        return try .json(answer, status: .created)
    }

    private func invite(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try session(request, context)
        let body = try await request.json(InviteRequest.self, limit: HubLimits.accountMessageLimit)
        let answer = try await storing { try await hub.invite(body, space: session.space, device: session.device) }
        return try .json(answer, status: .created)
    }

    private func join(_ request: Request, _ context: HubContext) async throws -> Response {
        if request.token == nil { try limit(context) }
        let space = try space(context)
        let sponsor = request.token == nil ? nil : try session(request, context).device
        let body = try await request.json(JoinRequest.self, limit: HubLimits.accountMessageLimit)
        let answer = try await storing { [sponsor] in try await hub.join(body, space: space, sponsor: sponsor) }
        return try .json(answer, status: .created)
    }

    private func listDevices(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try session(request, context)
        return try .json(try await storing { try await hub.devices(of: session.space, device: session.device) })
    }

    private func revoke(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try session(request, context)
        guard let device = context.parameters.get("device").flatMap({ UInt64($0) }) else {
            throw SyncRefusal.malformed
        }
        try await storing { try await hub.revoke(device, in: session.space, device: session.device) }
        watchers.end(device: device, of: session.space)
        return Response(status: .noContent)
    }

    private func challenge(_ request: Request, _ context: HubContext) async throws -> Response {
        try limit(context)
        let body = try await request.json(ChallengeRequest.self, limit: HubLimits.accountMessageLimit)
        try expect(body.space)
        return try .json(ChallengeAnswer(challenge: sessions.challenge(for: body), time: now))
    }

    private func openSession(_ request: Request, _ context: HubContext) async throws -> Response {
        try limit(context)
        let body = try await request.json(SessionRequest.self, limit: HubLimits.accountMessageLimit)
        try expect(body.space)
        let device = try await storing { try await hub.device(body.device.value, of: body.space) }
        try sessions.check(body, signingKey: device.registration.signingKey)
        let token = try sessions.token(space: body.space, device: body.device.value)
        return try .json(SessionAnswer(token: token, seconds: HubLimits.sessionSeconds, time: now))
    }

    // MARK: Units

    private func sync(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try session(request, context)
        let bytes = try await request.bytes(limit: SyncProtocol.messageLimit)
        let body: SyncRequest
        do {
            body = try SyncRequest(decoding: bytes)
        } catch {
            throw SyncRefusal.malformed
        }
        let answer = try await storing { try await hub.sync(body, space: session.space, device: session.device) }
        watchers.raise(session.space, to: answer.head)
        if !answer.results.isEmpty { hub.storage.announce(SpaceHead(session.space, answer.head)) }
        let message = answer.encoded
        metrics.add("hub_received_bytes_total", [:], Double(bytes.count))
        metrics.add("hub_sent_bytes_total", [:], Double(message.count))
        metrics.add("hub_pulled_units_total", [:], Double(answer.units.count))
        for (result, units) in Dictionary(grouping: answer.results, by: \.self) {
            metrics.add("hub_pushed_units_total", ["result": "\(result)"], Double(units.count))
        }
        return .message(message)
    }

    private func records(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try session(request, context)
        let bytes = try await request.bytes(limit: HubLimits.accountMessageLimit)
        let body: RecordsRequest
        do {
            body = try RecordsRequest(decoding: bytes)
        } catch {
            throw SyncRefusal.malformed
        }
        let answer = try await storing {
            try await hub.records(body, space: session.space, device: session.device)
        }
        metrics.add("hub_pulled_units_total", [:], Double(answer.units.count))
        return .message(answer.encoded)
    }

    private func watch(_ request: Request, _ context: HubContext) async throws -> Response {
        let session = try session(request, context)
        let query = request.uri.queryParameters
        guard let after = query["after"].flatMap({ Int64($0) }) else { throw SyncRefusal.malformed }
        var seconds: Int64?
        if let wait = query["wait"] {
            guard let value = Int64(wait), 1...60 ~= value else { throw SyncRefusal.malformed }
            seconds = value
        }
        let watcher = watchers.begin(session)
        let head: Int64
        do {
            head = try await storing { try await hub.head(of: session.space, device: session.device) }
        } catch {
            watchers.end(watcher)
            throw error
        }
        watchers.raise(session.space, to: head)
        if let seconds {
            defer { watchers.end(watcher) }
            return try .json(Head(head: await change(watcher, after: after, head: head, seconds: seconds)))
        }
        return stream(watcher, request, after: after, head: head)
    }

    /// Waits for another head than the device's.
    private func change(_ watcher: Watchers.Watcher, after: Int64, head: Int64, seconds: Int64) async -> Int64 {
        guard head == after else { return head }
        let end = clock.monotonic.advanced(byMicroseconds: seconds * 1_000_000)
        return await withGracefulShutdownHandler {
            await withTaskGroup(of: Int64?.self) { group in
                group.addTask { await watcher.heads.first { $0 != after } }
                group.addTask { [clock] in
                    try? await clock.sleep(until: end)
                    return nil
                }
                let first = await group.next() ?? nil
                group.cancelAll()
                return first ?? after
            }
        } onGracefulShutdown: {
            watcher.end()
        }
    }

    /// Server-sent events until the device goes, its session expires, or the hub stops.
    private func stream(
        _ watcher: Watchers.Watcher, _ request: Request, after: Int64, head: Int64
    ) -> Response {
        let body = ResponseBody { writer in
            defer { watchers.end(watcher) }
            var last = after
            try await writer.write(Self.event(head, after: &last))
            try await withGracefulShutdownHandler {
                try await request.body.consumeWithInboundCloseHandler { _ in
                    for await head in watcher.heads { try await writer.write(Self.event(head, after: &last)) }
                } onInboundClosed: {
                    watcher.end()
                }
            } onGracefulShutdown: {
                watcher.end()
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
    }

    /// A head that is new, or a sign of life.
    private static func event(_ head: Int64, after last: inout Int64) -> ByteBuffer {
        guard head != last else { return ByteBuffer(string: ": alive\n\n") }
        last = head
        return ByteBuffer(string: "event: head\ndata: {\"head\":\(head)}\n\n")
    }

    // MARK: Operation

    private func healthAnswer(_ context: HubContext) async throws -> Response {
        if let seconds = probes.take(context.network) { throw SyncRefusal.busy(retryAfter: seconds) }
        guard await health.isStorageAvailable() else {
            return try .json(Health(status: "unavailable"), status: .serviceUnavailable)
        }
        return try .json(Health(status: "ok"))
    }

    private func metricsText(_ context: HubContext) async throws -> Response {
        guard context.address.map(HubSettings.isLoopback) ?? true else { throw HTTPError(.notFound) }
        var gauges = [
            (name: "hub_watchers", value: Double(watchers.count)),
            (name: "hub_listening", value: hub.storage.isListening ? 1 : 0),
            (name: "hub_storage_waiting", value: Double(gate.waiting)),
        ]
        // Without the sizes when the storage does not answer: the rest is wanted then most of all.
        if let sizes = try? await hub.sizes() {
            gauges += [
                (name: "hub_spaces", value: Double(sizes.spaces)),
                (name: "hub_devices", value: Double(sizes.devices)),
                (name: "hub_stored_bytes", value: Double(sizes.bytes)),
            ]
        }
        let text = metrics.text(gauges: gauges, storage: hub.storage.counters)
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension Session {
    /// The device of a session, for limits.
    struct Identity: Sendable, Hashable {
        let space: UUID
        let device: UInt64
    }

    var identity: Identity { Identity(space: space, device: device) }
}

extension String {
    /// Compares secrets without showing by the time how far they agree.
    fileprivate func isEqualInConstantTime(to other: String) -> Bool {
        let (left, right) = (Array(utf8), Array(other.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
