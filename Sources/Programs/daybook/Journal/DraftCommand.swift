import ArgumentParser
import CommandSupport
import Daybook

struct JournalDraftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "draft", abstract: "Show, save or clear the draft of a thread.",
        discussion: """
            A draft is an entry that is not stored yet. 'daybook journal write' begins with it, and clears it when the \
            entry is stored.

            Examples:
              daybook journal draft garden
              daybook journal draft garden Today the roses
              daybook journal draft garden --clear
            """)

    @Argument(help: .thread) var thread: String
    @Argument(help: "The text; '-' reads it from standard input.") var text: [String] = []
    @Flag(help: "Remove the draft.") var clear = false
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if clear, !text.isEmpty { throw ValidationError("Give a text or --clear, not both.") }
    }

    func run() throws {
        let session = try options.session()
        let found: UUID
        var draft: JournalDraft?
        if text.isEmpty, !clear {
            (found, draft) = try session.readJournal { reading in
                let found = try reading.thread(named: thread).id
                return (found, try reading.draft(of: found))
            }
        } else {
            let content = clear ? "" : try TypedText.of(text)
            // A blank text clears the draft.
            (found, draft) = try session.changeJournal(.keep) { journals in
                let found = try journals.reading.thread(named: thread).id
                return (found, try journals.saveDraft(content, for: found))
            }
        }
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("thread", found)
                    writer.field("content", draft?.content)
                    writer.field("savedAt", draft?.savedAt)
                }
            }
        }
        if !text.isEmpty || clear { return try Output.standard.write(draft == nil ? "Cleared\n" : "Saved\n") }
        let lines = (draft?.content ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        try Output.standard.write(lines.map { VisibleText.of(String($0)) + "\n" }.joined())
    }
}
