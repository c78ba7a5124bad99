import ArgumentParser
import Daybook
import Glibc
import Logging

/// The program `daybook`. Without the name of a command it shows Today.
@main
struct RootCommand: AsyncParsableCommand {
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
        subcommands: [
            Add.self, Inbox.self, Today.self, Upcoming.self, Past.self, Show.self,
            Start.self, Done.self, Reopen.self, Cycle.self,
            Schedule.self, Unschedule.self, Reorder.self, Delete.self, Undo.self, Redo.self,
            Stats.self, Export.self, Import.self,
            Verify.self, Rebuild.self, Info.self, Completions.self, ManualPage.self,
        ],
        defaultSubcommand: Today.self)

    /// Takes the place of ArgumentParser's own `main`: exit codes and the form of errors are the contract's.
    /// On the main thread: a command that only reads then needs no other.
    @MainActor static func main() async {
        ignoreFileSizeSignal()
        CrashMessage.install()
        // An error is told once, in one line, by this program; the library's log would be a second voice.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        do {
            let arguments = try ArgumentList.ofProcess().arranged(for: RootCommand.self)
            var command = try parseAsRoot(arguments)
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

    /// A write beyond the limit on the size of files is then an error like a full disk, not the end of the process.
    private static func ignoreFileSizeSignal() {
        signal(SIGXFSZ, SIG_IGN)
    }
}
