import ArgumentParser
import Daybook

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
