import ArgumentParser
import CommandSupport
import Daybook

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change the text, the note or the category of a task.",
        discussion: """
            Without options it opens $VISUAL, else $EDITOR, with the text and the note. An empty note or category removes \
            it.

            Examples:
              daybook edit 3c2f --text "Buy milk and bread"
              daybook edit 3c2f --note ""
              daybook edit 3c2f --tag travel --tag urgent --priority high
              daybook edit 3c2f
            """)

    @Argument(help: .taskID) var id: String
    @Option(help: "The new text.") var text: String?
    @Option(help: "The new note.") var note: String?
    @Option(help: "The new category.") var category: String?
    @Option(
        help: ArgumentHelp("The new tags, in place of all others; give the option again for more.", valueName: "tag"))
    var tag: [String] = []
    @Option(help: .priority) var priority: TaskPriority?
    @Option(help: ArgumentHelp("Make it a part of this task; none makes it a part of none.", valueName: "id"))
    var under: String?
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session(takingWaitDay: true)
        let wait = options.waitWords
        var (text, note) = (text, note)
        if text == nil, note == nil, category == nil, tag.isEmpty, priority == nil, wait == nil, under == nil {
            let task = try session.task(named: id)
            let before = EditedText(text: task.text, note: task.notes ?? "")
            let after = try before.edited()
            guard after != before else { return Output.report("The text was not changed.") }
            (text, note) = (after.text, after.note)
        }
        if let text, text.allSatisfy(\.isWhitespace) { throw TaskError.emptyText }
        let (newText, newNote, newCategory, newTags, newPriority) = (text, note, category, tag, priority)
        let isShown = wait?.lowercased() == "none"
        let newDay = try isShown ? nil : wait.map { try Day(parsing: $0, in: session.context) }
        let parent = under.flatMap { $0.lowercased() == "none" ? nil : $0 }
        let (hasDay, hasParent) = (wait != nil, under != nil)
        let shown = try await session.change([id] + (parent.map { [$0] } ?? [])) { tasks, found in
            let task = try await tasks.write(.edit) { transaction in
                if hasDay { try transaction.wait(found[0], until: newDay) }
                if hasParent { try transaction.move(found[0], under: found.dropFirst().first) }
                return try transaction.edit(found[0]) { task in
                    if let newText { task.text = newText }
                    if let newNote { task.notes = newNote.isEmpty ? nil : newNote }
                    if let newCategory { task.category = newCategory.isEmpty ? nil : newCategory }
                    if !newTags.isEmpty { task.tags = newTags }
                    if let newPriority { task.priority = newPriority }
                }
            }
            return [task]
        }
        try options.report(shown, isSingle: true) { "Edited \($0.shortID)" }
    }
}

/// The text and the note of a task in a file for an editor.
struct EditedText: Equatable {
    var text: String
    var note: String

    private static let separator = "# ---- The note begins below this line. Do not change it. ----"

    init(text: String, note: String) {
        self.text = text
        self.note = note
    }

    /// Parses a file; nil when the separating line is missing.
    init?(file: String) {
        let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
        guard let separator = lines.firstIndex(where: { $0 == Self.separator }) else { return nil }
        // The file ends with a line break, as editors want it.
        let end = lines.last?.isEmpty ?? false ? lines.count - 1 : lines.count
        text = lines[..<separator].joined(separator: "\n")
        note = separator + 1 < end ? lines[(separator + 1)..<end].joined(separator: "\n") : ""
    }

    var file: String { "\(text)\n\(Self.separator)\n\(note.isEmpty ? "" : note + "\n")" }

    /// Returns the text and the note as the person's editor leaves them.
    func edited() throws -> EditedText {
        let editor = try TextEditor(purpose: "task", instead: "use --text, --note and --category")
        defer { editor.removeFile() }
        guard let result = EditedText(file: try editor.edit(file)) else {
            throw CommandError.usage(
                "The line between the text and the note is missing, so nothing was changed. Keep that line, and edit again."
            )
        }
        return result
    }
}
