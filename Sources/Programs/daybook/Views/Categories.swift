import ArgumentParser
import CommandSupport
import Daybook

struct Categories: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the categories, with the numbers of their tasks.",
        discussion: """
            Categories that differ only in case and accents are one. Archived tasks do not count.

            Examples:
              daybook categories
              daybook categories --json
            """)

    @OptionGroup var reading: ReadingOptions

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let categories = try reading.session(options).read { try $0.tasks.categories() } ?? []
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.array("categories") { writer in
                        for category in categories {
                            writer.object { writer in
                                writer.field("name", category.name)
                                writer.field("open", category.open)
                                writer.field("all", category.all)
                            }
                        }
                    }
                }
            }
        }
        var table = TaskTable()
        for category in categories {
            table.line("\(VisibleText.of(category.name)): \(category.open) open, \(category.all) in all")
        }
        if categories.isEmpty { table.line("No task has a category.") }
        try Output.standard.write(table.text)
    }
}
