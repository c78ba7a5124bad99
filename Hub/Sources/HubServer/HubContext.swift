import FoundationEssentials
import HTTPTypes
import HubCore
import Hummingbird
import HummingbirdCore
import NIOCore
import Sync

/// What a request brings besides its content.
public struct HubContext: RequestContext {
    /// What Hummingbird keeps for a request.
    public var coreContext: CoreRequestContextStorage
    /// The address that it comes from; nil in tests, and for a socket of the file system.
    let address: String?
    /// Who is counted for it without a session.
    let network: ClientNetwork

    /// A context of a connection.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address = source.channel.remoteAddress?.ipAddress
        network = ClientNetwork(source.channel.remoteAddress)
    }
}

extension Request {
    /// The body.
    ///
    /// - Throws: `SyncRefusal.tooLarge`.
    func bytes(limit: Int) async throws -> [UInt8] {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw SyncRefusal.tooLarge }
        do {
            return try await Array(body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw SyncRefusal.tooLarge
        }
    }

    /// The body in JSON.
    ///
    /// - Throws: `SyncRefusal.malformed`, `SyncRefusal.tooLarge`.
    func json<Value: Decodable>(_ type: Value.Type, limit: Int) async throws -> Value {
        let bytes = try await bytes(limit: limit)
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw SyncRefusal.malformed
        }
    }

    /// The bearer token.
    var token: String? {
        guard let value = headers[.authorization], value.lowercased().hasPrefix("bearer ") else { return nil }
        return String(value.dropFirst("bearer ".count))
    }
}

extension Response {
    /// An answer in JSON.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(value))))
    }

    /// A message of the sync protocol.
    static func message(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/octet-stream"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// An answer that says no.
    static func refusal(_ refusal: SyncRefusal) -> Response {
        var response = message(refusal.encoded, status: HTTPResponse.Status(code: refusal.status))
        switch refusal {
        case .busy(let seconds): response.headers[.retryAfter] = "\(seconds)"
        case .unavailable: response.headers[.retryAfter] = "1"
        default: break
        }
        return response
    }

    /// An answer that says no to what concerns accounts.
    static func refusal(_ refusal: AccountRefusal) -> Response {
        var response = message([], status: HTTPResponse.Status(code: refusal.status))
        if let name = HTTPField.Name("Daybook-Reason") { response.headers[name] = refusal.rawValue }
        return response
    }
}

/// Another hub has the space.
struct Misdirected: Error {
    /// Its address.
    let address: String

    /// 421, the status for a server that does not answer for what was asked; with the address in `Daybook-Hub`.
    var response: Response {
        var response = Response(status: .misdirectedRequest)
        if let name = HTTPField.Name("Daybook-Hub") { response.headers[name] = address }
        return response
    }
}
