/// How far transactions are kept apart. Set for each one, since the defaults of databases differ.
public enum PostgresIsolation: String, Sendable, Hashable, CaseIterable {
    /// Each statement sees what was committed before it.
    case readCommitted = "READ COMMITTED"
    /// All statements see what was committed before the first one.
    case repeatableRead = "REPEATABLE READ"
    /// As if transactions ran one after another.
    case serializable = "SERIALIZABLE"

    /// The statement that begins such a transaction.
    var begin: PostgresStatement { PostgresStatement(unprepared: "BEGIN TRANSACTION ISOLATION LEVEL \(rawValue)") }
}

/// A transaction, or single statements outside of one.
public final class PostgresTransaction {
    private let connection: PostgresConnection
    private let isolation: PostgresIsolation?
    private var hasBegun = false

    init(_ connection: PostgresConnection, isolation: PostgresIsolation?) {
        self.connection = connection
        self.isolation = isolation
    }

    /// Runs statements in one round trip. The first one begins the transaction on the way.
    public func run(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresResult] {
        guard !statements.isEmpty else { return [] }
        guard let isolation, !hasBegun else { return try connection.run(statements) }
        hasBegun = true
        return Array(try connection.run([isolation.begin] + statements).dropFirst())
    }

    /// Makes it durable.
    func commit() throws(PostgresError) {
        guard hasBegun else { return }
        let results: [PostgresResult]
        connection.forgetWarnings()
        do {
            results = try connection.run([PostgresStatement(unprepared: "COMMIT")])
        } catch {
            // A primary that is shut down while it waits for its standby has committed, and cannot say more.
            guard error.endsConnection || error == .server(state: "40003") else { throw error }
            throw .outcomeUnknown
        }
        // PostgreSQL reports a wait for the standby that was cancelled as success, with a warning: the next primary may not have it.
        guard !connection.hasWarned else { throw .outcomeUnknown }
        // A transaction in which a statement has failed is answered with ROLLBACK, which is no error.
        guard results.first?.tag == "COMMIT" else { throw .server(state: "25P02") }
    }

    /// Undoes it.
    func rollBack() {
        guard hasBegun, connection.isOpen else { return }
        do {
            _ = try connection.run([PostgresStatement(unprepared: "ROLLBACK")])
        } catch {
            // A connection that cannot roll back is of no more use; the server rolls back when it ends.
            connection.close()
        }
    }
}
