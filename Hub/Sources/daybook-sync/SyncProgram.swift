import ArgumentParser
import Daybook
import DaybookHubSync
import FoundationEssentials
import Glibc
import HubClient
import Sync

/// The program that syncs a store with its hub. `daybook sync …` starts it.
@main
struct SyncProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daybook-sync", abstract: "Keep this store and those of your other devices the same.",
        discussion: """
            Devices exchange their changes through a hub, which cannot read them. Without a subcommand, or with `now`, \
            everything is sent and received once.

            Exit codes: 0 when nothing is left to send, 2 for a wrong command line, 3 when the hub could not be reached or \
            refused (nothing is lost), 5 when something must be decided first; `status` says what.
            """,
        subcommands: [
            Create.self, MakeInvite.self, Join.self, Now.self, Watch.self, Status.self, Devices.self, Revoke.self,
            Journals.self, Conflicts.self, Recover.self, Leave.self,
        ], defaultSubcommand: Now.self)

    static func main() async {
        var command: any ParsableCommand
        do {
            command = try parseAsRoot()
        } catch {
            // Help and the version are no errors.
            let isHelp = exitCode(for: error) == .success
            if isHelp { print(fullMessage(for: error)) } else { StandardError.write(fullMessage(for: error)) }
            Glibc.exit(isHelp ? 0 : 2)
        }
        do {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // So is help that a subcommand was asked for.
            if exitCode(for: error) == .success {
                print(fullMessage(for: error))
                Glibc.exit(0)
            }
            let failure = error as? SyncFailure ?? SyncFailure(error)
            StandardError.write("daybook: \(NextCommand.message(of: failure))")
            Glibc.exit(failure.code)
        }
    }
}

/// Standard error, a line at a time.
enum StandardError {
    static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(2, bytes, bytes.count)
    }
}

/// The options of every command.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store's folder. Default: $DAYBOOK_STORE, else $XDG_DATA_HOME/daybook, else ~/.local/share/daybook.",
            valueName: "dir"))
    var store: String?

    @Flag(help: "Print JSON.")
    var json = false

    // What `daybook` passes on of its own options; sync works with the real clock and needs no zone.
    @Option(help: .hidden) var zone: String?
    @Option(help: .hidden) var weekStart: String?
    @Option(help: .hidden) var now: String?

    var folder: String {
        get throws {
            if let store, !store.isEmpty { return store }
            guard let folder = DaybookStore.standardFolder(in: ProcessInfo.processInfo.environment) else {
                throw SyncFailure("$HOME is not set. Name the store's folder with --store.", code: 2)
            }
            return folder
        }
    }
}
