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
              daybook edit 3c2f
            """)

    @Argument(help: .taskID) var id: String
    @Option(help: "The new text.") var text: String?
    @Option(help: "The new note.") var note: String?
    @Option(help: "The new category.") var category: String?
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let session = try options.session()
        var (text, note) = (text, note)
        if text == nil, note == nil, category == nil {
            let task = try session.task(named: id)
            let before = EditedText(text: task.text, note: task.notes ?? "")
            let after = try before.edited()
            guard after != before else { return Output.report("The text was not changed.") }
            (text, note) = (after.text, after.note)
        }
        if let text, text.allSatisfy(\.isWhitespace) { throw TaskError.emptyText }
        let (newText, newNote, newCategory) = (text, note, category)
        try await options.change([id], "Edited") { tasks, found in
            let task = try await tasks.edit(found[0]) { task in
                if let newText { task.text = newText }
                if let newNote { task.notes = newNote.isEmpty ? nil : newNote }
                if let newCategory { task.category = newCategory.isEmpty ? nil : newCategory }
            }
            return [task]
        }
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
