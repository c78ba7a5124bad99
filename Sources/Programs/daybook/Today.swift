import ArgumentParser
import Daybook

/// `daybook today`, and `daybook` alone.
struct Today: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows today's tasks, and how many of them are completed.",
        discussion: """
            Active tasks come first, then those not started, then completed ones, each in your order. Tasks of earlier \
            days stay where they are: see 'daybook past'.

            Examples:
              daybook today
              daybook today --zone Asia/Tokyo --json
              daybook today --now 2026-02-10T09:15:00Z
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let today = session.today
        let tasks = try session.read { try $0.shown(container: $0.tasks.tasks(on: today)) } ?? []
        let completed = tasks.count { $0.task.isCompleted }
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("date", today)
                    writer.field("zone", session.context.zone.identifier)
                    writer.field("completedToday", completed)
                    writer.field("tasks", tasks.map(\.document))
                }
            }
        }
        var table = TaskTable()
        table.heading("Today, \(today.heading)")
        if tasks.isEmpty { table.line(TaskView.today.emptyText) } else { table.rows(tasks) }
        table.line("\(completed) completed today")
        try Output.standard.write(table.text)
    }
}
