import ArgumentParser
import Daybook

/// `daybook upcoming`
struct Upcoming: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the tasks of the days to come, by day.",
        discussion: """
            Examples:
              daybook upcoming
              daybook upcoming --json
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let days =
            try options.session().read { transaction in
                try transaction.tasks.upcoming().map { day in
                    (day: day.day, label: day.label, tasks: try transaction.shown(container: day.tasks))
                }
            } ?? []
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.array("days") { writer in
                        for day in days {
                            writer.object { writer in
                                writer.field("date", day.day)
                                writer.field("tasks", day.tasks.map(\.document))
                            }
                        }
                    }
                }
            }
        }
        var table = TaskTable()
        for day in days {
            table.heading("\(day.label), \(day.day.heading)")
            table.rows(day.tasks)
        }
        if days.isEmpty { table.line(TaskView.upcoming.emptyText) }
        try Output.standard.write(table.text)
    }
}
