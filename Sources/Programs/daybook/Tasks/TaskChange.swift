import CommandSupport
import Daybook

extension GlobalOptions {
    /// Changes one task and says so: the task as it is afterwards with `--json`, else a line such as
    /// "Completed 019ab3c2".
    func change(
        _ id: String, _ verb: String, _ rest: String = "", _ body: (TaskList, UUID) async throws -> TaskItem
    ) async throws {
        let shown = try await session().change { daybook in
            let task = try await body(daybook.tasks, daybook.tasks.find(id).id)
            return try daybook.read { try $0.shown(task) }
        }
        try report(shown, "\(verb) \(shown.shortID)\(rest)")
    }

    /// Prints a task with `--json`, else the line.
    func report(_ shown: ShownTask, _ line: String) throws {
        if json {
            try Output.standard.json { $0.value(shown.document) }
        } else {
            try Output.standard.write(line + "\n")
        }
    }
}
