import HubTestSupport
import Postgres
import Testing

/// What a server says that was the primary, that ends, or that has lost its standby (N-13).
@Suite("Failover of the database", .enabled(if: TestStorage.database != nil))
struct FailoverTests {
    private func withPool(
        options: String = "", probe: PostgresProbe? = nil, _ body: (PostgresPool) async throws -> Void
    ) async throws {
        let database = try #require(TestStorage.database)
        try await TestStorage.withSchema(of: database) { url in
            var configuration = PostgresConfiguration(url: url + options)
            configuration.connections = 1
            configuration.probe = probe
            let pool = PostgresPool(configuration)
            do {
                try await body(pool)
            } catch {
                pool.close()
                throw error
            }
            pool.close()
        }
    }

    private static func process(_ transaction: PostgresTransaction) throws -> Int64 {
        try transaction.run([PostgresStatement("SELECT CAST(pg_backend_pid() AS int8)")])[0].rows[0].integer(0)
    }

    @Test("A server that has become read-only is left for another one [N-13]")
    func readOnly() async throws {
        try await withPool { pool in
            let former = try await pool.read { transaction in
                let statement = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"
                _ = try transaction.run([PostgresStatement(unprepared: statement)])
                return try Self.process(transaction)
            }
            let next = try await pool.transaction { transaction in
                _ = try transaction.run([PostgresStatement(unprepared: "CREATE TABLE written (id int8 PRIMARY KEY)")])
                return try Self.process(transaction)
            }
            #expect(former != next)
            #expect(pool.counters["state_25006"] == 1)
        }
    }

    @Test(
        "A server that ends, or that has just started, is tried again on a new connection [N-13]",
        arguments: ["25006", "57P01", "57P02", "57P03", "08006"])
    func ending(state: String) async throws {
        let count = Counter()
        let probe: PostgresProbe = { text in
            text.hasPrefix("BEGIN") && count.next() == 1 ? .before(state: state) : nil
        }
        try await withPool(probe: probe) { pool in
            let former = try await pool.read(Self.process)
            let next = try await pool.transaction(Self.process)
            #expect(former != next)
            #expect(pool.counters["state_\(state)"] == 1)
        }
    }

    @Test("A server that refuses every transaction is not tried without end [N-13]")
    func refusing() async throws {
        let probe: PostgresProbe = { $0.hasPrefix("BEGIN") ? .before(state: "25006") : nil }
        try await withPool(probe: probe) { pool in
            await #expect(throws: PostgresError.server(state: "25006")) { try await pool.transaction(Self.process) }
            #expect(pool.counters["state_25006"] == 3)
        }
    }

    @Test(
        "A commit whose wait for the standby is cancelled has an unknown outcome, although it is reported as done [N-13]"
    )
    func cancelledWait() async throws {
        try await withPool { administrator in
            func set(_ statement: String) async throws {
                _ = try await administrator.read { transaction in
                    _ = try transaction.run([PostgresStatement(unprepared: statement)])
                    _ = try transaction.run([PostgresStatement("SELECT pg_reload_conf()")])
                }
            }
            try await set("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            do {
                try await checkCancelledWait(administrator)
            } catch {
                try await set("ALTER SYSTEM RESET synchronous_standby_names")
                throw error
            }
            try await set("ALTER SYSTEM RESET synchronous_standby_names")
        }
    }

    private func checkCancelledWait(_ administrator: PostgresPool) async throws {
        // The test database commits without waiting, but for this connection.
        try await withPool(options: "%20-csynchronous_commit%3Don") { pool in
            let writing = Task {
                try await pool.transaction { transaction in
                    _ = try transaction.run([
                        PostgresStatement(unprepared: "CREATE TABLE written (id int8 PRIMARY KEY)")
                    ])
                }
            }
            let cancel = """
                SELECT CAST(count(pg_cancel_backend(pid)) AS int8) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
                """
            var cancelled: Int64 = 0
            while cancelled == 0 {
                cancelled = try await administrator.read {
                    try $0.run([PostgresStatement(cancel)])[0].rows[0].integer(0)
                }
            }
            await #expect(throws: PostgresError.outcomeUnknown) { try await writing.value }
            // It is there, on this server.
            let rows = try await pool.read { try $0.run([PostgresStatement("SELECT id FROM written")])[0].rows }
            #expect(rows.isEmpty)
        }
    }
}
