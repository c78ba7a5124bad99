import ArgumentParser
import CommandSupport
import Daybook

/// Shows Today; `daybook` without a command does the same.
struct Today: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show today's tasks and how many of them are completed.",
        discussion: """
            Active tasks come first, then those not started, then completed ones, each in your order. "Due" are the open \
            tasks that are overdue or due today and not planned for today. Tasks of earlier days stay where they are: see \
            'daybook past'.

            Examples:
              daybook today
              daybook today --zone Asia/Tokyo --json
              daybook today --now 2026-02-10T09:15:00Z
            """)

    @OptionGroup var filter: ViewFilter
    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try reading.session(options)
        let today = session.today
        let read = try session.read { transaction in
            let (tasks, next) = try filter.tasks(of: .today, in: transaction)
            let completed = try transaction.tasks.tasks(on: today).count { $0.isCompleted }
            let all = try transaction.tasks.statistics().today
            let due = try filter.shown(of: transaction.tasks.due(by: today), in: transaction)
            return (
                tasks: try filter.shown(tasks, in: transaction), due: due, completed: completed, all: all, next: next
            )
        }
        let tasks = read?.tasks ?? []
        let completed = read?.completed ?? 0
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("date", today)
                    writer.field("zone", session.context.zone.identifier)
                    writer.field("completedToday", completed)
                    writer.field("tasks", tasks)
                    writer.field("due", read?.due ?? [])
                    if filter.paging.limit != nil { writer.field("next", read?.next?.description) }
                }
            }
        }
        var table = TaskTable()
        table.heading("Today, \(today.heading)")
        if tasks.isEmpty {
            // The text of the view is for an app, where tasks are dragged.
            table.line(
                "No tasks scheduled for today. Add one with 'daybook add TEXT --on today', or see 'daybook inbox'.")
        } else {
            table.rows(tasks)
        }
        table.line("\(completed) completed today, of those planned for today")
        table.line(Stats.line(ofToday: read?.all ?? 0))
        if let due = read?.due, !due.isEmpty {
            table.heading("Due")
            table.rows(due)
        }
        try Output.standard.write(table.text)
    }
}

struct Upcoming: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the tasks of the coming days, by day.",
        discussion: """
            "Due" are the open tasks that are due on a day and not planned for it.

            Examples:
              daybook upcoming
              daybook upcoming --json
            """)

    @OptionGroup var filter: ViewFilter
    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try reading.session(options)
        let read = try session.read { try DaysOfTasks(of: .upcoming, filter, in: $0, withDue: true) }
        let days = read?.days ?? []
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.array("days") { writer in
                        for day in days {
                            writer.object { writer in
                                writer.field("date", day.day)
                                writer.field("tasks", day.tasks)
                                writer.field("due", day.due)
                            }
                        }
                    }
                    if filter.paging.limit != nil { writer.field("next", read?.next?.description) }
                }
            }
        }
        var table = TaskTable()
        for day in days {
            table.heading("\(EnglishTaskTexts().heading(of: day.day, today: session.today)), \(day.day.heading)")
            table.rows(day.tasks)
            if !day.due.isEmpty { table.line("Due:") }
            table.rows(day.due)
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
    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let read = try reading.session(options).read { try DaysOfTasks(of: .past, filter, in: $0) }
        let days = read?.days ?? []
        if options.json { return try Output.standard.json { $0.page(days.flatMap(\.tasks), next: read?.next) } }
        var table = TaskTable()
        for day in days {
            table.heading(day.day.heading)
            table.rows(day.tasks)
        }
        if days.isEmpty { table.line(TaskView.past.emptyText) }
        try Output.standard.write(table.text)
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
    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let read = try reading.session(options).read { transaction in
            let (tasks, next) = try filter.tasks(of: .inbox, in: transaction)
            return (tasks: try filter.shown(tasks, in: transaction), next: next)
        }
        let tasks = read?.tasks ?? []
        if options.json { return try Output.standard.json { $0.page(tasks, next: read?.next) } }
        var table = TaskTable()
        if tasks.isEmpty { table.line(TaskView.inbox.emptyText) } else { table.rows(tasks) }
        try Output.standard.write(table.text)
    }
}

extension JSONWriter {
    /// Writes `{"tasks": [...]}`.
    mutating func tasks(_ tasks: [ShownTask]) {
        object { $0.field("tasks", tasks) }
    }
}
