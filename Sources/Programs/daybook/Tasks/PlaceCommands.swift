import ArgumentParser
import CommandSupport
import Daybook

struct Schedule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give tasks a day.",
        usage: "daybook schedule <id> ... <day>",
        discussion: """
            The tasks come last on that day. Past days are refused. Several ids are one change: all tasks move, or none.

            Examples:
              daybook schedule 3c2f today
              daybook schedule 3c2f 81d0 fri
              daybook schedule 3c2f in 3 days
              daybook schedule 3c2f 2030-12-24
            """)

    @Argument(help: ArgumentHelp("The tasks' ids and, last, the day. \(Self.dayHelp)", valueName: "id> ... <day"))
    var words: [String]
    @OptionGroup var options: GlobalOptions

    private static let dayHelp = "A day is 2026-02-11, today, +3d, fri, feb 11 or another form of 'daybook help dates'."

    func validate() throws {
        guard words.count >= 2 else { throw ValidationError("Missing expected argument '<day>'") }
    }

    func run() async throws {
        let (ids, day) = try idsAndDay(words, in: options.session().context)
        try await options.change(ids, "Scheduled", " for \(day)") {
            try await $0.schedule($1, on: .on(day))
        }
    }
}

struct Unschedule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move tasks to the Inbox.",
        discussion: """
            Examples:
              daybook unschedule 3c2f
            """)

    @Argument(help: .taskIDs) var ids: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(ids, "Moved", " to the Inbox") { try await $0.schedule($1, on: .inbox) }
    }
}

struct Carry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move open tasks of past days to another day.",
        discussion: """
            Tasks never move by themselves. Completed tasks, and tasks that are not of a past day, stay where they are.

            Examples:
              daybook carry 3c2f 81d0 --to today
              daybook carry --all --to tomorrow
            """)

    @Argument(help: .taskIDs) var ids: [String] = []
    @Flag(help: "Move all open tasks of past days.") var all = false
    @Option(help: .day) var to: String
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard all != !ids.isEmpty else { throw ValidationError("Name the tasks by their ids, or give --all.") }
    }

    func run() async throws {
        let session = try options.session()
        let day = try Day(parsing: to, in: session.context)
        guard all else {
            var staying: Set<UUID> = []
            let shown = try await session.change(ids) { tasks, found in
                let before = try tasks.read { reading in try found.compactMap { try reading.get($0) } }
                _ = try await tasks.carry(found, to: .on(day))
                let after = try tasks.read { reading in try found.compactMap { try reading.get($0) } }
                // Carried tasks have another day.
                staying = Set(zip(before, after).filter { $0.scheduledDate == $1.scheduledDate }.map(\.0.id))
                return after
            }
            return try report(shown, to: day, isSingle: ids.count == 1, staying: staying)
        }
        do {
            let shown = try await session.write { daybook in
                let tasks = try await daybook.tasks.carryAll(to: .on(day))
                return try daybook.read { try $0.shown(tasks) }
            }
            try report(shown, to: day, isSingle: false)
        } catch RecordsError.engine(.storeNotFound) {
            try report([], to: day, isSingle: false)
        }
    }

    private func report(_ shown: [ShownTask], to day: Day, isSingle: Bool, staying: Set<UUID> = []) throws {
        if shown.isEmpty, !options.json { return try Output.standard.write("There are no open tasks of past days.\n") }
        try options.report(shown, isSingle: isSingle) { shown in
            staying.contains(shown.task.id)
                ? "\(shown.shortID) stays where it is" : "Carried \(shown.shortID) to \(day)"
        }
    }
}

struct Reorder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move a task to another position within its day, the Inbox, its list or its task.",
        discussion: """
            Views show active tasks first, then those not started, then completed ones, each in this order. With --in list \
            the position is that within the task's list, with --in plan that within its bucket, with --in task that among the \
            subtasks of the same task. Each has its own order.

            Examples:
              daybook reorder 3c2f --first
              daybook reorder 3c2f --after 81d0
              daybook reorder 3c2f --first --in list
              daybook reorder 3c2f --in plan --last
              daybook reorder 3c2f --in task --before 81d0
            """)

    /// The orders that a task has a position in, beside that of its day.
    enum Scope: String, CaseIterable, ExpressibleByArgument {
        case list, plan, task
    }

    @Argument(help: .taskID) var id: String
    @Flag(help: "Move it before all others of its day.") var first = false
    @Flag(help: "Move it after all others of its day.") var last = false
    @Option(help: ArgumentHelp("Move it directly before another task of its day.", valueName: "id"))
    var before: String?
    @Option(help: ArgumentHelp("Move it directly after another task of its day.", valueName: "id"))
    var after: String?
    @Option(
        name: .customLong("in"),
        help: """
            Move it within another order than that of its day: its list, its bucket in the plan, or the subtasks of its task.
            """)
    var scope: Scope?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        let places = [first, last, before != nil, after != nil].count { $0 }
        guard places == 1 else {
            throw ValidationError("Name the position: one of --first, --last, --before ID, --after ID.")
        }
    }

    func run() async throws {
        let neighbor = [before, after].compactMap { $0 }
        let shown = try await options.session().change([id] + neighbor) { tasks, found in
            let place: TaskPlace =
                if before != nil { .before(found[1]) } else if after != nil { .after(found[1]) } else {
                    first ? .first : .last
                }
            switch scope {
            case nil: return [try await tasks.reorder(found[0], to: place)]
            case .list: return [try await tasks.reorder(found[0], inListTo: place)]
            case .plan: return [try await tasks.reorderInPlan(found[0], to: place)]
            case .task: return [try await tasks.reorder(found[0], inParentTo: place)]
            }
        }
        try options.report(shown, isSingle: true) { "Moved \($0.shortID)" }
    }
}
