import AsyncHTTPClient
import Crypto
import Daybook
import FoundationEssentials
import HubMessages
import NIOCore
import NIOHTTP1
import Sync

/// A device that pushes units of its own records, and remembers which ones were acknowledged.
actor LoadDevice {
    nonisolated let space: UUID
    private let hub: String
    private let client: HTTPClient
    private let device = UInt64.random(in: 1 ... .max)
    private let key = Curve25519.Signing.PrivateKey()
    /// Whether what fails is repeated for a minute.
    private let isPatient: Bool
    private let timeoutSeconds: Int64
    private var token = ""
    private var pushNumber: UInt64 = 0
    private var after: Int64 = 0
    private var lastTime: UInt64 = 0
    private var acknowledged: [UUID: [UInt8]] = [:]

    init(hub: String, client: HTTPClient, space: UUID, isPatient: Bool, timeoutSeconds: Int64 = 20) {
        self.hub = hub
        self.client = client
        self.space = space
        self.isPatient = isPatient
        self.timeoutSeconds = timeoutSeconds
    }

    /// An answer that was not expected.
    struct Unexpected: Error, CustomStringConvertible {
        let status: Int
        let path: String

        var description: String { "\(path) was answered with \(status)" }
    }

    /// What was acknowledged is not there.
    struct Lost: Error, CustomStringConvertible {
        let count: Int

        var description: String { "\(count) acknowledged units are missing" }
    }

    /// What the device has pulled is not what the hub reports to have.
    struct OtherDigest: Error, CustomStringConvertible {
        var description: String { "a device's digest is not the hub's" }
    }

    private var registration: DeviceRegistration {
        DeviceRegistration(
            device: device, signingKey: key.publicKey.rawRepresentation,
            agreementKey: Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
    }

    // MARK: Accounts

    func createSpace() async throws {
        let request = SpaceRequest(space: space, device: registration)
        _ = try await json("/v1/spaces", request, SpaceAnswer.self)
        try await openSession()
    }

    func join(by other: LoadDevice) async throws {
        try await other.register(registration)
        try await openSession()
    }

    private func register(_ registration: DeviceRegistration) async throws {
        let request = JoinRequest(token: nil, device: registration)
        _ = try await json("/v1/spaces/\(space)/devices", request, JoinAnswer.self, isSigned: true)
    }

    private func openSession() async throws {
        let challenge = try await json(
            "/v1/sessions/challenge", ChallengeRequest(space: space, device: device), ChallengeAnswer.self
        ).challenge
        let message = SessionRequest.signedMessage(space: space, device: device, challenge: challenge)
        let request = SessionRequest(
            space: space, device: device, challenge: challenge, signature: try key.signature(for: message))
        token = try await json("/v1/sessions", request, SessionAnswer.self).token
    }

    private func json<Answer: Decodable>(
        _ path: String, _ body: some Encodable, _ type: Answer.Type, isSigned: Bool = false
    ) async throws -> Answer {
        let content = try Array(JSONEncoder().encode(body))
        for _ in 0..<600 {
            let (status, bytes) = try await send(path, content, isSigned: isSigned)
            if 200..<300 ~= status { return try JSONDecoder().decode(type, from: Data(bytes)) }
            // Limits of requests from one address are part of the hub, also for this.
            guard status == 429 || status == 503 else { throw Unexpected(status: status, path: path) }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Unexpected(status: 429, path: path)
    }

    private func send(_ path: String, _ body: [UInt8], isSigned: Bool) async throws -> (Int, [UInt8]) {
        var request = HTTPClientRequest(url: hub + path)
        request.method = .POST
        if isSigned { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.body = .bytes(ByteBuffer(bytes: body))
        for _ in 0..<600 {
            do {
                let response = try await client.execute(request, timeout: .seconds(timeoutSeconds))
                let bytes = try await response.body.collect(upTo: 2 << 20)
                return (Int(response.status.code), Array(bytes.readableBytesView))
            } catch {
                guard isPatient else { throw error }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        throw Unexpected(status: 0, path: path)
    }

    // MARK: Units

    /// Pushes until a time.
    ///
    /// - Parameter pause: The mean of the random microseconds between two pushes.
    /// - Returns: how many microseconds each push took.
    func push(
        units: Int, bytes: Int, until end: MonotonicTime, pause: Int64 = 0, clock: SystemClock,
        counter: PushCounter? = nil
    ) async throws -> [Int64] {
        var times: [Int64] = []
        let body = (0..<bytes).map { _ in UInt8.random(in: 0...255) }
        while clock.monotonic < end {
            times.append(try await pushOnce(units: units, body: body, clock: clock))
            counter?.add()
            if pause > 0 { try await Task.sleep(for: .microseconds(Int64.random(in: 0...pause * 2))) }
        }
        return times
    }

    /// Pushes units of new records, and returns how many microseconds it took.
    func pushOnce(units: Int, body: [UInt8], clock: SystemClock = SystemClock()) async throws -> Int64 {
        let batch = (0..<units).map { _ in
            let wall = UInt64(clock.wall.microsecondsSince1970 / 1000) << 16
            lastTime = max(lastTime + 1, wall)
            let stamp = Stamp(time: lastTime, device: device)
            return SyncUnit(record: UUID(), unit: 2, key: MergeKey.latest(stamp).bytes, body: body)
        }
        pushNumber += 1
        let start = clock.monotonic
        let answer = try await sync(batch)
        let time = clock.monotonic.microseconds(since: start)
        after = answer.next
        guard isPatient else { return time }
        for (unit, result) in zip(batch, answer.results) where result == .accepted {
            acknowledged[unit.record] = unit.key
        }
        return time
    }

    private func sync(_ units: [SyncUnit]) async throws -> SyncAnswer {
        let request = SyncRequest(
            epoch: nil, pushNumber: units.isEmpty ? 0 : pushNumber, after: after, units: units
        ).encoded
        let path = "/v1/spaces/\(space)/sync"
        for _ in 0..<600 {
            let (status, bytes) = try await send(path, request, isSigned: true)
            switch status {
            case 200: return try SyncAnswer(decoding: bytes)
            case 401: try await openSession()
            case 429, 503: try await Task.sleep(for: .milliseconds(100))
            default: throw Unexpected(status: status, path: path)
            }
        }
        throw Unexpected(status: 503, path: path)
    }

    /// Pulls everything, after all devices of the space have pushed.
    ///
    /// - Returns: how many units were acknowledged.
    /// - Throws: `Lost`, `OtherDigest`.
    func checkAcknowledged() async throws -> Int {
        var missing = acknowledged
        var digest: UInt64 = 0
        after = 0
        while true {
            let answer = try await sync([])
            for unit in answer.units.map(\.unit) {
                digest &+= SyncUnit.digest(record: unit.record, unit: unit.unit, key: unit.key)
                if missing[unit.record] == unit.key { missing[unit.record] = nil }
            }
            guard answer.next < answer.head else {
                guard missing.isEmpty else { throw Lost(count: missing.count) }
                guard digest == answer.digest else { throw OtherDigest() }
                return acknowledged.count
            }
            after = answer.next
        }
    }

    /// Waits until something was pushed into the space. A device that is patient waits again when its connection ends.
    func watch() async throws {
        while true {
            var request = HTTPClientRequest(url: hub + "/v1/spaces/\(space)/watch?after=0")
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            do {
                let response = try await client.execute(request, timeout: .hours(1))
                for try await part in response.body where String(buffer: part).contains("event: head") { return }
                if response.status == .unauthorized { try await openSession() }
            } catch {
                guard isPatient, !Task.isCancelled else { throw error }
            }
            guard isPatient else { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
