import ArgumentParser
import CommandSupport
import Daybook

struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete tasks.",
        discussion: """
            There is no confirmation: 'daybook undo' brings them back. What was completed stays counted. With --json \
            the tasks are printed as they were.

            Examples:
              daybook delete 3c2f
              daybook delete 3c2f 81d0
            """)

    @Argument(help: .taskIDs) var ids: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let shown = try await options.session().remove(ids) { try await $0.delete($1) }
        try options.report(shown, isSingle: ids.count == 1) { "Deleted \($0.shortID)" }
    }
}

struct Purge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove every trace of tasks, with their completions in the statistics.",
        discussion: """
            This cannot be undone. Asks for confirmation, unless --yes is given. With --json the tasks are printed as \
            they were.

            Examples:
              daybook purge 3c2f
              daybook purge 3c2f 81d0 --yes
            """)

    @Argument(help: .taskIDs) var ids: [String]
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        if !yes {
            // Checked before the question, so that a confirmed purge can be performed.
            try ids.forEach(checkID)
            let tasks = try session.readExisting { transaction in try ids.map { try transaction.task(named: $0) } }
            let count = Set(tasks.map(\.id)).count
            let question = "Remove every trace of \(count == 1 ? "this task" : "these \(count) tasks")? [y/N] "
            guard let answer = Terminal.ask(question) else {
                throw CommandError.usage("There is no terminal to ask for confirmation. Use --yes.")
            }
            guard ["y", "yes"].contains(answer.lowercased()) else {
                throw CommandError.notAllowed("Nothing was purged.")
            }
        }
        let shown = try await session.remove(ids) { try await $0.purge($1) }
        try options.report(shown, isSingle: ids.count == 1) { "Purged \($0.shortID)" }
    }
}

extension Session {
    /// Removes the tasks that ids name and returns them as they were.
    fileprivate func remove(
        _ ids: [String], _ body: (TaskList, [UUID]) async throws -> Void
    ) async throws -> [ShownTask] {
        try ids.forEach(checkID)
        return try await change { daybook in
            let shown = try daybook.read { transaction in
                var known: Set<UUID> = []
                let tasks = try ids.map { try transaction.task(named: $0) }
                return try transaction.shown(tasks.filter { known.insert($0.id).inserted })
            }
            try await body(daybook.tasks, shown.map(\.task.id))
            return shown
        }
    }
}
