import ArgumentParser
import CommandSupport
import Daybook

/// The options of commands that show a page of a long view.
struct PagingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Show at most so many tasks.", valueName: "n")) var limit: Int?
    @Option(help: ArgumentHelp("Continue after a page: its \"next\" in JSON.", valueName: "token")) var after: String?

    mutating func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    /// The place after which to continue; nil for the beginning.
    var token: PageToken? {
        get throws {
            try after.map { text in
                guard let token = PageToken(text) else {
                    throw CommandError.usage("--after is not what a page gave as `next`. Give that, or leave it out.")
                }
                return token
            }
        }
    }
}

extension JSONWriter {
    /// Writes `{"tasks": [...], "next": ...}`.
    mutating func page(_ tasks: [ShownTask], next: PageToken?) {
        object { writer in
            writer.field("tasks", tasks)
            writer.field("next", next?.description)
        }
    }
}
