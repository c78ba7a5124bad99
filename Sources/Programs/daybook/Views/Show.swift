import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials

/// `daybook show`
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows every field of one task.",
        discussion: """
            Examples:
              daybook show 019ab3c2
              daybook show 019ab3c2 --json
            """)

    @Argument(help: .taskID)
    var id: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let shown = try options.session().readExisting { try $0.shown($0.tasks.find(id)) }
        if options.json { return try Output.standard.json { $0.value(shown.document) } }
        let fields = Self.fields(of: shown.document)
        let width = (fields.map(\.name.count).max() ?? 0) + 2
        try Output.standard.write(
            fields.map { "\("\($0.name):".padded(to: width))\($0.value)\n" }.joined())
    }

    /// By reflection, so that a field that is added to the model is shown without a change here. Empty ones are left out.
    private static func fields(of document: TaskDocument) -> [(name: String, value: String)] {
        Mirror(reflecting: document).children.compactMap { child in
            guard let name = child.label, !notFields.contains(name) else { return nil }
            guard let value = text(of: child.value) else { return nil }
            return (name, VisibleText.of(value))
        }
    }

    /// What a document says of a file, which a task of the store does not come from.
    private static let notFields: Set = ["isUndated", "gaps"]

    private static func text(of value: Any) -> String? {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional { return mirror.children.first.flatMap { text(of: $0.value) } }
        return (value as? UUID)?.lowercased ?? "\(value)"
    }
}

extension ArgumentHelp {
    /// How an id is described everywhere.
    static var taskID: ArgumentHelp {
        ArgumentHelp("The task's id, or its first 4 characters or more while they fit no other.", valueName: "id")
    }
}
