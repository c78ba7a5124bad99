import ArgumentParser
import CommandSupport
import Daybook

struct Wait: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hide tasks until a day.",
        usage: "daybook wait <id> ... <day>|none",
        discussion: """
            Before that day they are not in the Inbox, their lists or a plan, but in 'daybook waiting'. They reappear \
            when the day begins. A task that is scheduled on a later day is shown on its day all the time.

            Examples:
              daybook wait 3c2f mon
              daybook wait 3c2f 81d0 in 2 weeks
              daybook wait 3c2f none
            """)

    @Argument(help: ArgumentHelp("The tasks' ids and, last, the day, or none.", valueName: "id> ... <day"))
    var words: [String]
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard words.count >= 2 else { throw ValidationError("Missing expected argument '<day>'") }
    }

    func run() async throws {
        if words.last?.lowercased() == "none" {
            return try await options.change(Array(words.dropLast()), "Showed", " again") {
                try await $0.wait($1, until: nil)
            }
        }
        let (ids, day) = try idsAndDay(words, in: options.session().context)
        try await options.change(ids, "Hid", " until \(day)") { try await $0.wait($1, until: day) }
    }
}

struct Waiting: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the tasks that are hidden, in the order in which they come back.",
        discussion: """
            Examples:
              daybook waiting
              daybook waiting --json
            """)

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let tasks = try reading.session(options).read { try $0.shown($0.tasks.waiting()) } ?? []
        if options.json { return try Output.standard.json { $0.tasks(tasks) } }
        var table = TaskTable()
        if tasks.isEmpty { table.line("No task is hidden.") } else { table.rows(tasks) }
        try Output.standard.write(table.text)
    }
}
