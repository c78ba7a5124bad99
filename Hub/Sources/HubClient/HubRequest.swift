import FoundationEssentials
import HubMessages
import NIOHTTP1
import Sync

/// What is sent to a hub, and how its answers are read.
struct HubRequest: Sendable {
    var token: String?
    /// The hub that has given the token, if it is one of a session; no other one is sent it.
    var hub: HubAddress?
    var body: [UInt8]?
    var contentType = "application/octet-stream"
    /// How long the hub may think it over.
    var waitSeconds = 0

    /// How many bytes of an answer are read: the records of a request may have a byte limit's worth of units, and a
    /// list all devices.
    static let answerLimit = SyncProtocol.messageLimit + 1 << 20

    /// The status of a hub that does not have the space.
    static let misdirected = 421

    /// A request without a body.
    init(token: String? = nil, waitSeconds: Int = 0) {
        self.token = token
        self.waitSeconds = waitSeconds
    }

    /// A request with a message of the sync protocol.
    init(message: [UInt8], token: String?) {
        self.token = token
        body = message
    }

    /// A request in JSON.
    init(json: some Encodable, token: String? = nil) throws(HubClientError) {
        self.token = token
        contentType = "application/json"
        do {
            body = Array(try JSONEncoder().encode(json))
        } catch {
            throw .refused(.malformed)
        }
    }

    /// Reads JSON of an answer.
    static func read<Value: Decodable>(_ type: Value.Type, _ body: [UInt8]) throws(HubClientError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            throw .notAHub(status: 200)
        }
    }

    /// The hub that has the space, if another one does.
    static func otherHub(_ status: Int, _ headers: HTTPHeaders) -> HubAddress? {
        status == misdirected ? headers.first(name: "Daybook-Hub").flatMap { try? HubAddress($0) } : nil
    }

    /// What a status and a body mean.
    ///
    /// A hub names the type of its refusals. Where a proxy answers 403 or 404 instead, because the hub behind it is
    /// down or the address is wrong, a device must not conclude that it was revoked or that its space is gone.
    static func refusal(_ status: Int, _ headers: HTTPHeaders, _ body: [UInt8]) -> HubClientError {
        switch headers.first(name: "Daybook-Reason") {
        case "conflict": return .conflict
        case "invite": return .invite
        case "device": return .unknownDevice
        case "registration": return .registration
        case "limit": return .limit
        default: break
        }
        let isOfHub = headers.first(name: "Content-Type")?.hasPrefix("application/octet-stream") ?? false
        if isOfHub { return .refused(SyncRefusal(status: status, body: body)) }
        // These mean the same whoever gives them.
        switch status {
        case 413: return .refused(.tooLarge)
        case 429: return .refused(.busy(retryAfter: headers.first(name: "Retry-After").flatMap(Int.init) ?? 1))
        case 500...: return .refused(.unavailable)
        default: return .notAHub(status: status)
        }
    }
}
