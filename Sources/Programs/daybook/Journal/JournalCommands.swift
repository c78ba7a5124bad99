import ArgumentParser
import CommandSupport
import Daybook

/// The commands of journals.
struct JournalCommands: ParsableCommand {
    static let commands: CommandTable = [
        "threads": JournalThreads.self,
        "new": JournalNew.self,
        "rename": JournalRename.self,
        "write": JournalWrite.self,
        "read": JournalRead.self,
        "edit": JournalEdit.self,
        "delete": JournalDelete.self,
        "search": JournalSearch.self,
        "draft": JournalDraftCommand.self,
        "fields": JournalFields.self,
        "field": FieldCommands.self,
        "delete-thread": JournalDeleteThread.self,
        "restore": JournalRestore.self,
        "purge-thread": JournalPurgeThread.self,
        "export": JournalExport.self,
        "import": JournalImport.self,
    ]

    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Keep journals: threads of entries.",
        discussion: """
            A THREAD is named by its title, by the beginning of one title, or by its id.

            Examples:
              daybook journal new Garden
              daybook journal write garden The first tulip.
              daybook journal read garden --last --limit 5
            """,
        subcommands: commands.map(\.value))
}

struct JournalThreads: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "threads", abstract: "Show the threads, the last changed first.",
        discussion: """
            Examples:
              daybook journal threads
              daybook journal threads --deleted --json
            """)

    @Flag(help: "Show deleted threads, too.") var deleted = false
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let threads =
            try session.read { transaction -> [ShownThread] in
                let summaries = try transaction.journals.threads(includingDeleted: deleted)
                let ids = try transaction.journals.shortIDs(ofThreads: summaries.map(\.thread.id))
                return summaries.map { ShownThread(summary: $0, shortID: ids[$0.thread.id] ?? "") }
            } ?? []
        try options.report("threads", threads) {
            guard !threads.isEmpty else { return "No threads. 'daybook journal new TITLE' begins one.\n" }
            let terminal = Terminal.standardOutput
            let width = threads.map(\.shortID.count).max() ?? 0
            let columns = threads.map(\.count.count).max() ?? 0
            return threads.map { thread in
                let changed = session.context.zone.day(of: thread.thread.updatedAt)
                let mark = thread.thread.isDeleted ? "  (deleted)" : ""
                return "\(terminal.styled(thread.shortID.padded(to: width), .faint))  \(changed)  "
                    + "\(thread.count.padded(to: columns))  \(thread.title)\(mark)\n"
            }.joined()
        }
    }
}

struct JournalNew: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Begin a thread and print its id.",
        discussion: """
            Examples:
              daybook journal new Garden
              daybook journal new Garden --entry "The first tulip."
            """)

    @Argument(help: "The title.") var title: [String]
    @Option(help: ArgumentHelp("Write a first entry in the same step.", valueName: "text")) var entry: String?
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let shown = try options.session().changeJournal(.createThread, creating: true) { journals in
            try journals.reading.shown(journals.createThread(title.joined(separator: " "), firstEntry: entry))
        }
        try options.report(shown, shown.thread.id.lowercased)
    }
}

struct JournalRename: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a thread another title.",
        discussion: """
            Examples:
              daybook journal rename garden "The garden behind the house"
            """)

    @Argument(help: .thread) var thread: String
    @Argument(help: "The new title.") var title: [String]
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let shown = try options.session().changeJournal(.renameThread) { journals in
            let found = try journals.reading.thread(named: thread)
            return try journals.reading.shown(journals.renameThread(found.id, to: title.joined(separator: " ")))
        }
        try options.report(shown, "Renamed \(shown.title)")
    }
}

struct JournalDeleteThread: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-thread", abstract: "Delete a thread with its entries.",
        discussion: """
            Asks for confirmation, unless --yes is given. 'daybook journal restore' brings the thread back, and so does \
            'daybook undo'; 'daybook journal purge-thread' removes it for good.

            Examples:
              daybook journal delete-thread garden --yes
            """)

    @Argument(help: .thread) var thread: String
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let (found, question) = try session.readJournal { reading in
            let found = try reading.thread(named: thread)
            return (found, try reading.deletionQuestion(of: found))
        }
        if !yes {
            guard let answer = Terminal.ask("\(VisibleText.of(question)) [y/N] ") else {
                throw CommandError.usage("There is no terminal to ask for confirmation. Use --yes.")
            }
            guard ["y", "yes"].contains(answer.lowercased()) else {
                throw CommandError.notAllowed("Nothing was deleted.")
            }
        }
        let shown = try session.changeJournal(.deleteThread) { try $0.reading.shown($0.deleteThread(found.id)) }
        try options.report(shown, "Deleted \(shown.title) with \(shown.count)")
    }
}

struct JournalRestore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a deleted thread with its entries.",
        discussion: """
            Examples:
              daybook journal restore garden
            """)

    @Argument(help: .thread) var thread: String
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let shown = try options.session().changeJournal(.restoreThread) { journals in
            let found: JournalThread
            do {
                found = try journals.reading.thread(named: thread, .deleted)
            } catch JournalError.noSuchThread {
                // One that is not deleted stays as it is.
                found = try journals.reading.thread(named: thread)
            }
            return try journals.reading.shown(journals.restoreThread(found.id))
        }
        try options.report(shown, "Restored \(shown.title) with \(shown.count)")
    }
}

struct JournalPurgeThread: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge-thread", abstract: "Remove a thread and everything in it for good.",
        discussion: """
            Its entries, fields and draft are removed as well, also from the change log. It cannot be undone. 'daybook \
            compact' then removes the bytes that are left in the file.

            Examples:
              daybook journal purge-thread garden --yes
            """)

    @Argument(help: .thread) var thread: String
    @Flag(help: "Confirm that it cannot be undone.") var yes = false
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard yes else { throw ValidationError("A purge cannot be undone. Confirm it with --yes.") }
    }

    func run() throws {
        let shown = try options.session().changeJournal(.purgeThread) { journals in
            let shown = try journals.reading.shown(journals.reading.thread(named: thread, .all))
            try journals.purgeThread(shown.thread.id)
            return shown
        }
        try options.report(shown, "Purged \(shown.title) with \(shown.count)")
    }
}
