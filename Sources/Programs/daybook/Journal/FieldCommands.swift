import ArgumentParser
import CommandSupport
import Daybook

struct JournalFields: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fields", abstract: "Show the custom fields of a thread.",
        discussion: """
            Examples:
              daybook journal fields garden
            """)

    @Argument(help: .thread) var thread: String
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let fields = try options.session().readJournal { reading in
            try reading.fields(of: reading.thread(named: thread).id)
        }
        try options.report("fields", fields.map(ShownField.init)) {
            fields.isEmpty ? "No fields. 'daybook journal field add' adds one.\n" : fields.map(line(fields)).joined()
        }
    }

    /// Fields of a group have its name before theirs.
    private func line(_ fields: [FieldSummary]) -> (FieldSummary) -> String {
        let byID = Dictionary(fields.map { ($0.field.id, $0) }, uniquingKeysWith: { $1 })
        return { summary in
            var (path, above) = ([summary.field.name], summary.groupID)
            while let id = above, let group = byID[id], path.count <= fields.count {
                path.insert(group.field.name, at: 0)
                above = group.groupID
            }
            return path.map(VisibleText.of).joined(separator: " › ") + (summary.field.isGroup ? " ›" : "") + "\n"
        }
    }
}

/// The commands that change the fields of a thread.
struct FieldCommands: ParsableCommand {
    static let commands: CommandTable = [
        "add": FieldAdd.self,
        "rename": FieldRename.self,
        "order": FieldOrder.self,
        "delete": FieldDelete.self,
    ]

    static let configuration = CommandConfiguration(
        commandName: "field",
        abstract: "Add, rename, order and delete the custom fields of a thread.",
        discussion: """
            Examples:
              daybook journal field add garden Weather
              daybook journal write garden --field Weather=sunny Planted roses.
            """,
        subcommands: commands.map(\.value))
}

extension GlobalOptions {
    /// Changes the fields of a thread and prints them all as JSON, or a line.
    fileprivate func changeFields(
        _ thread: String, _ body: (JournalTransaction, UUID) throws -> String
    ) throws {
        let (line, fields) = try session().changeJournal(.editFields) { journals in
            let found = try journals.reading.thread(named: thread).id
            let line = try body(journals, found)
            return (line, try journals.reading.fields(of: found))
        }
        try report("fields", fields.map(ShownField.init)) { line + "\n" }
    }
}

struct FieldAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a custom field to a thread and print its id.",
        discussion: """
            With --group it is put below another field, which becomes a group if it has no values.

            Examples:
              daybook journal field add garden Weather
              daybook journal field add garden Rain --group Weather
            """)

    @Argument(help: .thread) var thread: String
    @Argument(help: "The name: 1 to 50 characters.") var name: [String]
    @Option(help: ArgumentHelp("Put it into this group.", valueName: "parent")) var group: String?
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try options.changeFields(thread) { journals, thread in
            let parent = try group.map { try journals.reading.findField($0, in: thread).id }
            if let parent { try journals.makeGroup(parent) }
            let field = try journals.createField(name.joined(separator: " "), in: thread, group: parent)
            return field.id.lowercased
        }
    }
}

struct FieldRename: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a custom field another name.",
        discussion: """
            Examples:
              daybook journal field rename garden Weather Sky
            """)

    @Argument(help: .thread) var thread: String
    @Argument(help: .field) var field: String
    @Argument(help: "The new name.") var name: [String]
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try options.changeFields(thread) { journals, thread in
            let found = try journals.reading.findField(field, in: thread)
            let renamed = try journals.renameField(found.id, to: name.joined(separator: " "))
            return "Renamed \(VisibleText.of(renamed.name))"
        }
    }
}

struct FieldDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a custom field; entries keep the values that they have.",
        discussion: """
            Examples:
              daybook journal field delete garden Weather
            """)

    @Argument(help: .thread) var thread: String
    @Argument(help: .field) var field: String
    @OptionGroup var options: GlobalOptions

    func run() throws {
        try options.changeFields(thread) { journals, thread in
            let deleted = try journals.deleteField(journals.reading.findField(field, in: thread).id)
            return "Deleted \(VisibleText.of(deleted.name))"
        }
    }
}

struct FieldOrder: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order", abstract: "Change the order of the custom fields of a thread.",
        discussion: """
            The named fields come first, in the given order. One field can also be moved to a place.

            Examples:
              daybook journal field order garden Weather Rain Mood
              daybook journal field order garden Mood --after Weather
            """)

    @Argument(help: .thread) var thread: String
    @Argument(help: .field) var fields: [String]
    @Flag(help: "Move it before all others.") var first = false
    @Flag(help: "Move it after all others.") var last = false
    @Option(help: ArgumentHelp("Move it directly before another field.", valueName: "field")) var before: String?
    @Option(help: ArgumentHelp("Move it directly after another field.", valueName: "field")) var after: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        let places = [first, last, before != nil, after != nil].count(where: { $0 })
        guard places == 0 || places == 1 && fields.count == 1 else {
            throw ValidationError("Name one field and one of --first, --last, --before, --after, or several fields.")
        }
    }

    func run() throws {
        try options.changeFields(thread) { journals, thread in
            let found = try fields.map { try journals.reading.findField($0, in: thread).id }
            func id(_ name: String) throws -> UUID { try journals.reading.findField(name, in: thread).id }
            if last {
                try journals.reorderField(found[0], to: .last)
            } else if let before {
                try journals.reorderField(found[0], to: .before(try id(before)))
            } else if let after {
                try journals.reorderField(found[0], to: .after(try id(after)))
            } else {
                try journals.orderFields(found, in: thread)
            }
            return "Ordered \(found.count == 1 ? "1 field" : "\(found.count) fields")"
        }
    }
}
