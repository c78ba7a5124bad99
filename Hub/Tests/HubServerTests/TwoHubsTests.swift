import Foundation
import HTTPTypes
import HubCore
import HubMessages
import HubTestSupport
import Postgres
import PostgresHub
import Testing

/// Two hubs on one database, with clocks that stand still, so that nothing is polled unless a test lets time pass.
@Suite("Two hubs on one database")
struct TwoHubsTests {
    private func run(
        probe: PostgresProbe? = nil,
        _ body: @escaping @Sendable (ServerFixture, ServerFixture, any HubStorage) async throws -> Void
    ) async throws {
        let url = try #require(TestStorage.database)
        try await TestStorage.withSchema(of: url) { url in
            var configuration = PostgresConfiguration(url: url)
            configuration.connections = 2
            configuration.probe = probe
            let (first, second) = (PostgresStorage(configuration), PostgresStorage(configuration))
            _ = try await first.migrate()
            try await ServerFixture.run(storage: { _ in first }) { one in
                try await ServerFixture.run(storage: { _ in second }) { two in try await body(one, two, second) }
            }
            await first.close()
            await second.close()
        }
    }

    private static func watchers(_ fixture: ServerFixture) async throws -> Bool {
        String(decoding: try await fixture.request(.get, "/metrics").body, as: UTF8.self).contains("\nhub_watchers 1\n")
    }

    @Test("A push to one hub wakes who waits at the other", .enabled(if: TestStorage.database != nil))
    func announced() async throws {
        try await run { one, two, storage in
            let token = try await one.createSpace()
            while !storage.isListening { try await Task.sleep(for: .milliseconds(2)) }
            let path = "/v1/spaces/\(two.space)/watch?after=0&wait=25"
            let waiting = Task { try await two.request(.get, path, token: token) }
            while try await !Self.watchers(two) { await Task.yield() }
            _ = try await one.push(1, number: 1, token: token)
            #expect(try await waiting.value.json(Head.self).head == 1)
        }
    }

    @Test("On a database without LISTEN the next look at the heads wakes it", .enabled(if: TestStorage.database != nil))
    func polled() async throws {
        try await run(probe: { $0.hasPrefix("LISTEN") ? .before(state: "0A000") : nil }) { one, two, storage in
            let token = try await one.createSpace()
            let path = "/v1/spaces/\(two.space)/watch?after=0&wait=25"
            let sleepers = two.clock.sleeperCount
            let waiting = Task { try await two.request(.get, path, token: token) }
            while two.clock.sleeperCount == sleepers { await Task.yield() }
            _ = try await one.push(1, number: 1, token: token)
            #expect(!storage.isListening)
            two.clock.advance(byMicroseconds: 500_000)
            #expect(try await waiting.value.json(Head.self).head == 1)
        }
    }
}
