import ArgumentParser
import Daybook
import EmbeddedHub
import FoundationEssentials
import HubCore
import HubServer
import PostgresHub
import Sync

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create or update the tables of the database",
        discussion: """
            Run it before the first start and after an update; hubs of the former version may go on meanwhile. After a \
            backup was restored, run it with --restored before the hub starts: devices then send and fetch everything again.
            """)

    @OptionGroup var options: StorageOptions

    @Flag(help: "Give every space a new epoch, because the storage was restored from a backup.")
    var restored = false

    func run() async throws {
        let storage: any HubStorage
        if let url = options.url {
            let postgres = options.postgres(url)
            let count = try await answering { try await postgres.migrate() }
            print(count == 0 ? "The tables are up to date." : "Carried out \(count) definitions.")
            storage = postgres
        } else {
            storage = try EmbeddedStorage(folder: options.folder)
            print("The store is up to date.")
        }
        if restored {
            let random = SystemRandomSource()
            let clock = SystemClock()
            let hub = Hub(
                storage: storage, now: { clock.wall.microsecondsSince1970 }, random: { random.next() })
            let count = try await answering { try await hub.renewEpochs() }
            print("Gave \(count) spaces a new epoch.")
        }
        await storage.close()
    }
}

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check that the storage answers and can be used",
        discussion: """
            A Daybook store is verified as a whole. Of a database it prints which versions of the hub can work with its \
            tables. The exit code is 0 when all is well.
            """)

    @OptionGroup var options: StorageOptions

    func run() async throws {
        let storage: any HubStorage
        if let url = options.url {
            let postgres = options.postgres(url)
            // First: with tables that are to be migrated, it shows which hubs the migration would exclude.
            print(try await answering { try await postgres.fittingHubs() }.description)
            try await requireTables(of: postgres)
            storage = postgres
        } else {
            let embedded = try EmbeddedStorage(folder: options.folder)
            let report = try embedded.verify()
            guard report.isClean else {
                throw HubStartError(
                    description: "The store is damaged: \(report.problems.first ?? ""). Restore it from a backup.")
            }
            storage = embedded
        }
        let sizes = try await answering { try await storage.read { try $0.sizes() } }
        print("Spaces: \(sizes.spaces), devices: \(sizes.devices), bytes: \(sizes.bytes).")
        await storage.close()
    }
}

struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy spaces to another database or store",
        discussion: """
            From the storage that --database or --store names. No hub may serve these spaces meanwhile. It can be repeated: \
            it goes on where it was. Nothing is removed.
            """)

    @OptionGroup var options: StorageOptions

    @Option(
        help: """
            Where to: the URI of a PostgreSQL that was migrated, or the folder of a Daybook store. DAYBOOK_HUB_COPY_TO has it by \
            default, so that a password is not in the list of processes.
            """)
    var to: String?

    @Option(help: "The first two bytes of the spaces' ids, as FIRST-LAST in hexadecimal digits; all without it.")
    var spaces: String?

    func run() async throws {
        guard let range = spaces.map({ SpaceRange($0) }) ?? .all else {
            throw ValidationError("--spaces takes two numbers of four hexadecimal digits: 8000-bfff")
        }
        guard let to = to ?? ProcessEnvironment["DAYBOOK_HUB_COPY_TO"], to.contains("://") || !to.contains("=") else {
            throw ValidationError("Give --to: a URI postgresql://… or the folder of a Daybook store.")
        }
        if options.url == nil, !FileManager.default.fileExists(atPath: options.folder) {
            throw HubStartError(
                description: "There is no store in \(options.folder). Name the source by --database or --store.")
        }
        var there = options
        (there.database, there.store) = to.contains("://") ? (to, nil) : (nil, to)
        let (source, destination) = (try await options.open(), try await there.open())
        let result = try await answering { try await SpaceCopy(from: source, to: destination).copy(range) }
        print("Spaces: \(result.spaces), units copied: \(result.units).")
        await source.close()
        await destination.close()
    }
}
