import FoundationEssentials
import HubTestSupport
import Postgres
import Synchronization
import Testing

@Suite("Notifications between processes of a database")
struct ListenerTests {
    private final class Received: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    /// Waits for something that a thread of the listener does.
    private func wait(for condition: () async throws -> Bool) async throws {
        while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }

    private func pool(_ name: String = "daybook-hub", probe: PostgresProbe? = nil) throws -> PostgresPool {
        let url = try #require(TestStorage.database)
        var configuration = PostgresConfiguration(url: url + "?application_name=\(name)")
        configuration.connections = 1
        configuration.probe = probe
        return PostgresPool(configuration)
    }

    /// A channel of its own, since tests share the database.
    private static func channel() -> String {
        "t" + UUID().uuidString.filter { $0 != "-" }.lowercased()
    }

    @Test("Each text arrives in every process that listens, in order", .enabled(if: TestStorage.database != nil))
    func texts() async throws {
        let (first, second) = (try pool(), try pool())
        defer {
            first.close()
            second.close()
        }
        let (channel, received) = (Self.channel(), Received())
        let sender = first.listen(to: channel) { _ in }
        let listener = second.listen(to: channel) { received.add($0) }
        try await wait { sender.isListening && listener.isListening }
        let texts = (0..<1000).map { "text \($0)" }
        for text in texts { sender.notify(text) }
        try await wait { received.all.count == texts.count }
        #expect(received.all == texts)
    }

    @Test("A listener whose connection has ended connects again", .enabled(if: TestStorage.database != nil))
    func reconnects() async throws {
        let name = Self.channel()
        let (pool, other) = (try pool(name), try pool())
        defer {
            pool.close()
            other.close()
        }
        let received = Received()
        let listener = pool.listen(to: name) { received.add($0) }
        try await wait { listener.isListening }
        _ = try await other.read { transaction in
            try transaction.run([
                PostgresStatement(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [.text(name)])
            ])
        }
        try await wait { !listener.isListening }
        try await wait { listener.isListening }
        listener.notify("again")
        try await wait { received.all == ["again"] }
    }

    @Test("A database without LISTEN is asked once, and nothing is sent", .enabled(if: TestStorage.database != nil))
    func unsupported() async throws {
        let asked = Mutex(0)
        let pool = try pool(probe: { text in
            guard text.hasPrefix("LISTEN") else { return nil }
            asked.withLock { $0 += 1 }
            return .before(state: "0A000")
        })
        defer { pool.close() }
        let listener = pool.listen(to: Self.channel()) { _ in }
        try await wait { asked.withLock { $0 } == 1 }
        listener.notify("to nobody")
        _ = try await pool.read { try $0.run([PostgresStatement("SELECT 1")]) }
        #expect(!listener.isListening && asked.withLock { $0 } == 1)
    }
}
