import ArgumentParser
import Daybook
import EmbeddedHub
import FoundationEssentials
import Glibc
import HubCore
import HubServer
import Postgres
import PostgresHub

/// The program of a hub.
@main
struct DaybookHub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daybook-hub", abstract: "Serve a sync hub for Daybook",
        discussion: """
            A hub keeps the sealed units of any number of spaces, and cannot read them. Without --database it keeps them in \
            a Daybook store, with nothing else installed.
            """,
        subcommands: [Serve.self, Migrate.self, Check.self, Copy.self])
}

/// Where a hub keeps everything.
struct StorageOptions: ParsableArguments {
    @Option(help: "The database, as a URI of PostgreSQL. DAYBOOK_HUB_DATABASE has it by default.")
    var database: String?

    @Option(help: "The folder of a Daybook store.")
    var store: String?

    @Option(help: "How many connections to the database there are.")
    var connections: Int = 8

    @Option(help: "The isolation level of transactions: read-committed, repeatable-read or serializable.")
    var isolation: Isolation = .readCommitted

    func validate() throws {
        if database != nil && store != nil { throw ValidationError("Give --database or --store, not both.") }
        if connections < 1 { throw ValidationError("A hub needs at least one connection.") }
    }

    /// The URI; nil for a store.
    var url: String? {
        if store != nil { return nil }
        return database ?? ProcessEnvironment["DAYBOOK_HUB_DATABASE"]
    }

    /// The folder of the store.
    var folder: String {
        store ?? (ProcessEnvironment["XDG_DATA_HOME"] ?? (ProcessEnvironment["HOME"] ?? ".") + "/.local/share")
            + "/daybook-hub"
    }

    /// The storage, whose tables must be those of this version.
    func open() async throws -> any HubStorage {
        guard let url else { return try EmbeddedStorage(folder: folder) }
        let storage = postgres(url)
        try await requireTables(of: storage)
        return storage
    }

    func postgres(_ url: String) -> PostgresStorage {
        var configuration = PostgresConfiguration(url: url)
        configuration.connections = connections
        configuration.isolation = isolation.level
        return PostgresStorage(configuration)
    }
}

enum Isolation: String, ExpressibleByArgument, CaseIterable {
    case readCommitted = "read-committed"
    case repeatableRead = "repeatable-read"
    case serializable

    var level: PostgresIsolation {
        switch self {
        case .readCommitted: .readCommitted
        case .repeatableRead: .repeatableRead
        case .serializable: .serializable
        }
    }
}

/// The variables of the process.
enum ProcessEnvironment {
    static subscript(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
