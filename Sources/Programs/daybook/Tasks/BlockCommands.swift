import ArgumentParser
import CommandSupport
import Daybook

struct Block: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a task wait for another one.",
        discussion: """
            The task is marked in the views and has "blockedBy" in JSON while the other one is open. A task cannot wait for \
            itself, nor for one that waits for it, at once or through others. Deleting either of them unlinks them.

            Examples:
              daybook block 3c2f --by 81d0
            """)

    @Argument(help: .taskID) var id: String
    @Option(help: ArgumentHelp("The task that must be completed first.", valueName: "id")) var by: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let shown = try await options.session().change([id, by]) { tasks, found in
            [try await tasks.block(found[0], by: found[1])]
        }
        try options.report(shown, isSingle: true) { "Blocked \($0.shortID)" }
    }
}

struct Unblock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a task no longer wait for another one.",
        discussion: """
            Examples:
              daybook unblock 3c2f --by 81d0
            """)

    @Argument(help: .taskID) var id: String
    @Option(help: ArgumentHelp("The task that it waits for.", valueName: "id")) var by: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let shown = try await options.session().change([id, by]) { tasks, found in
            [try await tasks.unblock(found[0], by: found[1])]
        }
        try options.report(shown, isSingle: true) { "Unblocked \($0.shortID)" }
    }
}
