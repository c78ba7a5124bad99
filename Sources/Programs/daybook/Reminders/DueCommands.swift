import ArgumentParser
import CommandSupport
import Daybook

struct Due: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set or remove when a task is due.",
        discussion: """
            WHEN is a day, by the end of which it is due; a day and a time; an instant; or none.

            Examples:
              daybook due 3c2f fri
              daybook due 3c2f tomorrow 17:00
              daybook due 3c2f none
            """)

    @Argument(help: .taskID) var id: String
    @Argument(help: "A day, a day and a time, an instant, or none.") var when: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        let moment = try session.moment(when)
        // As it was understood, and not as it was typed.
        let words = moment.map { "due \($0)" } ?? "no longer due"
        try await options.change([id], "Made", " \(words)") { try await $0.due($1, moment.map { TaskDue($0) }) }
    }
}

struct Overdue: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the open tasks whose due time is over, the longest overdue first.",
        discussion: """
            A task that is due on a day is overdue when the day has ended. Tasks of past days without a due time are in \
            'daybook past'.

            Examples:
              daybook overdue
              daybook overdue --json
            """)

    @OptionGroup var paging: PagingOptions
    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try reading.session(options)
        let page = try session.read { transaction in
            let page = try transaction.tasks.overduePage(after: paging.token, limit: paging.limit ?? .max)
            return (tasks: try transaction.shown(page.records), next: page.next)
        }
        if options.json {
            return try Output.standard.json { $0.page(page?.tasks ?? [], next: page?.next) }
        }
        var table = TaskTable()
        guard let page, !page.tasks.isEmpty else {
            return try Output.standard.write("Nothing is overdue.\n")
        }
        table.rows(page.tasks)
        try Output.standard.write(table.text)
    }
}

/// Shows what a widget would.
struct TimelineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Show what a widget shows over the next hours.",
        discussion: """
            An entry for now, for each time at which a task is due or to be reminded of, for each midnight and for the \
            end: overdue tasks first, then those of the day.

            Examples:
              daybook timeline --json
              daybook timeline --hours 48
            """)

    @Option(help: ArgumentHelp("How far it reaches.", valueName: "n")) var hours = 24
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard 1...8760 ~= hours else { throw ValidationError("--hours must be from 1 to 8760.") }
    }

    func run() throws {
        let session = try options.session()
        let read = try session.read { transaction in
            let timeline = try transaction.tasks.timeline(hours: hours)
            return (timeline, try timeline.entries.map { try transaction.shown($0.tasks) })
        }
        let now = session.context.clock.wall
        let entries =
            read.map { zip($0.0.entries.map(\.at), $0.1).map { (at: $0, tasks: $1) } } ?? [(at: now, tasks: [])]
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.array("entries") { writer in
                        for entry in entries {
                            writer.object { writer in
                                writer.field("at", entry.at)
                                writer.field("tasks", entry.tasks)
                            }
                        }
                    }
                    writer.field("refreshAfter", read?.0.refreshAfter ?? now.advanced(bySeconds: 900))
                }
            }
        }
        var table = TaskTable()
        for entry in entries {
            table.heading("\(entry.at)")
            if entry.tasks.isEmpty { table.line("No tasks.") } else { table.rows(entry.tasks) }
        }
        try Output.standard.write(table.text)
    }
}

/// Does what a URL asks for.
struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create or show the task that a URL names.",
        discussion: """
            Examples:
              daybook open 'todoapp://create-task?title=Buy%20milk&due=2026-02-11'
              daybook open todoapp://open-task?id=0195a1f0-0000-7000-8000-000000000001
            """)

    @Argument(help: "The URL.") var url: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        let link = try TaskURL(parsing: url)
        switch link {
        case .openTask(let id):
            let shown = try session.readExisting { try $0.shown($0.task(named: id.lowercased)) }
            try report("open-task", shown) { $0.field("id", id) }
        case .createTask(let title, let list, _, _):
            let shown = try session.write(creating: true) { daybook in
                // For the message that shows the candidates of an ambiguous name.
                if let list { _ = try daybook.read { try $0.list(named: list) } }
                let task = try daybook.tasks.open(link)
                return try daybook.read { try $0.shown([task]) }
            }
            if let first = shown.first { try report("create-task", first) { $0.field("title", title) } }
        }
    }

    private func report(_ action: String, _ shown: ShownTask, _ detail: (inout JSONWriter) -> Void) throws {
        guard options.json else {
            var table = TaskTable()
            if action == "create-task" { table.line(shown.task.id.lowercased) } else { table.rows([shown]) }
            return try Output.standard.write(table.text)
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field("action", action)
                detail(&writer)
                writer.field("task", shown)
            }
        }
    }
}
