import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOSSL
import Sync
import Synchronization

/// HTTP to one hub.
///
/// With a pin, the certificate's public key is compared on every new connection, before any request is sent, and
/// neither the authorities nor the host's name matter: proof that the server has the private key is part of every TLS
/// handshake. Without a pin, the certificate must be valid for the host, by the system's authorities.
public final class HubConnection: Sendable {
    /// The address.
    public let address: HubAddress
    private let client: HTTPClient
    /// The hub that has the space: the one at that address, or the one that it has named.
    private let current: Mutex<HubAddress>

    /// The hub that the next request goes to.
    var hub: HubAddress { current.withLock { $0 } }

    /// So often in a row a hub may name another one.
    private static let redirectLimit = 4

    /// The limits of time.
    public struct Timeouts: Sendable {
        /// Milliseconds until a connection must be there.
        public var connectMilliseconds: Int64 = 10_000
        /// Milliseconds until an answer must have begun, and between two parts of it.
        public var answerMilliseconds: Int64 = 30_000

        /// The defaults.
        public init() {}
    }

    private let timeouts: Timeouts

    /// A connection to a hub; it is opened by the first request.
    ///
    /// - Parameter pin: nil to trust the system's authorities.
    public init(_ address: HubAddress, pin: CertificatePin?, timeouts: Timeouts = Timeouts()) {
        self.address = address
        current = Mutex(address)
        self.timeouts = timeouts
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: .milliseconds(timeouts.connectMilliseconds),
                // Waiting for changes takes longer; this ends an answer that stops in its middle.
                read: .milliseconds(timeouts.answerMilliseconds + 60_000)))
        configuration.httpVersion = .http1Only
        // A wrong certificate is reported at once. `SyncLoop` does the waiting.
        configuration.connectionPool.retryConnectionEstablishment = false
        if let pin {
            tls.certificateVerification = .none
            configuration.http1_1ConnectionDebugInitializer = { Self.check(pin, on: $0) }
        }
        configuration.tlsConfiguration = tls
        client = HTTPClient(configuration: configuration)
    }

    /// Closes all connections. Call it once, after the last request.
    public func close() async {
        try? await client.shutdown()
    }

    private static func check(_ pin: CertificatePin, on channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            // A connection without TLS is one to this machine.
            guard let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLHandler.self) else { return }
            guard let key = try handler.peerCertificate?.extractPublicKey().toSPKIBytes() else {
                channel.close(promise: nil)
                throw HubClientError.untrustedCertificate
            }
            let presented = CertificatePin(ofPublicKey: key)
            guard presented == pin else {
                channel.close(promise: nil)
                throw HubClientError.wrongCertificate(presented)
            }
        }
    }

    /// Asks a hub for its certificate's pin, to be compared by a person with what the operator says.
    public static func presentedPin(of address: HubAddress) async throws(HubClientError) -> CertificatePin {
        let none = CertificatePin([UInt8](repeating: 0, count: 32))
        let connection = HubConnection(address, pin: none)
        let result = await connection.answer(.GET, "/health", HubRequest())
        await connection.close()
        guard case .failure(.wrongCertificate(let pin)) = result else { throw .unreachable }
        return pin
    }

    // MARK: Requests

    /// Sends a request.
    ///
    /// - Returns: the body of an answer with a status below 300.
    func send(_ method: HTTPMethod, _ path: String, _ content: HubRequest) async throws(HubClientError) -> [UInt8] {
        try await answer(method, path, content).get().body
    }

    /// Opens a session: its token is for the hub that answers.
    func openSession(_ content: HubRequest) async throws(HubClientError) -> (body: [UInt8], hub: HubAddress) {
        try await answer(.POST, "/v1/sessions", content).get()
    }

    private func answer(
        _ method: HTTPMethod, _ path: String, _ content: HubRequest
    ) async -> Result<(body: [UInt8], hub: HubAddress), HubClientError> {
        var hub = hub
        // A session is with one hub: one with the other is to be opened first.
        guard content.hub == nil || content.hub == hub else { return .failure(.refused(.unauthorized)) }
        for _ in 0..<Self.redirectLimit {
            let other: HubAddress
            switch await answer(method, path, content, from: hub) {
            case .body(let body): return .success((body, hub))
            case .refusal(let error):
                // The directory may be right again: the next request asks the hub at the address that stays.
                if error.isOfNoHub { current.withLock { $0 = address } }
                return .failure(error)
            case .isElsewhere(let named): other = named
            }
            guard hub.permits(other) else { return .failure(.notAHub(status: HubRequest.misdirected)) }
            hub = other
            current.withLock { $0 = other }
            if content.hub != nil { return .failure(.refused(.unauthorized)) }
        }
        return .failure(.refused(.unavailable))
    }

    private enum Answer {
        case body([UInt8])
        case refusal(HubClientError)
        case isElsewhere(HubAddress)
    }

    private func answer(
        _ method: HTTPMethod, _ path: String, _ content: HubRequest, from hub: HubAddress
    ) async -> Answer {
        var request = HTTPClientRequest(url: hub.description + path)
        request.method = method
        if let token = content.token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body = content.body {
            request.headers.add(name: "Content-Type", value: content.contentType)
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        do {
            let wait = timeouts.answerMilliseconds + Int64(content.waitSeconds) * 1000
            let response = try await client.execute(request, timeout: .milliseconds(wait))
            let body = Array(try await response.body.collect(upTo: HubRequest.answerLimit).readableBytesView)
            let status = Int(response.status.code)
            if 200..<300 ~= status { return .body(body) }
            if let other = HubRequest.otherHub(status, response.headers) { return .isElsewhere(other) }
            return .refusal(HubRequest.refusal(status, response.headers, body))
        } catch {
            return .refusal(Self.failure(error))
        }
    }

    private static func failure(_ error: any Error) -> HubClientError {
        switch error {
        case let error as HubClientError: error
        case let error as NIOSSLError:
            if case .handshakeFailed(let cause) = error, "\(cause)".contains("CERTIFICATE_VERIFY_FAILED") {
                .untrustedCertificate
            } else {
                .unreachable
            }
        case is NIOSSLExtraError: .untrustedCertificate
        default: .unreachable
        }
    }
}
