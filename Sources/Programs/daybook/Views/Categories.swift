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
        try options.report(
            counts: categories.map { ($0.name, $0.open, $0.all) }, as: "categories", ifEmpty: "No task has a category.")
    }
}
