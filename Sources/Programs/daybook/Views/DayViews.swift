import ArgumentParser
import CommandSupport
import Daybook

/// Shows Today; `daybook` without a command does the same.
struct Today: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show today's tasks and how many of them are completed.",
        discussion: """
            Active tasks come first, then those not started, then completed ones, each in your order. Tasks of earlier \
            days stay where they are: see 'daybook past'.

            Examples:
              daybook today
              daybook today --zone Asia/Tokyo --json
              daybook today --now 2026-02-10T09:15:00Z
            """)

    @OptionGroup var filter: ViewFilter
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let today = session.today
        let tasks = filter.shown(try session.read { try $0.shown(container: $0.tasks.tasks(on: today)) } ?? [])
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

struct Upcoming: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the tasks of the coming days, by day.",
        discussion: """
            Examples:
              daybook upcoming
              daybook upcoming --json
            """)

    @OptionGroup var filter: ViewFilter
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let days =
            try options.session().read { transaction -> [(day: Day, label: String, tasks: [ShownTask])] in
                let days = try transaction.tasks.upcoming()
                return try zip(days, transaction.shown(days: days.map(\.tasks))).map { day, tasks in
                    (day: day.day, label: day.label, tasks: filter.shown(tasks))
                }.filter { !$0.tasks.isEmpty }
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

struct Past: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the tasks of past days, the oldest day first.",
        discussion: """
            Tasks never move to another day by themselves: use 'daybook carry' or 'daybook schedule'.

            Examples:
              daybook past
              daybook past --json
            """)

    @OptionGroup var filter: ViewFilter
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let days = try options.session().read { try self.days(in: $0) } ?? []
        if options.json { return try Output.standard.json { $0.tasks(days.flatMap(\.tasks)) } }
        var table = TaskTable()
        for day in days {
            table.heading(day.day.heading)
            table.rows(day.tasks)
        }
        if days.isEmpty { table.line(TaskView.past.emptyText) }
        try Output.standard.write(table.text)
    }

    /// The view is sorted by day, so each run of one day is all of that day.
    private func days(in transaction: ReadTransaction) throws -> [(day: Day, tasks: [ShownTask])] {
        var days: [(day: Day, tasks: [TaskItem])] = []
        for task in try transaction.tasks.past() {
            guard let day = task.scheduledDate else { continue }
            if days.last?.day != day { days.append((day, [])) }
            days[days.count - 1].tasks.append(task)
        }
        return zip(days.map(\.day), try transaction.shown(days: days.map(\.tasks)))
            .map { ($0, filter.shown($1)) }.filter { !$0.tasks.isEmpty }
    }
}

struct Inbox: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the tasks without a day.",
        discussion: """
            Active tasks come first, then those not started, then completed ones, each in your order.

            Examples:
              daybook inbox
              daybook inbox --json
            """)

    @OptionGroup var filter: ViewFilter
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let tasks = filter.shown(try options.session().read { try $0.shown(container: $0.tasks.inbox()) } ?? [])
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
