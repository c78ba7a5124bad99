import Daybook
import FoundationEssentials
import HTTPTypes
import HubClient
import HubCore
import HubServer
import HubTestSupport
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Sync

/// Servers in this process, on ports that are free.
enum RunningServer {
    static let random = SystemRandomSource()

    private static var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    /// Lends the address of a hub with an empty storage, and its clock.
    static func withHub(
        _ settings: HubSettings = HubSettings(), _ body: (HubAddress, SettableClock) async throws -> Void
    ) async throws {
        try await TestStorage.embedded.with { try await withHub(settings, storage: $0, body) }
    }

    /// Lends the address of a hub with a storage, and its clock.
    static func withHub(
        _ settings: HubSettings, storage: any HubStorage, _ body: (HubAddress, SettableClock) async throws -> Void
    ) async throws {
        var settings = settings
        settings.host = "127.0.0.1"
        settings.port = 0
        let clock = SettableClock(TestHub.start)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let hub = try await HubApplication(
            storage: storage, settings: settings, clock: clock, logger: quiet, onStart: { port.yield($0) })
        let scheme = settings.certificate == nil ? "http" : "https"
        try await serve(hub.application, ports) { try await body(HubAddress("\(scheme)://127.0.0.1:\($0)"), clock) }
    }

    /// Answers to the requests of a session's beginning; nil to any other.
    static func session(_ request: Request, token: String = "t") -> Response? {
        let body =
            switch request.uri.path {
            case "/v1/sessions/challenge": #"{"challenge":"AAAA","time":1}"#
            case "/v1/sessions": #"{"token":"\#(token)","seconds":900,"time":1}"#
            default: ""
            }
        if body.isEmpty { return nil }
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }

    /// What a hub answers that does not have the space.
    static func misdirected(to address: String) -> Response {
        var response = Response(status: .misdirectedRequest)
        if let name = HTTPField.Name("Daybook-Hub") { response.headers[name] = address }
        return response
    }

    /// Lends the address of a server that answers every request in one way.
    static func withAnswer(
        _ answer: @escaping @Sendable (Request) async throws -> Response, _ body: (HubAddress) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in try await answer(request) }
        let application = Application(
            responder: responder, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: quiet)
        try await serve(application, ports) { try await body(HubAddress("http://127.0.0.1:\($0)")) }
    }

    private static func serve(
        _ service: any Service, _ ports: AsyncStream<Int>, _ body: (Int) async throws -> Void
    ) async throws {
        let group = ServiceGroup(configuration: .init(services: [service], logger: quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await port in ports {
                do {
                    try await body(port)
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Lends a connection and closes it.
    static func withConnection(
        _ address: HubAddress, pin: CertificatePin? = nil, timeouts: HubConnection.Timeouts = .init(),
        _ body: (HubConnection) async throws -> Void
    ) async throws {
        let connection = HubConnection(address, pin: pin, timeouts: timeouts)
        do {
            try await body(connection)
            await connection.close()
        } catch {
            await connection.close()
            throw error
        }
    }
}
