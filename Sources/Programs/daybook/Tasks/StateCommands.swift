import ArgumentParser
import CommandSupport
import Daybook

/// `daybook start`
struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Marks a task as being worked on.",
        discussion: """
            Examples:
              daybook start 019ab3c2
            """)

    @Argument(help: .taskID) var id: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(id, "Started") { try await $0.start($1) }
    }
}

/// `daybook done`
struct Done: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Marks a task as completed.",
        discussion: """
            It stays in its view until the day is over, and counts in the statistics from now on. A task that is \
            completed already keeps its time.

            Examples:
              daybook done 019ab3c2
              daybook done 019ab3c2 --json
            """)

    @Argument(help: .taskID) var id: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(id, "Completed") { try await $0.complete($1) }
    }
}

/// `daybook reopen`
struct Reopen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Marks a task as not started.",
        discussion: """
            A completed task then counts in the statistics no more.

            Examples:
              daybook reopen 019ab3c2
            """)

    @Argument(help: .taskID) var id: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(id, "Reopened") { try await $0.reopen($1) }
    }
}

/// `daybook cycle`
struct Cycle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Moves a task on: not started, active, completed, not started.",
        discussion: """
            Examples:
              daybook cycle 019ab3c2
            """)

    @Argument(help: .taskID) var id: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let shown = try await options.session().change { daybook in
            let task = try await daybook.tasks.cycle(daybook.tasks.find(id).id)
            return try daybook.read { try $0.shown(task) }
        }
        try options.report(shown, "\(shown.task.state.participle) \(shown.shortID)")
    }
}

extension TaskState {
    fileprivate var participle: String {
        switch self {
        case .notStarted, .unknown: "Reopened"
        case .active: "Started"
        case .completed: "Completed"
        }
    }
}
