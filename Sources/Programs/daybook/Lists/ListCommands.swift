import ArgumentParser
import CommandSupport
import Daybook

/// Shows all lists.
struct Lists: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the lists with their open tasks.",
        discussion: """
            Examples:
              daybook lists
              daybook lists --json
            """)

    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let overview = try reading.session(options).read { try $0.tasks.lists() }
        let lists = ShownList.all(overview?.lists ?? [])
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("unlisted", overview?.unlisted ?? 0)
                    writer.field("lists", lists)
                }
            }
        }
        var table = TaskTable()
        // One long name must not make every line as long.
        let width = min(lists.map(\.nameColumns).max() ?? 0, 40)
        table.line("\("No list".padded(to: max(width, 7)))  \(overview?.unlisted ?? 0) open")
        for list in lists {
            table.line("\(list.name.padded(to: max(width, 7)))  \(list.open) open")
        }
        try Output.standard.write(table.text)
    }
}

/// The commands that change a list.
struct ListCommands: ParsableCommand {
    static let commands: CommandTable = [
        "add": ListAdd.self,
        "rename": ListRename.self,
        "color": ListColor.self,
        "reorder": ListReorder.self,
        "delete": ListDelete.self,
        "show": ListShow.self,
    ]

    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Create, change, delete and show lists.",
        discussion: """
            A LIST is an id or a name: exact, then without regard to case, then the beginning of one name.

            Examples:
              daybook list add Home --color FF6B6B
              daybook list show home
            """,
        subcommands: commands.map(\.value))
}

struct ListAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Create a list and print its id.",
        discussion: """
            Examples:
              daybook list add Home --color FF6B6B
            """)

    @Argument(help: "The name.") var name: [String]
    @Option(help: .color) var color: String?
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let shown = try await options.session().write(creating: true) { daybook in
            let list = try await daybook.tasks.createList(name.joined(separator: " "), color: color)
            return try daybook.read { try $0.shown(list) }
        }
        try options.report(shown) { _ in shown.list.id.lowercased }
    }
}

struct ListRename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a list another name.",
        discussion: """
            Examples:
              daybook list rename home House
            """)

    @Argument(help: .list) var list: String
    @Argument(help: "The new name.") var name: [String]
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(list, "Renamed") { try await $0.renameList($1, to: name.joined(separator: " ")) }
    }
}

struct ListColor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "color", abstract: "Give a list another color.",
        discussion: """
            Examples:
              daybook list color home 34C759
            """)

    @Argument(help: .list) var list: String
    @Argument(help: .color) var color: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.change(list, "Colored") { try await $0.colorList($1, color) }
    }
}

struct ListReorder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reorder", abstract: "Move a list to another place among the lists.",
        discussion: """
            Examples:
              daybook list reorder home --first
              daybook list reorder home --after work
            """)

    @Argument(help: .list) var list: String
    @Flag(help: "Move it before all others.") var first = false
    @Flag(help: "Move it after all others.") var last = false
    @Option(help: ArgumentHelp("Move it directly before another list.", valueName: "list")) var before: String?
    @Option(help: ArgumentHelp("Move it directly after another list.", valueName: "list")) var after: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard [first, last, before != nil, after != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Name the position: one of --first, --last, --before LIST, --after LIST.")
        }
    }

    func run() async throws {
        try await options.change(list, "Moved") { tasks, id in
            let place: OrderPosition<UUID> =
                if let before { .before(try tasks.findList(before).id) } else if let after {
                    .after(try tasks.findList(after).id)
                } else { first ? .first : .last }
            return try await tasks.reorderList(id, to: place)
        }
    }
}

struct ListDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a list with its tasks.",
        discussion: """
            Asks for confirmation if the list has tasks, unless --yes is given. 'daybook undo' brings all of it back; what \
            was completed stays counted.

            Examples:
              daybook list delete home --yes
            """)

    @Argument(help: .list) var list: String
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        let (found, hasTasks) = try session.readLists { transaction in
            let found = try transaction.list(named: list)
            return (found, try !transaction.tasks.tasks(inList: found.id, limit: 1).isEmpty)
        }
        if hasTasks, !yes {
            guard let answer = Terminal.ask("Delete this list with all of its tasks? [y/N] ") else {
                throw CommandError.usage("There is no terminal to ask for confirmation. Use --yes.")
            }
            guard ["y", "yes"].contains(answer.lowercased()) else {
                throw CommandError.notAllowed("Nothing was deleted.")
            }
        }
        let count = try await session.write { try await $0.tasks.deleteList(found.id).tasks }
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("list", found.id)
                    writer.field("tasks", count)
                }
            }
        }
        try Output.standard.write("Deleted the list with \(count) \(count == 1 ? "task" : "tasks")\n")
    }
}

struct ListShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the tasks of a list in its order.",
        discussion: """
            Subtasks are indented below their tasks. --tag and --priority leave out the others.

            Examples:
              daybook list show home
              daybook list show home --sort priority --tag errand
            """)

    /// The orders of a list.
    enum Order: String, CaseIterable, ExpressibleByArgument {
        case order, priority, due
    }

    @Argument(help: .list) var list: String
    @Option(help: "How to sort: by the person's own order, by priority or by due date.") var sort = Order.order
    @OptionGroup var kind: KindFilter
    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let (shown, tasks) = try reading.session(options).readLists { transaction in
            let list = try transaction.list(named: list)
            return (
                try transaction.shown(list),
                try transaction.shown(
                    sorted(transaction.tasks.tasks(inList: list.id).filter(kind.includes), in: transaction))
            )
        }
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("list", shown)
                    writer.field("tasks", tasks)
                }
            }
        }
        var table = TaskTable()
        table.heading("\(shown.name), \(shown.open) open")
        if tasks.isEmpty { table.line("No tasks in this list.") } else { table.rows(tasks) }
        try Output.standard.write(table.text)
    }

    /// The tasks in the order that was asked for; those that are equal in it in the person's own order.
    private func sorted(_ tasks: [TaskItem], in transaction: ReadTransaction) -> [TaskItem] {
        switch sort {
        case .order: return tasks
        case .priority: return tasks.stableSorted { ($0.isCompleted ? 1 : 0, $0.priority.rank) }
        case .due:
            let zone = transaction.tasks.zone
            return tasks.stableSorted { task in
                guard !task.isCompleted, let due = task.due(in: zone) else { return (1, 0) }
                return (0, Int(due.end(in: zone).microsecondsSince1970))
            }
        }
    }
}

struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move tasks to a list or out of any, or below another task or out of any.",
        discussion: """
            The tasks come last in the list, or among the subtasks of the other task. A subtask keeps its day and its list.

            Examples:
              daybook move 3c2f 81d0 --to home
              daybook move 3c2f --unlisted
              daybook move 3c2f 81d0 --under 5ab3
              daybook move 3c2f --top
            """)

    @Argument(help: .taskIDs) var ids: [String]
    @Option(help: .list) var to: String?
    @Flag(help: "Move the tasks out of their lists.") var unlisted = false
    @Option(help: ArgumentHelp("Make the tasks parts of this one.", valueName: "id")) var under: String?
    @Flag(help: "Make the tasks parts of no other.") var top = false
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard [to != nil, unlisted, under != nil, top].count(where: { $0 }) == 1 else {
            throw ValidationError("Say where to: one of --to LIST, --unlisted, --under ID, --top.")
        }
    }

    func run() async throws {
        if let under {
            let shown = try await options.session().change(ids + [under]) { tasks, found in
                try await tasks.move(Array(found.dropLast()), under: found[found.count - 1])
            }
            return try options.report(shown, isSingle: ids.count == 1) { "Moved \($0.shortID) below \(under)" }
        }
        if top {
            return try await options.change(ids, "Moved", " out of its task") { try await $0.move($1, under: nil) }
        }
        try await options.change(ids, "Moved", unlisted ? " out of its list" : " to the list") { tasks, found in
            let list = try to.map { try tasks.findList($0).id }
            return try await tasks.move(found, toList: list)
        }
    }
}

extension [TaskItem] {
    /// Sorted by two numbers; tasks with the same keep their order.
    fileprivate func stableSorted<A: Comparable, B: Comparable>(by key: (TaskItem) -> (A, B)) -> [TaskItem] {
        let keys = enumerated().map { (key: key($1), place: $0) }
        return keys.sorted { $0.key == $1.key ? $0.place < $1.place : $0.key < $1.key }.map { self[$0.place] }
    }
}
