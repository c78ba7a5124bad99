import CommandSupport
import Daybook
import FoundationEssentials
import Processes

/// The editor of the person: `$VISUAL`, else `$EDITOR`, with a file that only its owner can read.
struct TextEditor {
    /// The name of the file, without its suffix.
    let purpose: String
    /// The remedy if no editor is set.
    let instead: String
    private let folder: String

    /// Creates the folder of the file, which ``removeFile()`` removes.
    init(purpose: String, instead: String) throws(CommandError) {
        self.purpose = purpose
        self.instead = instead
        folder = try ScratchFolder.make(for: "edit")
    }

    /// The path of the file while there is one.
    var path: String { "\(folder)/\(purpose).txt" }

    /// Returns a text as the editor leaves it. The file stays until it is removed.
    ///
    /// - Throws: `Unsuccessful` when the editor fails, with the text that it has left.
    func edit(_ text: String) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        guard
            let editor = [environment["VISUAL"], environment["EDITOR"]].compactMap({ $0 }).first(where: { !$0.isEmpty })
        else { throw CommandError.usage("Neither $VISUAL nor $EDITOR is set. Set one, or \(instead).") }
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CommandError.unusable("The file for the editor could not be written to \(folder). Set TMPDIR.") }
        // An editor may be a command with options; the shell splits it, and the path reaches it unsplit.
        CurrentProcess.setVariable("DAYBOOK_EDITED_FILE", to: path)
        let isSuccessful = CurrentProcess.runShell("\(editor) \"$DAYBOOK_EDITED_FILE\"")
        let left = FileManager.default.contents(atPath: path).flatMap { String(validating: $0, as: UTF8.self) }
        guard isSuccessful else { throw Unsuccessful(editor: editor, text: left) }
        guard let left else {
            throw CommandError.unusable(
                "The editor left no text in UTF-8, so nothing was changed. Save it as UTF-8, and try again.")
        }
        return left
    }

    /// Removes the file and its folder.
    func removeFile() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The editor ended with an error.
    struct Unsuccessful: ExitCodeError {
        let editor: String
        /// The content of the file; nil if that is no text.
        let text: String?

        var exitCode: ProgramExit { .unusable }
        var description: String {
            "The editor '\(editor)' failed, so nothing was changed. Check $VISUAL and $EDITOR."
        }
    }
}
