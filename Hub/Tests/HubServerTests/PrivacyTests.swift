import Daybook
import Foundation
import HubCore
import HubMessages
import HubTestSupport
import Hummingbird
import Sync
import Testing

@testable import HubServer

@Suite("Logs and metrics")
struct PrivacyTests {
    @Test("Logs and metrics hold no ids, keys, tokens or bodies")
    func noSecrets() async throws {
        try await ServerFixture.run { fixture in
            let token = try await fixture.createSpace()
            let secrets = (0..<100).map { "secret-\($0)-\(TestHub.uuid(1000 + UInt64($0)))" }
            for (number, secret) in secrets.enumerated() {
                fixture.clock.advance(byMicroseconds: 1_000_000)
                _ = try await fixture.push(
                    UInt64(number), number: UInt64(number) + 1, token: token, body: Array(secret.utf8))
                // Also in what is refused.
                for path in [
                    "/v1/\(secret)", "/v1/spaces/\(secret)/sync", "/v1/spaces/\(fixture.space)/devices/\(secret)",
                ] {
                    _ = try await fixture.request(.post, path, token: secret, body: Array(secret.utf8))
                    _ = try await fixture.request(.delete, path, token: token, body: Array(secret.utf8))
                }
                _ = try await fixture.request(.post, "/v1/spaces", body: Array("{\"space\":\"\(secret)\"}".utf8))
            }
            let metrics = try await fixture.request(.get, "/metrics")
            let text = String(decoding: metrics.body, as: UTF8.self) + fixture.log.lines.joined(separator: "\n")
            #expect(fixture.log.lines.count > 700)
            #expect(text.contains("hub_pushed_units_total{result=\"accepted\"} 100"))
            #expect(
                text.contains("hub_spaces 1") && text.contains("hub_requests_total{route=\"/v1/spaces/{space}/sync\""))
            for hidden in secrets + [token, "\(fixture.space)", "secret", TestHub.uuid(1).uuidString] {
                #expect(!text.lowercased().contains(hidden.lowercased()), "\(hidden)")
            }
        }
    }

    @Test("Every line of the log is JSON with time, level and message")
    func structured() async throws {
        try await ServerFixture.run { fixture in
            _ = try await fixture.createSpace()
            #expect(!fixture.log.lines.isEmpty)
            for line in fixture.log.lines {
                let fields = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
                #expect(fields["time"] != nil && fields["level"] != nil && fields["message"] != nil)
            }
        }
    }

    @Test("The secret of the hub gives tokens that another hub on the storage accepts")
    func sharedSecret() throws {
        let clock = SettableClock(TestHub.start)
        let first = try Sessions(secret: [1, 2, 3], clock: clock, random: { 1 })
        let second = try Sessions(secret: [1, 2, 3], clock: clock, random: { 2 })
        let other = try Sessions(secret: [1, 2, 4], clock: clock, random: { 1 })
        let token = try first.token(space: TestHub.uuid(1), device: 7)
        let session = try second.session(of: token)
        #expect(session.space == TestHub.uuid(1) && session.device == 7)
        #expect(throws: SyncRefusal.unauthorized) { try other.session(of: token) }
    }
}

@Suite("Back-pressure")
struct StorageGateTests {
    @Test("As many run as may, the others wait in order, and more are refused")
    func gate() async throws {
        let gate = StorageGate(1, queueLimit: 2)
        let (stream, release) = AsyncStream.makeStream(of: Void.self)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let order = CapturedLog()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = await gate.run {
                    enter.yield()
                    for await _ in stream { return }
                }
            }
            for await _ in entered { break }
            for number in 1...2 {
                group.addTask { _ = await gate.run { order.add("\(number)") } }
                while gate.waiting < number { await Task.yield() }
            }
            #expect(await gate.run { true } == nil)
            release.yield()
            try await group.waitForAll()
        }
        #expect(order.lines == ["1", "2"])
        #expect(await gate.run { true } == true)
    }
}
