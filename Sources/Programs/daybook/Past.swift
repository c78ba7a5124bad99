import ArgumentParser
import Daybook

/// `daybook past`
struct Past: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the tasks of earlier days, the oldest day first.",
        discussion: """
            Nothing moves to another day by itself. Give a task a new day with 'daybook schedule'.

            Examples:
              daybook past
              daybook past --json
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let days = try options.session().read { try Self.days(in: $0) } ?? []
        if options.json { return try Output.standard.json { $0.tasks(days.flatMap(\.tasks)) } }
        var table = TaskTable()
        for day in days {
            table.heading(day.day.heading)
            table.rows(day.tasks)
        }
        if days.isEmpty { table.line(TaskView.past.emptyText) }
        try Output.standard.write(table.text)
    }

    /// The view comes sorted by day: each run of one day is that whole day.
    private static func days(in transaction: ReadTransaction) throws -> [(day: Day, tasks: [ShownTask])] {
        var days: [(day: Day, tasks: [TaskItem])] = []
        for task in try transaction.tasks.past() {
            guard let day = task.scheduledDate else { continue }
            if days.last?.day != day { days.append((day, [])) }
            days[days.count - 1].tasks.append(task)
        }
        return try days.map { ($0.day, try transaction.shown(container: $0.tasks)) }
    }
}
