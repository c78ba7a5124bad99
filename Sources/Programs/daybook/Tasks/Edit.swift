import ArgumentParser
import CommandSupport
import Daybook
import FoundationEssentials
import Glibc

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
            let task = try session.readExisting { try $0.task(named: id) }
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
        let environment = ProcessInfo.processInfo.environment
        guard
            let editor = [environment["VISUAL"], environment["EDITOR"]].compactMap({ $0 }).first(where: { !$0.isEmpty })
        else {
            throw CommandError.usage(
                "Neither $VISUAL nor $EDITOR is set. Set one, or use --text, --note and --category.")
        }
        let folder = ScratchFolder.path(for: "edit")
        try ScratchFolder.create(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/task.txt"
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(file.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CommandError.unusable("The file for the editor could not be written to \(folder). Set TMPDIR.") }
        // An editor may be a command with options; the shell splits it, and the path reaches it unsplit.
        setenv("DAYBOOK_EDITED_FILE", path, 1)
        let status = system("\(editor) \"$DAYBOOK_EDITED_FILE\"")
        guard status == 0 else {
            throw CommandError.unusable(
                "The editor '\(editor)' failed, so nothing was changed. Check $VISUAL and $EDITOR.")
        }
        guard let data = FileManager.default.contents(atPath: path),
            let file = String(validating: data, as: UTF8.self)
        else { throw CommandError.unusable("The editor left no text in UTF-8, so nothing was changed.") }
        guard let result = EditedText(file: file) else {
            throw CommandError.usage("The line between the text and the note is missing, so nothing was changed.")
        }
        return result
    }
}
