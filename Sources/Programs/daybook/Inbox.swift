import ArgumentParser
import Daybook

/// `daybook inbox`
struct Inbox: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the tasks that have no day yet.",
        discussion: """
            Active tasks come first, then those not started, then completed ones, each in your order.

            Examples:
              daybook inbox
              daybook inbox --json
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let tasks = try options.session().read { try $0.shown(container: $0.tasks.inbox()) } ?? []
        if options.json { return try Output.standard.json { $0.tasks(tasks) } }
        var table = TaskTable()
        if tasks.isEmpty { table.line(TaskView.inbox.emptyText) } else { table.rows(tasks) }
        try Output.standard.write(table.text)
    }
}

extension JSONWriter {
    /// Writes `{"tasks": [...]}`.
    mutating func tasks(_ tasks: [ShownTask]) {
        object { $0.field("tasks", tasks.map(\.document)) }
    }
}
