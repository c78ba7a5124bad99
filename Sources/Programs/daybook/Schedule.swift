import ArgumentParser
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
