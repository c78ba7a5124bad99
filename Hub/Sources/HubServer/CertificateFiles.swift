import Daybook
import FoundationEssentials
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The certificate chain and the private key that new connections get. They are read again when their files change.
final class CertificateFiles: Sendable {
    private struct Content: Equatable {
        var chain: [UInt8]
        var key: [UInt8]
    }

    private struct Pair {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource

        /// - Returns: nil if this is no certificate, no key, or the key of another certificate.
        init?(_ content: Content) {
            do {
                chain = try NIOSSLCertificate.fromPEMBytes(content.chain).map { .certificate($0) }
                key = .privateKey(try NIOSSLPrivateKey(bytes: content.key, format: .pem))
                // Only this compares the two.
                _ = try NIOSSLContext(configuration: configuration)
            } catch {
                return nil
            }
        }

        var configuration: TLSConfiguration {
            var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
            configuration.minimumTLSVersion = .tlsv12
            return configuration
        }

        var override: NIOSSLContextConfigurationOverride {
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = chain
            override.privateKey = key
            return override
        }
    }

    private struct State {
        var current: Pair
        /// What was read last, also if it could not be used; nil if a file could not be read.
        var seen: Content?
    }

    /// What a look at the files has found.
    enum Change: Equatable { case none, replaced, unusable }

    private let paths: (chain: String, key: String)
    private let state: Mutex<State>

    /// Reads the files.
    ///
    /// - Throws: `HubStartError`.
    init(_ paths: (chain: String, key: String)) throws {
        self.paths = paths
        guard let content = Self.content(paths), let pair = Pair(content) else {
            throw HubStartError(
                description: "The certificate or its key cannot be read. Give two files in PEM: the chain and the key.")
        }
        state = Mutex(State(current: pair, seen: content))
    }

    /// The configuration of a server whose connections get what the files have had at the last look.
    func configuration() -> TLSConfiguration {
        var configuration = state.withLock { $0.current.configuration }
        configuration.sslContextCallback = { [self] _, promise in
            promise.succeed(state.withLock { $0.current.override })
        }
        return configuration
    }

    /// Reads the files again. What cannot be used is left, and reported once.
    func reload() -> Change {
        let content = Self.content(paths)
        return state.withLock { state in
            guard content != state.seen else { return .none }
            state.seen = content
            guard let pair = content.flatMap(Pair.init) else { return .unusable }
            state.current = pair
            return .replaced
        }
    }

    private static func content(_ paths: (chain: String, key: String)) -> Content? {
        guard let chain = try? Data(contentsOf: URL(filePath: paths.chain)),
            let key = try? Data(contentsOf: URL(filePath: paths.key))
        else { return nil }
        return Content(chain: Array(chain), key: Array(key))
    }
}

/// Looks at the certificate's files every minute, and at each SIGHUP.
struct CertificateService: Service {
    /// How often the files are read, in microseconds.
    static let interval: Int64 = 60_000_000

    let files: CertificateFiles
    let clock: any TimeSource
    let logger: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask {
                    while !Task.isCancelled {
                        let next = clock.monotonic.advanced(byMicroseconds: Self.interval)
                        guard (try? await clock.sleep(until: next)) != nil else { return }
                        look()
                    }
                }
                group.addTask { for await _ in signals { look() } }
            }
        }
    }

    private func look() {
        switch files.reload() {
        case .none: break
        case .replaced: logger.notice("new certificate")
        case .unusable:
            let next = "The former one stays in use. Give two files in PEM: the chain, and the key that belongs to it."
            logger.warning("certificate not replaced", metadata: ["next": "\(next)"])
        }
    }
}
