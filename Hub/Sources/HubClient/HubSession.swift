import FoundationEssentials
import HubMessages
import Sync

/// A device's conversation with its hub: requests with a token, which is renewed when the hub no longer accepts it.
public actor HubSession {
    /// The space.
    public nonisolated let space: UUID
    /// The device.
    public nonisolated let device: UInt64
    nonisolated let connection: HubConnection
    private nonisolated let keys: DeviceKeys
    private var token: Token?
    /// The renewal that is under way, which all requests wait for.
    private var renewal: Task<Result<Token, HubClientError>, Never>?
    /// What the last request failed with, for people; nil after a success.
    public private(set) var problem: HubClientError?

    private struct Token: Hashable {
        let text: String
        let hub: HubAddress
    }

    /// How many seconds a request for changes waits.
    private static let watchSeconds = 25

    /// A session, without asking the hub yet.
    public init(_ connection: HubConnection, space: UUID, device: UInt64, keys: DeviceKeys) {
        self.connection = connection
        self.space = space
        self.device = device
        self.keys = keys
    }

    /// The session of a device.
    public init(_ connection: HubConnection, of identity: SpaceIdentity) {
        self.init(connection, space: identity.space, device: identity.device, keys: identity.keys)
    }

    // MARK: Requests

    nonisolated var path: String { "/v1/spaces/\(space.uuidString.lowercased())" }

    /// Sends a request with a token. When the hub does not accept it, another token is asked for, once.
    func send(
        _ method: HubMethod, _ path: String, _ request: HubRequest
    ) async throws(HubClientError) -> [UInt8] {
        let first = try await currentToken(after: nil)
        do {
            return try await attempt(method, path, request, first)
        } catch .refused(.unauthorized) {
            let second = try await currentToken(after: first)
            do {
                return try await attempt(method, path, request, second)
            } catch {
                // The space moved meanwhile: that is no word about this device.
                if error == .refused(.unauthorized), second.hub != connection.hub { throw .refused(.unavailable) }
                throw error
            }
        }
    }

    private func attempt(
        _ method: HubMethod, _ path: String, _ request: HubRequest, _ token: Token
    ) async throws(HubClientError) -> [UInt8] {
        var request = request
        (request.token, request.hub) = (token.text, token.hub)
        do {
            let answer = try await connection.send(method.http, path, request)
            problem = nil
            return answer
        } catch {
            problem = error
            throw error
        }
    }

    /// The token, unless it is the one that the hub has refused.
    private func currentToken(after refused: Token?) async throws(HubClientError) -> Token {
        if let token, token != refused { return token }
        let task =
            renewal
            ?? Task { [connection, space, device, keys] in
                do throws(HubClientError) {
                    return .success(try await Self.authenticate(connection, space: space, device: device, keys: keys))
                } catch {
                    return .failure(error)
                }
            }
        renewal = task
        let result = await task.value
        if renewal == task { renewal = nil }
        switch result {
        case .success(let new): token = new
        case .failure(let error):
            token = nil
            problem = error
        }
        return try result.get()
    }

    /// Proves to the hub that this device has its signing key.
    private static func authenticate(
        _ connection: HubConnection, space: UUID, device: UInt64, keys: DeviceKeys
    ) async throws(HubClientError) -> Token {
        let challenge = try HubRequest.read(
            ChallengeAnswer.self,
            try await connection.send(
                .POST, "/v1/sessions/challenge", HubRequest(json: ChallengeRequest(space: space, device: device)))
        ).challenge
        let message = SessionRequest.signedMessage(space: space, device: device, challenge: challenge)
        guard let signature = try? keys.sign(Array(message)) else { throw .refused(.unauthorized) }
        let request = SessionRequest(
            space: space, device: device, challenge: challenge, signature: Data(signature))
        let answer = try await connection.openSession(HubRequest(json: request))
        return Token(text: try HubRequest.read(SessionAnswer.self, answer.body).token, hub: answer.hub)
    }
}

// MARK: Sync

extension HubSession: SyncTransport {
    /// Pushes and pulls in one round trip.
    public func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        let body = try await message("sync", request.encoded)
        do {
            return try SyncAnswer(decoding: body)
        } catch {
            throw noHub()
        }
    }

    /// Fetches records by their names.
    public func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer {
        let body = try await message("records", request.encoded)
        do {
            return try RecordsAnswer(decoding: body)
        } catch {
            throw noHub()
        }
    }

    /// Returns the space's head as soon as it is not `sequence`, or after 25 seconds.
    public func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 {
        do {
            let body = try await send(
                .get, "\(path)/watch?after=\(sequence)&wait=\(Self.watchSeconds)",
                HubRequest(waitSeconds: Self.watchSeconds))
            return try HubRequest.read(Head.self, body).head
        } catch {
            throw error.refusal
        }
    }

    private func message(_ name: String, _ content: [UInt8]) async throws(SyncRefusal) -> [UInt8] {
        do {
            return try await send(.post, "\(path)/\(name)", HubRequest(message: content, token: nil))
        } catch {
            throw error.refusal
        }
    }

    private func noHub() -> SyncRefusal {
        problem = .notAHub(status: 200)
        return .unavailable
    }
}
