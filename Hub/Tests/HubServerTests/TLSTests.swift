import Crypto
import Daybook
import Foundation
import HubMessages
import HubTestSupport
import Hummingbird
import HummingbirdTesting
import Logging
import NIOSSL
import Testing
import X509

@testable import HubServer

@Suite("TLS")
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
