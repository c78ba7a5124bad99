import Crypto
import Daybook
import EmbeddedHub
import Foundation
import HTTPTypes
import HubCore
import HubMessages
import HubTestSupport
import Hummingbird
import HummingbirdTesting
import Logging
import Sync
import Synchronization

@testable import HubServer

/// A hub's server over a store in a temporary folder, with a clock that is set.
struct ServerFixture: Sendable {
    let client: any TestClientProtocol
    let clock: SettableClock
    let log: CapturedLog
    let hub: Hub
    let space = TestHub.uuid(42)

    static func run(
        _ setup: TestingSetup = .router, settings: HubSettings = HubSettings(),
        clock: SettableClock = SettableClock(TestHub.start),
        storage wrap: @Sendable (any HubStorage) -> any HubStorage = { $0 },
        _ body: @escaping @Sendable (ServerFixture) async throws -> Void
    ) async throws {
        try await TestStorage.embedded.with { base in
            let storage = wrap(base)
            let log = CapturedLog()
            var settings = settings
            settings.port = 0
            let logger = Logger(label: "test") { _ in
                StructuredLog(level: .debug, clock: clock) { line in log.add(line) }
            }
            let random = SeededRandomSource(seed: 5)
            let server = try await HubApplication(
                storage: storage, settings: settings, clock: clock, random: random, logger: logger)
            let hub = Hub(
                storage: storage, now: { clock.wall.microsecondsSince1970 }, random: { random.next() })
            try await server.application.test(setup) { client in
                try await body(ServerFixture(client: client, clock: clock, log: log, hub: hub))
            }
        }
    }

    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
        let headers: HTTPFields

        var refusal: SyncRefusal { SyncRefusal(status: status, body: body) }

        func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: Data(body))
        }
    }

    func request(
        _ method: HTTPRequest.Method, _ path: String, token: String? = nil, body: [UInt8] = []
    ) async throws -> Answer {
        var headers = HTTPFields()
        if let token { headers[.authorization] = "Bearer \(token)" }
        let response = try await client.executeRequest(
            uri: path, method: method, headers: headers, body: ByteBuffer(bytes: body))
        return Answer(
            status: response.status.code, body: Array(response.body.readableBytesView), headers: response.headers)
    }

    func post(_ path: String, _ value: some Encodable, token: String? = nil) async throws -> Answer {
        try await request(.post, path, token: token, body: Array(JSONEncoder().encode(value)))
    }

    // MARK: Devices

    static func key(_ device: UInt64) -> Curve25519.Signing.PrivateKey {
        let seed = Data(repeating: UInt8(truncatingIfNeeded: device), count: 32)
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
            return Curve25519.Signing.PrivateKey()
        }
        return key
    }

    static func registration(_ device: UInt64) -> DeviceRegistration {
        DeviceRegistration(
            device: device, signingKey: key(device).publicKey.rawRepresentation,
            agreementKey: Data(repeating: 1, count: 32))
    }

    func createSpace() async throws -> String {
        let created = try await post("/v1/spaces", SpaceRequest(space: space, device: Self.registration(1)))
        guard created.status == 201 else { throw created.refusal }
        return try await openSession()
    }

    func challenge(_ device: UInt64 = 1) async throws -> Data {
        try await post("/v1/sessions/challenge", ChallengeRequest(space: space, device: device))
            .json(ChallengeAnswer.self).challenge
    }

    func sessionRequest(_ device: UInt64, _ challenge: Data, key: UInt64? = nil) throws -> SessionRequest {
        let message = SessionRequest.signedMessage(space: space, device: device, challenge: challenge)
        return SessionRequest(
            space: space, device: device, challenge: challenge,
            signature: try Self.key(key ?? device).signature(for: message))
    }

    func openSession(_ device: UInt64 = 1) async throws -> String {
        let answer = try await post("/v1/sessions", sessionRequest(device, try await challenge(device)))
        guard answer.status == 200 else { throw answer.refusal }
        return try answer.json(SessionAnswer.self).token
    }

    func sync(_ request: SyncRequest, token: String) async throws -> Answer {
        try await self.request(.post, "/v1/spaces/\(space)/sync", token: token, body: request.encoded)
    }

    func unit(_ record: UInt64, body: [UInt8] = [1]) -> SyncUnit {
        let stamp = Stamp(time: UInt64(clock.wall.microsecondsSince1970 / 1000) << 16, device: 1)
        return SyncUnit(record: TestHub.uuid(record), unit: 2, key: MergeKey.latest(stamp).bytes, body: body)
    }

    func push(_ record: UInt64, number: UInt64, token: String, body: [UInt8] = [1]) async throws -> SyncAnswer {
        let answer = try await sync(
            SyncRequest(epoch: nil, pushNumber: number, after: 0, units: [unit(record, body: body)]), token: token)
        guard answer.status == 200 else { throw answer.refusal }
        return try SyncAnswer(decoding: answer.body)
    }
}

/// The lines of a log.
final class CapturedLog: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func add(_ line: String) { state.withLock { $0.append(line) } }
}
