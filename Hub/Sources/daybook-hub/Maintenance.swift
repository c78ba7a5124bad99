import ArgumentParser
import Daybook
import EmbeddedHub
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
        discussion: "A Daybook store is verified as a whole. The exit code is 0 when all is well.")

    @OptionGroup var options: StorageOptions

    func run() async throws {
        let storage: any HubStorage
        if let url = options.url {
            let postgres = options.postgres(url)
            guard try await answering({ try await postgres.check() }) else {
                throw HubStartError(
                    description: "The tables of the database are not those of this version. Run daybook-hub migrate.")
            }
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
