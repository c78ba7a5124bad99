import ArgumentParser
import CommandSupport
import Daybook

/// Adds tasks without `await`: a main thread that waits for another exits, for which a static binary first sorts the
/// unwind tables of all its functions, which takes 12 milliseconds.
struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add a task and print its id once it is safe on the disk.",
        discussion: """
            --wait DAY hides the task until that day; a number is the option of all commands. Without --on the task goes into the Inbox, or onto today if it is given a region or a bucket. 'daybook add -' reads one task per line from standard input and \
            prints the id of each once it is safe; lines that arrive together are one step for undo.

            Examples:
              daybook add Buy milk
              daybook add Call Ada --on tomorrow --note "about the engine"
              daybook add Pay rent --list home --due 2026-03-01 --remind "2026-03-01 09:00"
              daybook add Write the report --region morning --bucket must
              daybook add Book the train --tag travel --priority high --wait mon
              daybook add Pack --under 3c2f
              daybook add "Call Ada tomorrow 17:30 #home !must" --parse
              printf 'one\\ntwo\\n' | daybook add - --on fri
            """)

    @Argument(help: "The text; '-' reads one task per line from standard input.")
    var text: [String]

    @Option(help: .day)
    var on: String?

    @Option(help: "A longer description.")
    var note: String?

    @Option(help: "A name that related tasks share.")
    var category: String?

    @Option(help: .list)
    var list: String?

    @Option(help: ArgumentHelp("When it is due: a day, a day and a time, or an instant.", valueName: "when"))
    var due: String?

    @Option(help: ArgumentHelp("When to remind of it: a day and a time, or an instant.", valueName: "when"))
    var remind: String?

    @Option(help: .region)
    var region: TaskRegion?

    @Option(help: .bucket)
    var bucket: TaskBucket?

    @Option(help: ArgumentHelp("A tag; give the option again for more.", valueName: "tag"))
    var tag: [String] = []

    @Option(help: .priority)
    var priority: TaskPriority?

    @Option(help: ArgumentHelp("The task that it is a part of.", valueName: "id"))
    var under: String?

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("When it recurs: a rule of 'daybook help dates'.", valueName: "rule"))
    var rule: String?

    @Flag(help: "Read a day, a time, #tag, !priority, !bucket, @region and a rule at the end of the text.")
    var parse = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session(takingWaitDay: true)
        if let under { try checkID(under) }
        let model = try model(in: session)
        if text == ["-"] { return try addLines(in: session, as: model) }
        let text = text.joined(separator: " ")
        guard !text.allSatisfy(\.isWhitespace) else { return Output.report("The text is empty, so nothing was added.") }
        let shown = try session.write(creating: true) { daybook in
            guard let task = try daybook.tasks.create([task(text, as: listed(model, in: daybook), in: session)]).first
            else {
                throw TaskError.emptyText
            }
            return options.json
                ? try daybook.read { try $0.shown(task) } : ShownTask(unplaced: task, zone: session.context.zone)
        }
        try options.report([shown], isSingle: true) { $0.task.id.lowercased }
    }

    /// The values that all tasks share, except for the list, which only an open store can name.
    private func model(in session: Session) throws -> NewTask {
        var task = NewTask(
            "", on: try on.map { try Day(parsing: $0, in: session.context) },
            notes: note.flatMap { $0.isEmpty ? nil : $0 })
        task.category = category.flatMap { $0.isEmpty ? nil : $0 }
        task.region = region
        task.bucket = bucket
        (task.tags, task.priority) = (tag, priority ?? .none)
        task.waitUntil = try options.waitWords.map { try Day(parsing: $0, in: session.context) }
        task.due = try due.flatMap { try session.moment([$0]).map { TaskDue($0) } }
        task.reminder = try remind.flatMap { try session.moment([$0])?.reminder() }
        task.recurrence = try rule.map {
            try RecurrenceRule(parsing: $0, from: task.anchor(in: session.context.zone), in: session.context)
        }
        return task
    }

    /// Returns a task of a text. With --parse its phrases apply unless an option overrides them.
    private func task(_ text: String, as model: NewTask, in session: Session) throws -> NewTask {
        var task = model
        task.text = text
        guard parse else { return task }
        let found = QuickAdd(parsing: text, in: session.context)
        task.text = found.text
        task.day = task.day ?? found.day
        task.reminder = try task.reminder ?? found.reminder?.reminder()
        task.due = task.due ?? found.due.map { TaskDue($0) }
        task.category = task.category ?? found.category
        task.tags += found.tags
        if priority == nil { task.priority = found.priority ?? .none }
        task.bucket = task.bucket ?? found.bucket
        task.region = task.region ?? found.region
        task.recurrence =
            task.recurrence ?? found.rule?.anchored(at: task.anchor(in: session.context.zone) ?? session.today)
        return task
    }

    private func listed(_ task: NewTask, in daybook: DaybookStore) throws -> NewTask {
        var task = task
        if let list { task.list = try daybook.read { try $0.list(named: list).id } }
        if let under { task.parent = try daybook.read { try $0.task(named: under).id } }
        return task
    }

    private func addLines(in session: Session, as model: NewTask) throws {
        var lines = LineReader(.standard)
        var hasBadLine = false
        try session.write(creating: true) { daybook in
            let model = try listed(model, in: daybook)
            while let arrived = try lines.next() {
                var tasks: [NewTask] = []
                for (number, line) in arrived {
                    switch line {
                    case .text(let text) where text.allSatisfy(\.isWhitespace): break
                    case .text(let text): tasks.append(try task(text, as: model, in: session))
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
                writer.value(try transaction.shown(task))
                writer.newline()
            }
        }
        try Output.standard.write(writer.bytes)
    }
}

extension ShownTask {
    /// Creates a task of which only the id will be shown, without reading the store.
    fileprivate init(unplaced task: TaskItem, zone: Zone) {
        self.init(
            task: task, sortOrder: 0, shortID: task.id.lowercased, zone: zone, today: task.scheduledDate ?? .first)
    }
}
