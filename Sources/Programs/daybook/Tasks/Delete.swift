import ArgumentParser
import CommandSupport
import Daybook

/// `daybook delete`
struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deletes a task.",
        discussion: """
            There is no question first: 'daybook undo' brings it back. What was completed stays counted. With --json \
            the task is printed as it was.

            Examples:
              daybook delete 019ab3c2
            """)

    @Argument(help: .taskID) var id: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let shown = try await options.session().change { daybook in
            let shown = try daybook.read { try $0.shown($0.tasks.find(id)) }
            try await daybook.tasks.delete(shown.task.id)
            return shown
        }
        try options.report(shown, "Deleted \(shown.shortID)")
    }
}
