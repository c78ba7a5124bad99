import ArgumentParser
import CommandSupport
import Daybook

struct Find: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find tasks by words of their texts and notes, or by their tags and other fields.",
        discussion: """
            All words must be there, in any order; case and accents do not matter. The beginning of a word is enough: tasks \
            with all words as a whole come first, then the others, each the newest first. Archived tasks are left out, \
            except with --archived.

            Without words it shows the tasks that the options select, the newest first; with --archived alone these are the \
            archived ones.

            Examples:
              daybook find ada call
              daybook find milk --open --from today
              daybook find report --category work --limit 100 --json
              daybook find --tag errand --priority high
              daybook find --archived
            """)

    @Argument(help: "Words, or beginnings of words.") var words: [String] = []
    @Flag(help: "Leave out completed tasks.") var open = false
    @Flag(help: "Include archived tasks.") var archived = false
    @Option(help: .list) var list: String?
    @Option(help: "Only tasks of this category.") var category: String?
    @Option(help: ArgumentHelp("Only tasks scheduled on this day or later.", valueName: "day")) var from: String?
    @Option(help: ArgumentHelp("Only tasks scheduled on this day or earlier.", valueName: "day")) var to: String?
    @Option(help: "How many tasks to show at most.") var limit = 20
    @Option(help: "Continue after a page: its \"next\" in JSON.") var after: String?
    @OptionGroup var kind: KindFilter
    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
        let selects =
            archived || list != nil || category != nil || from != nil || to != nil || !kind.tag.isEmpty
            || kind.priority != nil
        guard !words.isEmpty || selects else {
            throw ValidationError("Name the words, or what else the tasks have, such as --tag errand.")
        }
    }

    func run() throws {
        let session = try reading.session(options)
        let filter = SearchFilter(
            openOnly: open, category: category, from: try from.map { try Day(parsing: $0, today: session.today) },
            to: try to.map { try Day(parsing: $0, today: session.today) }, includesArchived: archived, tags: kind.tag,
            priority: kind.priority)
        let token = try after.map { text in
            guard let token = PageToken(text) else { throw Self.badToken }
            return token
        }
        let found = try session.read { try page(filter, after: token, in: $0) }
        let tasks = found?.tasks ?? []
        if options.json {
            return try Output.standard.json { $0.page(tasks, next: found?.next) }
        }
        var table = TaskTable()
        if tasks.isEmpty {
            table.line(words.isEmpty ? "There are no such tasks." : "No task has these words.")
        } else {
            table.rows(tasks)
        }
        if let next = found?.next { table.line("There are more: add --after \(next)") }
        try Output.standard.write(table.text)
    }

    private func page(
        _ filter: SearchFilter, after token: PageToken?, in transaction: ReadTransaction
    ) throws -> (tasks: [ShownTask], next: PageToken?) {
        var filter = filter
        if let list { filter.listID = try transaction.list(named: list).id }
        let page = try transaction.tasks.search(words.joined(separator: " "), filter, after: token, limit: limit)
        return (try transaction.shown(page.records), page.next)
    }

    private static let badToken = CommandError.usage(
        "--after needs the \"next\" of an earlier page of the same search. Leave it out to begin again.")
}
