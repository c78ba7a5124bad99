import ArgumentParser
import CommandSupport
import Daybook

/// The program `daybook`. Without a command it shows Today.
@main
struct DaybookProgram: CommandLineProgram {
    static let commands: CommandTable = [
        "add": Add.self,
        "inbox": Inbox.self,
        "today": Today.self,
        "upcoming": Upcoming.self,
        "past": Past.self,
        "find": Find.self,
        "show": Show.self,
        "start": Start.self,
        "done": Done.self,
        "reopen": Reopen.self,
        "cycle": Cycle.self,
        "schedule": Schedule.self,
        "unschedule": Unschedule.self,
        "edit": Edit.self,
        "tag": Tag.self,
        "untag": Untag.self,
        "priority": Priority.self,
        "wait": Wait.self,
        "waiting": Waiting.self,
        "due": Due.self,
        "overdue": Overdue.self,
        "remind": Remind.self,
        "repeat": Repeat.self,
        "skip": Skip.self,
        "reminders": Reminders.self,
        "timeline": TimelineCommand.self,
        "open": Open.self,
        "lists": Lists.self,
        "list": ListCommands.self,
        "move": Move.self,
        "block": Block.self,
        "unblock": Unblock.self,
        "reorder": Reorder.self,
        "carry": Carry.self,
        "delete": Delete.self,
        "purge": Purge.self,
        "undo": Undo.self,
        "redo": Redo.self,
        "plan": ShowPlan.self,
        "place": Place.self,
        "sticky": Sticky.self,
        "auto-carry": AutoCarry.self,
        "expires": Expires.self,
        "rollover": RollOver.self,
        "expire": Expire.self,
        "unarchive": Unarchive.self,
        "journal": JournalCommands.self,
        "stats": Stats.self,
        "review": Review.self,
        "categories": Categories.self,
        "tags": Tags.self,
        "export": Export.self,
        "import": Import.self,
        "dump": Dump.self,
        "load": Load.self,
        "snapshot": SnapshotCommands.self,
        "verify": Verify.self,
        "rebuild": Rebuild.self,
        "salvage": Salvage.self,
        "info": Info.self,
        "compact": Compact.self,
        "wipe": Wipe.self,
        "serve": ServeInCompanion.self,
        "sync": SyncInCompanion.self,
        "generate": GenerateInLab.self,
        "bench": BenchInLab.self,
        "crashtest": CrashTestInLab.self,
        "simulate": SimulateInLab.self,
        "completions": Completions.self,
    ]

    static let groups = [
        "snapshot": SnapshotCommands.commands, "list": ListCommands.commands, "journal": JournalCommands.commands,
        "journal field": FieldCommands.commands,
    ]
    static let defaultCommand: (any ParsableCommand.Type)? = Today.self
    static let helpTopics: [String: @Sendable () -> String] = ["dates": DateHelp.text]

    static let configuration = CommandConfiguration(
        commandName: "daybook",
        abstract: "Keep your tasks: nothing saved is ever lost, and today is always today.",
        discussion: """
            The first minute:

              daybook add Buy milk                # into the Inbox; prints its id
              daybook add Call Ada --on tomorrow  # onto a day
              daybook today                       # or just: daybook
              daybook inbox                       # the tasks without a day
              daybook schedule 3c2f today         # the last digits of an id are enough
              daybook done 3c2f
              daybook undo                        # again and again

            Every command that prints data takes --json. 'daybook help <command>' explains a command with examples, \
            'daybook help dates' how to write days and times.

            Exit codes: 0 success; 1 a check failed; 2 the command line is invalid, or an id is invalid or fits several \
            tasks; 3 the store or a file could not be used; 4 no such task, list, thread, entry or snapshot; 5 the operation is not allowed; \
            6 'bench --check' was inconclusive; 130 interrupted; 141 the output was closed.
            """,
        version: LibraryVersion.current,
        subcommands: commands.map(\.value),
        defaultSubcommand: Today.self)

    @MainActor static func main() async {
        await runProgram { arguments in
            try CompanionProgram.lab.run(arguments)
            try CompanionProgram.sync.run(arguments)
            try CompanionProgram.web.run(arguments)
        }
    }
}

/// Print a completion script.
struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a completion script for a shell.",
        discussion: """
            Examples:
              daybook completions bash > ~/.local/share/bash-completion/completions/daybook
              daybook completions zsh > ~/.zfunc/_daybook
              daybook completions fish > ~/.config/fish/completions/daybook.fish
            """)

    /// The supported shells.
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var completionShell: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: "The shell.")
    var shell: Shell

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try Output.standard.write(DaybookProgram.completionScript(for: shell.completionShell) + "\n")
    }
}
