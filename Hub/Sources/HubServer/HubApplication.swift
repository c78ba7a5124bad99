import Daybook
import FoundationEssentials
import HTTPTypes
import HubCore
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// A hub's server.
public struct HubApplication: Sendable {
    /// The server with everything that runs beside it.
    public let application: Application<RouterResponder<HubContext>>
    private let settings: HubSettings
    private let logger: Logger

    /// A server over a storage.
    ///
    /// - Parameters:
    ///   - onStart: Called with the port when the server listens.
    /// - Throws: `HubStartError`; `SyncRefusal` when the storage does not answer.
    public init(
        storage: any HubStorage, settings: HubSettings, spaceLimit: Int64 = 1 << 30,
        clock: any TimeSource = SystemClock(), random: any RandomSource = SystemRandomSource(), logger: Logger,
        onStart: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        if let problem = settings.problem { throw HubStartError(description: problem) }
        let hub = Hub(
            storage: storage, spaceLimit: spaceLimit, now: { clock.wall.microsecondsSince1970 },
            random: { random.next() })
        let sessions = try Sessions(
            secret: try await hub.secret(), clock: clock, random: { random.next() })
        let routes = HubRoutes(hub: hub, settings: settings, clock: clock, sessions: sessions)
        let certificate = try settings.certificate.map { try CertificateFiles($0) }
        var services: [any Service] = [
            WatchService(hub: hub, watchers: routes.watchers, clock: clock, pollSeconds: settings.pollSeconds)
        ]
        if let certificate { services.append(CertificateService(files: certificate, clock: clock, logger: logger)) }
        // Hummingbird's own messages may quote requests; only what keeps the server from working is logged.
        var quiet = logger
        quiet.logLevel = .critical
        application = Application(
            router: routes.router(logger: logger),
            server: try Self.server(settings, certificate),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), backlog: 1024,
                availableConnectionsDelegate: MaximumAvailableConnections(settings.connectionLimit, logger: quiet)),
            services: services,
            onServerRunning: { channel in await onStart(channel.localAddress?.port ?? settings.port) },
            logger: quiet)
        self.settings = settings
        self.logger = logger
    }

    /// Serves until the process is asked to stop, then lets requests end.
    public func run() async throws {
        var configuration = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: application.logger)
        configuration.maximumGracefulShutdownDuration = .seconds(settings.shutdownSeconds)
        try await ServiceGroup(configuration: configuration).run()
        logger.notice("stopped")
    }

    private static func server(
        _ settings: HubSettings, _ certificate: CertificateFiles?
    ) throws -> HTTPServerBuilder {
        let http = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                idleTimeout: .seconds(settings.idleSeconds),
                httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                    maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64)))
        guard let certificate else { return http }
        return try .tls(http, tlsConfiguration: certificate.configuration())
    }
}

/// Why a hub cannot start.
public struct HubStartError: Error, CustomStringConvertible {
    /// One line: what is wrong, and what to do.
    public let description: String

    /// An error.
    public init(description: String) { self.description = description }
}
