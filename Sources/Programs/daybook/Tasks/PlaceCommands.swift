import ArgumentParser
import CommandSupport
import Daybook

/// `daybook schedule`
struct Schedule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Gives a task a day.",
        discussion: """
            The task comes last on that day. Days that are over are refused.

            Examples:
              daybook schedule 019ab3c2 today
              daybook schedule 019ab3c2 fri
              daybook schedule 019ab3c2 2030-12-24
            """)

    @Argument(help: .taskID) var id: String
    @Argument(help: .day) var day: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let day = try Day(parsing: day, today: options.session().today)
        try await options.change(id, "Scheduled", " for \(day)") { try await $0.schedule($1, on: day) }
    }
}

/// `daybook unschedule`
struct Unschedule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends a task to the Inbox.",
        discussion: """
            Examples:
              daybook unschedule 019ab3c2
            """)

    @Argument(help: .taskID) var id: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(id, "Moved", " to the Inbox") { try await $0.schedule($1, on: .inbox) }
    }
}

extension ArgumentHelp {
    /// How a day is described everywhere.
    static var day: ArgumentHelp {
        ArgumentHelp(
            "2026-02-11, today, tomorrow, +3d, +2w, or a weekday such as fri: the next one after today.",
            valueName: "day")
    }
}

/// `daybook reorder`
struct Reorder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Gives a task another place within its day, or within the Inbox.",
        discussion: """
            Views show active tasks first, then those not started, then completed ones, each in this order.

            Examples:
              daybook reorder 019ab3c2 --first
              daybook reorder 019ab3c2 --after 019ab3d7
            """)

    @Argument(help: .taskID) var id: String
    @Flag(help: "Before all others of its day.") var first = false
    @Flag(help: "After all others of its day.") var last = false
    @Option(help: ArgumentHelp("Just before another task of its day.", valueName: "id")) var before: String?
    @Option(help: ArgumentHelp("Just after another task of its day.", valueName: "id")) var after: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        let places = [first, last, before != nil, after != nil].count { $0 }
        guard places == 1 else {
            throw ValidationError("Say where to: give one of --first, --last, --before ID, --after ID.")
        }
    }

    func run() async throws {
        try await options.change(id, "Moved") { tasks, id in try await tasks.reorder(id, to: place(in: tasks)) }
    }

    private func place(in tasks: TaskList) throws -> TaskPlace {
        if let before { return .before(try tasks.find(before).id) }
        if let after { return .after(try tasks.find(after).id) }
        return first ? .first : .last
    }
}
