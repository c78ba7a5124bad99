import ArgumentParser
import CommandSupport
import Daybook

struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mark tasks as being worked on.",
        discussion: """
            Examples:
              daybook start 3c2f
            """)

    @Argument(help: .taskIDs) var ids: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(ids, "Started") { try await $0.setState($1, to: .active) }
    }
}

struct Done: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mark tasks as completed.",
        discussion: """
            A completed task stays in its view until the day is over, and counts in the statistics from now on. A task \
            that is already completed keeps its time. Several ids are one change: all tasks are completed, or none.

            Examples:
              daybook done 3c2f
              daybook done 3c2f 81d0 77aa --json
            """)

    @Argument(help: .taskIDs) var ids: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(ids, "Completed") { try await $0.setState($1, to: .completed) }
    }
}

struct Reopen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mark tasks as not started.",
        discussion: """
            A completed task then no longer counts in the statistics.

            Examples:
              daybook reopen 3c2f
            """)

    @Argument(help: .taskIDs) var ids: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(ids, "Reopened") { try await $0.setState($1, to: .notStarted) }
    }
}

struct Cycle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Advance tasks: not started, active, completed, not started.",
        discussion: """
            Examples:
              daybook cycle 3c2f
            """)

    @Argument(help: .taskIDs) var ids: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let shown = try await options.session().change(ids) { try await $0.cycle($1) }
        try options.report(shown, isSingle: ids.count == 1) { "\($0.task.state.participle) \($0.shortID)" }
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
