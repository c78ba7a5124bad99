import ArgumentParser
import CommandSupport
import Daybook

/// Adds tasks without `await`: a main thread that waits for another exits, for which a static binary first sorts the
/// unwind tables of all its functions, which takes 12 milliseconds.
struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add a task and print its id once it is safe on the disk.",
        discussion: """
            Without --on the task goes into the Inbox, or onto today if it is given a region or a bucket. 'daybook add -' reads one task per line from standard input and \
            prints the id of each once it is safe; lines that arrive together are one step for undo.

            Examples:
              daybook add Buy milk
              daybook add Call Ada --on tomorrow --note "about the engine"
              daybook add Write the report --region morning --bucket must
              printf 'one\\ntwo\\n' | daybook add - --on fri
            """)

    @Argument(help: "The text; '-' reads one task per line from standard input.")
    var text: [String]

    @Option(help: .day)
    var on: String?

    @Option(help: "A longer description.")
    var note: String?

    @Option(help: .region)
    var region: TaskRegion?

    @Option(help: .bucket)
    var bucket: TaskBucket?

    @OptionGroup var options: GlobalOptions

    /// The task of a text, as the options describe it.
    private func task(_ text: String, on day: Day?) -> NewTask {
        var task = NewTask(text, on: day, notes: note)
        task.region = region
        task.bucket = bucket
        return task
    }

    func run() throws {
        let session = try options.session()
        let day = try on.map { try Day(parsing: $0, today: session.today) }
        if text == ["-"] { return try addLines(in: session, on: day) }
        let text = text.joined(separator: " ")
        guard !text.allSatisfy(\.isWhitespace) else { return Output.report("The text is empty, so nothing was added.") }
        let shown = try session.write(creating: true) { daybook in
            guard let task = try daybook.tasks.create([task(text, on: day)]).first else {
                throw TaskError.emptyText
            }
            return options.json ? try daybook.read { try $0.shown(task) } : ShownTask(unplaced: task)
        }
        try options.report([shown], isSingle: true) { $0.task.id.lowercased }
    }

    private func addLines(in session: Session, on day: Day?) throws {
        var lines = LineReader(.standard)
        var hasBadLine = false
        try session.write(creating: true) { daybook in
            while let arrived = try lines.next() {
                var tasks: [NewTask] = []
                for (number, line) in arrived {
                    switch line {
                    case .text(let text) where text.allSatisfy(\.isWhitespace): break
                    case .text(let text): tasks.append(task(text, on: day))
                    case .unusable(let reason):
                        hasBadLine = true
                        Output.report("Line \(number) \(reason), so it was not added. Repair it and add it again.")
                    }
                }
                if !tasks.isEmpty { try acknowledge(daybook.tasks.create(tasks), in: daybook) }
            }
        }
        if hasBadLine { throw CommandError.finished(.usage) }
    }

    /// Prints ids in one write, since one commit made them durable.
    private func acknowledge(_ tasks: [TaskItem], in daybook: DaybookStore) throws {
        guard options.json else {
            return try Output.standard.write(tasks.map { $0.id.lowercased + "\n" }.joined())
        }
        var writer = JSONWriter()
        try daybook.read { transaction in
            for task in tasks {
                writer.value(try transaction.shown(task).document)
                writer.newline()
            }
        }
        try Output.standard.write(writer.bytes)
    }
}

extension ShownTask {
    /// Creates a task of which only the id will be shown, without reading the store.
    fileprivate init(unplaced task: TaskItem) {
        self.init(task: task, sortOrder: 0, shortID: task.id.lowercased)
    }
}
