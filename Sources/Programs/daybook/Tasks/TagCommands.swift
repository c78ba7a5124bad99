import ArgumentParser
import CommandSupport
import Daybook

struct Tag: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give tasks tags.",
        usage: "daybook tag <id> ... <tag> ...",
        discussion: """
            Words that name a task are ids, up to the first one that does not; the others are tags, with or without # before \
            them. The last word is always a tag. Tags that differ only in case and accents are one.

            Examples:
              daybook tag 3c2f errand
              daybook tag 3c2f 81d0 home urgent
            """)

    @Argument(help: .idsAndTags) var words: [String]
    @OptionGroup var options: GlobalOptions

    func validate() throws { try checkIDsAndTags(words) }

    func run() async throws {
        try await options.changeTags(words, "Tagged") { try await $0.tag($1, $2) }
    }
}

struct Untag: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take tags from tasks.",
        usage: "daybook untag <id> ... <tag> ...",
        discussion: """
            Words are ids and tags as in 'daybook tag'. A tag that a task does not have changes nothing.

            Examples:
              daybook untag 3c2f urgent
            """)

    @Argument(help: .idsAndTags) var words: [String]
    @OptionGroup var options: GlobalOptions

    func validate() throws { try checkIDsAndTags(words) }

    func run() async throws {
        try await options.changeTags(words, "Untagged") { try await $0.untag($1, $2) }
    }
}

struct Tags: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the tags, with the numbers of their tasks.",
        discussion: """
            Tags that differ only in case and accents are one. Archived tasks do not count.

            Examples:
              daybook tags
              daybook tags --json
            """)

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let tags = try reading.session(options).read { try $0.tasks.tags() } ?? []
        try options.report(
            counts: tags.map { ($0.name, $0.open, $0.all) }, as: "tags", ifEmpty: "No task has a tag.")
    }
}

struct Priority: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set how important tasks are.",
        usage: "daybook priority <id> ... high|medium|low|none",
        discussion: """
            Examples:
              daybook priority 3c2f high
              daybook priority 3c2f 81d0 none
            """)

    @Argument(help: ArgumentHelp("The tasks' ids and, last, the priority.", valueName: "id> ... <priority"))
    var words: [String]
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard words.count >= 2, let last = words.last, TaskPriority(argument: last) != nil else {
            throw ValidationError("The last word must be the priority: high, medium, low or none.")
        }
    }

    func run() async throws {
        guard let priority = words.last.flatMap(TaskPriority.init(argument:)) else { return }
        let (verb, rest) =
            priority == .none ? ("Removed the priority of", "") : ("Set", " to \(priority.name) priority")
        try await options.change(Array(words.dropLast()), verb, rest) { try await $0.setPriority($1, to: priority) }
    }
}

extension TaskPriority: ExpressibleByArgument {
    /// The value of a name on the command line.
    public init?(argument: String) { self.init(name: argument.lowercased()) }

    /// The name in the help.
    public var defaultValueDescription: String { name }

    /// The names that the command line takes.
    public static var allValueStrings: [String] { ["high", "medium", "low", "none"] }
}

extension ArgumentHelp {
    /// The help of a priority.
    static var priority: ArgumentHelp {
        ArgumentHelp("How important it is: high, medium, low or none.", valueName: "priority")
    }

    fileprivate static var idsAndTags: ArgumentHelp {
        ArgumentHelp("The tasks' ids, then the tags.", valueName: "id> ... <tag")
    }
}

/// Refuses words of which none can be an id, or none a tag.
private func checkIDsAndTags(_ words: [String]) throws {
    guard words.count >= 2 else { throw ValidationError("Missing expected argument '<tag> ...'") }
    if words.dropFirst().allSatisfy({ $0.allSatisfy { $0 == "#" || $0.isWhitespace } }) {
        throw ValidationError("A tag needs a name.")
    }
}

extension GlobalOptions {
    /// Changes the tags of tasks: of words that are ids of tasks up to the first that is none, and tags from there on.
    fileprivate func changeTags(
        _ words: [String], _ verb: String, _ body: (TaskList, [UUID], [String]) async throws -> [TaskItem]
    ) async throws {
        try checkID(words[0])
        var count = 1
        let shown = try await session().change { daybook in
            let ids = try daybook.read { transaction in
                var ids = [try transaction.task(named: words[0]).id]
                // Where a word could be both, a task that exists is meant.
                for word in words.dropFirst().dropLast() {
                    guard let id = try? transaction.tasks.find(word).id else { break }
                    ids.append(id)
                }
                return ids
            }
            count = ids.count
            let tasks = try await body(daybook.tasks, ids, Array(words.dropFirst(ids.count)))
            return try daybook.read { try $0.shown(tasks) }
        }
        try report(shown, isSingle: count == 1) { "\(verb) \($0.shortID)" }
    }

    /// Prints names with the numbers of their tasks.
    func report(counts: [(name: String, open: Int, all: Int)], as key: String, ifEmpty line: String) throws {
        if json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.array(key) { writer in
                        for count in counts {
                            writer.object { writer in
                                writer.field("name", count.name)
                                writer.field("open", count.open)
                                writer.field("all", count.all)
                            }
                        }
                    }
                }
            }
        }
        var table = TaskTable()
        for count in counts { table.line("\(VisibleText.of(count.name)): \(count.open) open, \(count.all) in all") }
        if counts.isEmpty { table.line(line) }
        try Output.standard.write(table.text)
    }
}
