import ArgumentParser
import CommandSupport
import Daybook

extension ArgumentHelp {
    /// The help of an id.
    static var taskID: ArgumentHelp {
        ArgumentHelp("The task's id, or 4 or more digits of its end or beginning that fit no other.", valueName: "id")
    }

    /// The help of a list of ids.
    static var taskIDs: ArgumentHelp {
        ArgumentHelp("The tasks' ids, or 4 or more digits of the end or beginning of each.", valueName: "id")
    }

    /// The help of a day.
    static var day: ArgumentHelp {
        ArgumentHelp(
            "2026-02-11, today, tomorrow, +3d, fri, \"feb 11\" or another form of 'daybook help dates'.",
            valueName: "day")
    }
}

/// Refuses a text that cannot be an id, also where there is no store to look it up in.
func checkID(_ text: String) throws(TaskError) {
    guard IdentifierPrefix(text) == nil, IdentifierSuffix(text) == nil else { return }
    throw .notAnID(text)
}

/// Splits words into ids and the longest day at their end: no word of a day can be an id before it.
func idsAndDay(_ words: [String], in context: Context) throws -> (ids: [String], day: Day) {
    var failure = DatePhraseError.malformedDay
    for count in (1...min(5, words.count - 1)).reversed() {
        do throws(DatePhraseError) {
            let day = try Day(parsing: words.suffix(count).joined(separator: " "), in: context)
            return (words.dropLast(count), day)
        } catch {
            if error != .malformedDay { failure = error }
        }
    }
    throw failure
}

extension Session {
    /// Reads the task that an id names.
    func task(named id: String) throws -> TaskItem {
        try checkID(id)
        return try readExisting { try $0.task(named: id) }
    }

    /// Changes the tasks that ids name and returns them as they are afterwards. All ids are resolved before anything
    /// changes.
    func change(
        _ ids: [String], _ body: (TaskList, [UUID]) async throws -> [TaskItem]
    ) async throws -> [ShownTask] {
        try ids.forEach(checkID)
        return try await change { daybook in
            let found = try daybook.read { transaction in try ids.map { try transaction.task(named: $0).id } }
            let tasks = try await body(daybook.tasks, found)
            return try daybook.read { try $0.shown(tasks) }
        }
    }
}

extension GlobalOptions {
    /// Changes tasks and prints them: as they are afterwards with `--json`, else a line for each such as
    /// "Completed 3c2f".
    func change(
        _ ids: [String], _ verb: String, _ rest: String = "", _ body: (TaskList, [UUID]) async throws -> [TaskItem]
    ) async throws {
        let shown = try await session().change(ids, body)
        try report(shown, isSingle: ids.count == 1) { "\(verb) \($0.shortID)\(rest)" }
    }

    /// Prints changed tasks: with `--json` the task if a single one was named, else an object with a list; without it a
    /// line for each.
    func report(_ shown: [ShownTask], isSingle: Bool, _ line: (ShownTask) -> String) throws {
        guard json else { return try Output.standard.write(shown.map { line($0) + "\n" }.joined()) }
        if isSingle, let first = shown.first {
            try Output.standard.json { $0.value(first) }
        } else {
            try Output.standard.json { $0.tasks(shown) }
        }
    }
}
