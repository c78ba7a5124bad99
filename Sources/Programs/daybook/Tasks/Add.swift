import ArgumentParser
import CommandSupport
import Daybook

/// `daybook add`
///
/// It runs without `await`: a main thread that has to wait for another ends itself, for which a static binary sorts the
/// tables of all its functions, 12 milliseconds long.
struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Adds a task, and prints its id once it is safely on the disk.",
        discussion: """
            Without --on it goes into the Inbox. 'daybook add -' reads tasks from standard input, one a line, and \
            prints the id of each as soon as that one is safe; lines that arrive together are one step for undo.

            Examples:
              daybook add Buy milk
              daybook add Call Ada --on tomorrow --note "about the engine"
              printf 'one\\ntwo\\n' | daybook add - --on fri
            """)

    @Argument(help: "What is to be done; '-' reads one task a line from standard input.")
    var text: [String]

    @Option(help: .day)
    var on: String?

    @Option(help: "Anything more to say.")
    var note: String?

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let day = try on.map { try Day(parsing: $0, today: session.today) }
        if text == ["-"] { return try addLines(in: session, on: day) }
        let text = text.joined(separator: " ")
        guard !text.allSatisfy(\.isWhitespace) else { return Output.report("The text is empty, so nothing was added.") }
        let shown = try session.write(creating: true) { daybook in
            guard let task = try daybook.tasks.create([NewTask(text, on: day, notes: note)]).first else {
                throw TaskError.emptyText
            }
            return options.json ? try daybook.read { try $0.shown(task) } : ShownTask(unplaced: task)
        }
        try options.report(shown, shown.task.id.lowercased)
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
                    case .text(let text): tasks.append(NewTask(text, on: day, notes: note))
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

    /// One write for all of them: they became durable at once.
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
    /// A task of which only the id is going to be shown, which needs no look into the store.
    fileprivate init(unplaced task: TaskItem) {
        self.init(task: task, sortOrder: 0, shortID: task.id.lowercased)
    }
}
