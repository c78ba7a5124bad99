import ArgumentParser
import Daybook
import EmbeddedHub
import FoundationEssentials
import Glibc
import HubCore
import HubServer
import Logging
import PostgresHub
import Sync

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the hub until it is stopped",
        discussion: """
            Plain HTTP is served on loopback addresses only; elsewhere give a certificate. SIGTERM and SIGINT stop the hub \
            after the requests that it is answering. Logs go to stderr, one line of JSON for each event.
            """)

    @OptionGroup var options: StorageOptions

    @Option(help: "The address and port to listen on.")
    var listen: String = "127.0.0.1:8620"

    @Option(name: .customLong("tls-certificate"), help: "The file with the certificate chain, in PEM.")
    var certificate: String?

    @Option(name: .customLong("tls-key"), help: "The file with the certificate's private key, in PEM.")
    var key: String?

    @Option(help: "How many requests a device may send in a second.")
    var rate: Int = 30

    @Option(help: "How many bytes the units of a space may take up.")
    var spaceLimit: Int64 = 1 << 30

    @Option(help: "The file that divides spaces over several hubs: lines FIRST-LAST ADDRESS. See Hub.md.")
    var directory: String?

    @Option(help: "This hub's address in the directory.")
    var address: String?

    @Option(help: "What to log: debug, info (each request), notice, warning or error.")
    var logLevel: String = "notice"

    func validate() throws {
        if (certificate == nil) != (key == nil) {
            throw ValidationError("Give --tls-certificate and --tls-key together.")
        }
        if (directory == nil) != (address == nil) { throw ValidationError("Give --directory and --address together.") }
        if Self.address(listen) == nil { throw ValidationError("--listen takes an address and a port: 127.0.0.1:8620") }
        if Logger.Level(rawValue: logLevel) == nil { throw ValidationError("There is no log level \(logLevel).") }
        if rate < 1 || spaceLimit < 1 { throw ValidationError("Limits are positive numbers.") }
    }

    func run() async throws {
        guard let address = Self.address(listen), let level = Logger.Level(rawValue: logLevel) else { return }
        // A client that goes away while it is answered is an error of one request, and not the end of the hub.
        signal(SIGPIPE, SIG_IGN)
        let clock = SystemClock()
        let logger = Logger(label: "daybook-hub") { _ in StructuredLog(level: level, clock: clock) }
        var settings = HubSettings()
        settings.host = address.host
        settings.port = address.port
        if let certificate, let key { settings.certificate = (certificate, key) }
        settings.registrationToken = ProcessEnvironment["DAYBOOK_HUB_REGISTRATION"]
        settings.deviceRate = RateLimit(perSecond: Double(rate), burst: Double(rate) * 4)
        settings.storageLimit = max(settings.storageLimit, options.connections)
        if let directory, let address = self.address {
            let directory = try SpaceDirectory(Self.text(of: directory), own: address)
            settings.place = { directory.place(of: $0) }
        }
        if let problem = settings.problem { throw HubStartError(description: problem) }

        let storage = try await options.open()
        let kind = storage.isShared ? "database" : "store"
        let scheme = settings.certificate == nil ? "http" : "https"
        let hub = try await answering {
            try await HubApplication(
                storage: storage, settings: settings, spaceLimit: spaceLimit, clock: clock, logger: logger,
                onStart: { port in
                    logger.notice(
                        "listening", metadata: ["url": "\(scheme)://\(address.host):\(port)", "storage": "\(kind)"])
                })
        }
        try await hub.run()
        await storage.close()
    }

    private static func text(of file: String) throws -> String {
        do {
            return try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            throw HubStartError(
                description: "The directory \(file) cannot be read. Give a file with lines FIRST-LAST ADDRESS.")
        }
    }

    /// The parts of `host:port`; an address of IPv6 is in brackets.
    static func address(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        return host.isEmpty ? nil : (host, Int(port))
    }
}

/// Says in words that a storage does not answer.
func answering<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch SyncRefusal.full {
        throw HubStartError(description: "The storage has no room left. Free some, and repeat the command.")
    } catch is SyncRefusal {
        throw HubStartError(
            description: "The storage does not answer. Check that the database runs, and the URI that names it.")
    }
}

/// Checks that this hub can work with the tables of a database.
func requireTables(of storage: PostgresStorage) async throws {
    guard try await answering({ try await storage.check() }) else {
        throw HubStartError(
            description: "The tables of the database are not those of this version. Run daybook-hub migrate.")
    }
}
