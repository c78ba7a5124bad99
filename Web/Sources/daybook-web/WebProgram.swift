import ArgumentParser
import Daybook
import Foundation
import WebServer

/// `daybook-web`, which `daybook serve` starts.
@main
struct WebProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Show the store on a local page, in a browser.",
        discussion: """
            Prints an address, and serves it until you press Control-C. Only this computer can reach it, and only who knows the \
            address: it has a token. The page shows what other programs change, at once.

            Journals with a lock stay locked; the page asks for a code, which is shown here.

            Examples:
              daybook serve
              daybook serve --port 8025 --read-only
            """, version: LibraryVersion.current)

    @Option(help: ArgumentHelp("The port. Default: one that is free.", valueName: "port"))
    var port: UInt16 = 0

    @Flag(help: "Show the store, but change nothing.")
    var readOnly = false

    @Option(
        help: ArgumentHelp(
            "The store's folder. Default: $DAYBOOK_STORE, else $XDG_DATA_HOME/daybook, else ~/.local/share/daybook.",
            valueName: "dir"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "Begin at this instant, such as 2026-02-10T09:15:00Z; the clock runs from there.", valueName: "instant"))
    var now: String?

    @Option(help: ArgumentHelp("The time zone that determines today. Default: the system's.", valueName: "iana"))
    var zone: String?

    @Option(help: ArgumentHelp("The first day of the week. Default: the locale's.", valueName: "week-start"))
    var weekStart: String?

    @Flag(help: .hidden) var json = false

    /// Does one job of the store instead of serving it: in a process that a damaged page may end.
    @Option(help: .hidden) var job: String?
    @Option(help: .hidden) var jobFields = "{}"

    func run() async throws {
        let (context, folder, readOnly) = try (context(), folder(), readOnly)
        if let job {
            return JobCommand.run(job, fields: jobFields, path: folder, context: context) {
                var options = StoreOptions()
                (options.isReadOnly, options.createIfMissing) = (job == "verify", false)
                return try DaybookStore.open(at: folder, context: context, options: options)
            }
        }
        var options = WebServer.Options()
        (options.port, options.isReadOnly) = (port, readOnly)
        let environment = ProcessInfo.processInfo.environment
        options.pages = environment["DAYBOOK_WEB_PAGES"].flatMap { $0.isEmpty ? nil : $0 }
        options.program = Bundle.main.executablePath
        let server = WebServer(options) { isFirst in
            var options = StoreOptions()
            (options.isReadOnly, options.createIfMissing) = (readOnly, isFirst && !readOnly)
            return try DaybookStore.open(at: folder, context: context, options: options)
        }
        do {
            try await server.run {
                Self.say("Open \($0)\nPress Control-C to end.")
            } announce: {
                Self.say("The code to unlock the journals: \($0)")
            }
        } catch is CancellationError {
        } catch let error as RecordsError {
            FileHandle.standardError.write(Data("daybook serve: \(error)\n".utf8))
            throw ExitCode(3)
        }
    }

    /// Prints at once, also where the output is no terminal.
    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    private func context() throws -> Context {
        var context = Context.system
        if let now { context.clock = ShiftedClock(beginningAt: try Instant(now)) }
        if let zone { context.zones = SettableZone(try Zone(zone)) }
        if let weekStart { context.weekStart = try Weekday(weekStart) }
        return context
    }

    private func folder() throws -> String {
        if let store, !store.isEmpty { return store }
        guard let folder = DaybookStore.standardFolder(in: ProcessInfo.processInfo.environment) else {
            throw ValidationError("$HOME is not set. Name the store's folder with --store.")
        }
        return folder
    }
}
