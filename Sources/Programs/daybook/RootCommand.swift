import ArgumentParser
import Daybook
import Glibc
import Logging

/// The program `daybook`. Without the name of a command it shows Today.
@main
struct RootCommand: AsyncParsableCommand {
    /// The commands by their names, in the order of the help. The parser could derive the names from the types, but only
    /// by questions to the runtime that take a millisecond of every start.
    static let commands: KeyValuePairs<String, any ParsableCommand.Type> = [
        "add": Add.self,
        "inbox": Inbox.self,
        "today": Today.self,
        "upcoming": Upcoming.self,
        "past": Past.self,
        "show": Show.self,
        "start": Start.self,
        "done": Done.self,
        "reopen": Reopen.self,
        "cycle": Cycle.self,
        "schedule": Schedule.self,
        "unschedule": Unschedule.self,
        "reorder": Reorder.self,
        "delete": Delete.self,
        "undo": Undo.self,
        "redo": Redo.self,
        "stats": Stats.self,
        "export": Export.self,
        "import": Import.self,
        SnapshotCommands.name: SnapshotCommands.self,
        "generate": Generate.self,
        "bench": Bench.self,
        "crashtest": CrashTest.self,
        "simulate": Simulate.self,
        "verify": Verify.self,
        "rebuild": Rebuild.self,
        "info": Info.self,
        "completions": Completions.self,
        "man": ManualPage.self,
    ]

    static let configuration = CommandConfiguration(
        commandName: "daybook",
        abstract: "Keeps your tasks: nothing saved is ever lost, and today is always today.",
        discussion: """
            The first minute:

              daybook add Buy milk                # into the Inbox; prints its id
              daybook add Call Ada --on tomorrow  # onto a day
              daybook today                       # or just: daybook
              daybook inbox                       # what has no day yet
              daybook schedule 019ab3c2 today     # the beginning of an id will do
              daybook done 019ab3c2
              daybook undo                        # again and again

            Every command that prints data takes --json. 'daybook help <command>' tells more and shows examples.
            """,
        version: LibraryVersion.current,
        subcommands: commands.map(\.value),
        defaultSubcommand: Today.self)

    /// Takes the place of ArgumentParser's own `main`: exit codes and the form of errors are the contract's.
    /// On the main thread: a command that only reads then needs no other.
    @MainActor static func main() async {
        ignoreFileSizeSignal()
        CrashMessage.install()
        // An error is told once, in one line, by this program; the library's log would be a second voice.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        do {
            let arguments = try ArgumentList.ofProcess().arranged(for: commands)
            var command = try command(for: arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            let failure = Failure(error)
            failure.tell()
            Glibc.exit(failure.code.rawValue)
        }
        Glibc.exit(ProgramExit.done.rawValue)
    }

    /// Parses the arguments by the command that they name, alone: the parser asks the runtime about every command of the
    /// program otherwise, which takes 2 of a process's 8 milliseconds. Whatever is not a plain success, help and errors,
    /// is parsed again from the root, whose words name the program.
    private static func command(for arguments: [String]) throws -> any ParsableCommand {
        let named = commands.first { $0.key == arguments.first }?.value
        let type: any ParsableCommand.Type = named ?? Today.self
        let rest = named == nil ? arguments : Array(arguments.dropFirst())
        // A request for help parses, too: as the parser's own command.
        if let command = try? type.parseAsRoot(rest), Swift.type(of: command) == type { return command }
        return try parseAsRoot(arguments)
    }

    /// A write beyond the limit on the size of files is then an error like a full disk, not the end of the process.
    private static func ignoreFileSizeSignal() {
        signal(SIGXFSZ, SIG_IGN)
    }
}
