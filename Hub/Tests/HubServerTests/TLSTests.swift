import Crypto
import Daybook
import Foundation
import HubMessages
import HubTestSupport
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOSSL
import Testing
import X509

@testable import HubServer

@Suite("TLS", .timeLimit(.minutes(2)))
struct TLSTests {
    /// A certificate for localhost and its key, in files.
    private static func files(in folder: String) throws -> (chain: String, key: String) {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("localhost") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date.now.addingTimeInterval(-86_400), notValidAfter: Date.now.addingTimeInterval(86_400),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions { SubjectAlternativeNames([.dnsName("localhost")]) },
            issuerPrivateKey: Certificate.PrivateKey(key))
        let paths = (chain: folder + "/chain.pem", key: folder + "/key.pem")
        try certificate.serializeAsPEM().pemString.write(toFile: paths.chain, atomically: true, encoding: .utf8)
        try key.pemRepresentation.write(toFile: paths.key, atomically: true, encoding: .utf8)
        return paths
    }

    @Test("With a certificate the hub speaks TLS, and nothing else")
    func tls() async throws {
        let folder = "/tmp/daybook-hub-tls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = try Self.files(in: folder)
        var settings = HubSettings()
        settings.certificate = files
        try await ServerFixture.run(.live, settings: settings) { fixture in
            guard let port = fixture.client.port else { return }
            var trust = TLSConfiguration.makeClientConfiguration()
            trust.trustRoots = .file(files.chain)
            let configuration = TestClient.Configuration(tlsConfiguration: trust, serverName: "localhost")
            let health = try await TestClient.withClient(
                host: "127.0.0.1", port: port, configuration: configuration
            ) { try await $0.get("/health") }
            #expect(health.status == .ok)
            // One that trusts public authorities only, and one without TLS.
            let others = [
                TestClient.Configuration(
                    tlsConfiguration: .makeClientConfiguration(), timeout: .seconds(2), serverName: "localhost"),
                TestClient.Configuration(timeout: .seconds(2)),
            ]
            for other in others {
                await #expect(throws: (any Error).self) {
                    try await TestClient.withClient(host: "127.0.0.1", port: port, configuration: other) {
                        try await $0.get("/health")
                    }
                }
            }
        }
    }

    /// Whether a new connection gets the certificate in this file.
    private static func isServed(_ chain: String, port: Int) async throws -> Bool {
        var trust = TLSConfiguration.makeClientConfiguration()
        trust.trustRoots = .file(chain)
        let configuration = TestClient.Configuration(
            tlsConfiguration: trust, timeout: .seconds(20), serverName: "localhost")
        do {
            return try await TestClient.withClient(host: "127.0.0.1", port: port, configuration: configuration) {
                try await $0.get("/health")
            }.status == .ok
        } catch let error where error is NIOSSLError || error is NIOSSLExtraError || error is ChannelError {
            // The client has refused it, and with that closed the connection.
            return false
        }
    }

    @Test("A new certificate is served within a minute; one that cannot be used leaves the former and is logged once")
    func reload() async throws {
        let folder = "/tmp/daybook-hub-tls-\(UUID().uuidString)"
        for name in ["first", "second"] {
            try FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try Self.files(in: folder + "/first")
        let second = try Self.files(in: folder + "/second")
        let used = (chain: folder + "/chain.pem", key: folder + "/key.pem")
        @Sendable func use(_ chain: String?, _ key: String?) throws {
            for (path, source) in [(used.chain, chain), (used.key, key)] {
                try? FileManager.default.removeItem(atPath: path)
                if let source { try FileManager.default.copyItem(atPath: source, toPath: path) }
            }
        }
        try use(first.chain, first.key)
        var settings = HubSettings()
        settings.certificate = used
        try await ServerFixture.run(.live, settings: settings) { fixture in
            guard let port = fixture.client.port else { return }
            /// Lets a minute pass, so that the files are looked at.
            func wait() async {
                // The signs of life for watchers, and the certificate.
                while fixture.clock.sleeperCount < 2 { await Task.yield() }
                fixture.clock.advance(byMicroseconds: CertificateService.interval)
                while fixture.clock.sleeperCount < 2 { await Task.yield() }
            }
            func count(_ message: String) -> Int { fixture.log.lines.count { $0.contains("\"\(message)\"") } }

            #expect(try await Self.isServed(first.chain, port: port))
            await wait()
            #expect(count("new certificate") == 0 && count("certificate not replaced") == 0)

            // Missing, no certificate at all, and the key of another one: each reported once.
            let bad = [(first.chain, nil), (nil, nil), (first.key, first.key), (second.chain, first.key)]
            var reported = 0
            for (chain, key) in bad {
                try use(chain, key)
                await wait()
                await wait()
                #expect(try await Self.isServed(first.chain, port: port))
                // The first two are the same to the hub: it cannot read a file.
                reported += chain == nil ? 0 : 1
                #expect(count("certificate not replaced") == reported)
            }
            #expect(count("new certificate") == 0)

            try use(second.chain, second.key)
            #expect(try await Self.isServed(first.chain, port: port))
            await wait()
            #expect(try await Self.isServed(second.chain, port: port))
            #expect(try await Self.isServed(first.chain, port: port) == false)
            #expect(count("new certificate") == 1)
            #expect(!fixture.log.lines.contains { $0.contains(folder) })

            // At a signal as well, without waiting.
            try use(first.chain, first.key)
            kill(getpid(), SIGHUP)
            while count("new certificate") == 1 { await Task.yield() }
            #expect(try await Self.isServed(first.chain, port: port))
        }
    }

    @Test("Files that are no certificate are an error with what to do")
    func badFiles() async throws {
        var settings = HubSettings()
        settings.certificate = ("/nonexistent/chain.pem", "/nonexistent/key.pem")
        try await TestStorage.embedded.with { [settings] storage in
            await #expect(throws: HubStartError.self) {
                _ = try await HubApplication(
                    storage: storage, settings: settings, clock: SettableClock(TestHub.start),
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            }
        }
    }
}
