import Daybook
import Foundation
import HubClient
import HubServer
import HubTestSupport
import Sync
import Testing

/// TLS with certificates that openssl makes.
@Suite(.timeLimit(.minutes(2))) struct CertificateTests {
    /// Lends the address of a hub with a certificate that vouches for itself.
    static func withHub(_ body: (HubAddress) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/daybook-hub-tls-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=hub", "-keyout", folder + "/key.pem", "-out", folder + "/certificate.pem",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        var settings = HubSettings()
        settings.certificate = (folder + "/certificate.pem", folder + "/key.pem")
        try await RunningServer.withHub(settings) { address, _ in try await body(address) }
    }

    private static func create(_ address: HubAddress, pin: CertificatePin?) async throws {
        try await RunningServer.withConnection(address, pin: pin) { connection in
            let (identity, recovery) = try SpaceIdentity.create(
                hub: address.description, pin: pin, name: "desktop", random: RunningServer.random)
            try await connection.createSpace(of: identity, recovery: recovery)
        }
    }

    @Test("A hub with the pinned key is trusted, and only with that key")
    func pin() async throws {
        try await Self.withHub { address in
            let pin = try await HubConnection.presentedPin(of: address)
            try await Self.create(address, pin: pin)
            let other = CertificatePin(ofPublicKey: [1])
            await #expect(throws: HubClientError.wrongCertificate(pin)) {
                try await Self.create(address, pin: other)
            }
        }
    }

    @Test("Without a pin, a certificate that no authority vouches for is refused")
    func authorities() async throws {
        try await Self.withHub { address in
            await #expect(throws: HubClientError.untrustedCertificate) { try await Self.create(address, pin: nil) }
        }
    }
}
