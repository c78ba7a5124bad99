import ArgumentParser
import CommandSupport
import Daybook

struct JournalWrite: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write an entry and print its id once it is safe on the disk.",
        discussion: """
            Without a text it opens $VISUAL, else $EDITOR, which begins with the thread's draft; '-' reads the text from \
            standard input. The draft is kept until the entry is stored, also if the editor or the store fails.

            Examples:
              daybook journal write garden The first tulip.
              daybook journal write garden --field Weather=sunny --place "Berlin, Germany" Planted roses.
              daybook journal write garden
              daybook journal write garden --at "yesterday 21:00" The frogs are back.
              fortune | daybook journal write garden -
            """)

    @Argument(help: .thread) var thread: String
    @Argument(help: "The text; '-' reads it from standard input.") var text: [String] = []
    @Option(help: ArgumentHelp("The text for a custom field; can be given several times.", valueName: "name=value"))
    var field: [String] = []
    @Option(help: ArgumentHelp("When it was written: a day and a time, a day, or an instant.", valueName: "when"))
    var at: String?
    @Option(help: ArgumentHelp("Where it was written, as \"City, State\".", valueName: "place")) var place: String?
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let pairs = try field.map { pair in
            guard let mark = pair.firstIndex(of: "=") else {
                throw CommandError.usage("--field needs a name and a value, such as Weather=sunny.")
            }
            return (name: String(pair[..<mark]), value: String(pair[pair.index(after: mark)...]))
        }
        let moment = try at.map { try CivilMoment(parsing: $0, in: session.context) }
        let zone = session.context.zone
        // An entry of a day alone is at noon, far from both midnights.
        let time = moment.map { $0.instant(in: zone) ?? zone.instant(day: $0.day(in: zone), secondsIntoDay: 12 * 3600) }
        let content = text.isEmpty ? try edited(pairs, in: session) : try TypedText.of(text)
        let (id, shown) = try session.changeJournal(.addEntry) { journals in
            let (found, values) = try resolve(pairs, in: journals.reading)
            var new = NewEntry(content, values: values, place: place.map { EntryPlace($0) })
            new.timestamp = time
            let entry = try journals.addEntry(new, to: found)
            return (entry.id, options.json ? try journals.reading.shown([entry]).first : nil)
        }
        guard let shown else { return try Output.standard.write(id.lowercased + "\n") }
        try options.report(shown, id.lowercased)
    }

    private func resolve(
        _ pairs: [(name: String, value: String)], in reading: JournalReading
    ) throws -> (thread: UUID, values: [UUID: String]) {
        let found = try reading.thread(named: thread).id
        var values: [UUID: String] = [:]
        for pair in pairs { values[try reading.findField(pair.name, in: found).id] = pair.value }
        return (found, values)
    }

    /// The text from the editor. It becomes the draft before anything else is done with it.
    private func edited(_ pairs: [(name: String, value: String)], in session: Session) throws -> String {
        // Errors of the command line are reported before a person types a text.
        let (found, draft) = try session.readJournal { reading in
            let found = try resolve(pairs, in: reading).thread
            return (found, try reading.draft(of: found)?.content ?? "")
        }
        let editor = try TextEditor(purpose: "entry", instead: "give the text")
        var isKept = true
        defer { if isKept { editor.removeFile() } }
        func keep(_ text: String) throws {
            guard text != draft else { return }
            do {
                _ = try session.changeJournal(.keep) { try $0.saveDraft(text, for: found) }
            } catch {
                isKept = false
                Output.report("The draft could not be stored. The text is in \(editor.path).")
                throw error
            }
        }
        do {
            let text = TypedText.withoutLastBreak(try editor.edit(draft.isEmpty ? "" : draft + "\n"))
            try keep(text)
            return text
        } catch let failure as TextEditor.Unsuccessful {
            // An emptied file of a failed editor is no wish to discard the draft.
            if let text = failure.text.map(TypedText.withoutLastBreak), !text.isEmpty { try keep(text) }
            throw failure
        }
    }
}

/// A text as the command line gives it.
enum TypedText {
    /// Returns the words as a text, or for '-' standard input without the line break at its end.
    static func of(_ words: [String]) throws -> String {
        guard words == ["-"] else { return words.joined(separator: " ") }
        guard let text = String(validating: try InputFile.standard.contents(), as: UTF8.self) else {
            throw CommandError.usage("Standard input is not valid UTF-8. Convert it and try again.")
        }
        return withoutLastBreak(text)
    }

    /// Returns the text without the line break that ends files.
    static func withoutLastBreak(_ text: String) -> String {
        text.last?.isNewline ?? false ? String(text.dropLast()) : text
    }
}

struct JournalRead: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Show the entries of a thread, the oldest first.",
        discussion: """
            With --limit it shows a page; "next" and "previous" in JSON are the tokens for --after and --before.

            Examples:
              daybook journal read garden
              daybook journal read garden --last --limit 5
              daybook journal read garden --limit 20 --json
            """)

    @Argument(help: .thread) var thread: String
    @Option(help: ArgumentHelp("Show at most so many entries.", valueName: "n")) var limit: Int?
    @Option(help: ArgumentHelp("Show what follows a page: its \"next\".", valueName: "token")) var after: String?
    @Option(help: ArgumentHelp("Show what comes before a page: its \"previous\".", valueName: "token"))
    var before: String?
    @Flag(help: "Show the newest entries, still the oldest of them first.") var last = false
    @Flag(help: "Show deleted entries, too, and those of a deleted thread.") var deleted = false
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be 1 or more.") }
        guard [after != nil, before != nil, last].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give one of --after, --before and --last.")
        }
    }

    func run() throws {
        let session = try options.session()
        let place = try place
        let (shown, entries, page) = try session.readJournal { reading in
            let found = try reading.thread(named: thread, deleted ? .all : .live)
            let page = try reading.page(of: found.id, at: place, limit: limit ?? .max, includingDeleted: deleted)
            return (try reading.shown(found), try reading.shown(page.records), page)
        }
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("thread", shown)
                    writer.field("entries", entries)
                    writer.field("next", page.next?.description)
                    writer.field("previous", page.previous?.description)
                }
            }
        }
        var text = Terminal.standardOutput.styled("\(shown.title), \(shown.count)", .bold) + "\n"
        if let previous = page.previous { text += "There are older ones: add --before \(previous)\n" }
        for entry in entries { text += "\n" + entry.lines(in: session.context.zone) }
        if let next = page.next { text += "\nThere are newer ones: add --after \(next)\n" }
        try Output.standard.write(text)
    }

    private var place: WindowPlace {
        get throws {
            func token(_ text: String) throws -> PageToken {
                guard let token = PageToken(text) else { throw Self.badToken }
                return token
            }
            if let after { return .after(try token(after)) }
            if let before { return .before(try token(before)) }
            return last ? .end : .start
        }
    }

    static let badToken = CommandError.usage(
        "--after and --before need a token that a page of the same view gave. Leave it out to begin again.")
}

struct JournalEdit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the text of an entry.",
        discussion: """
            Without a text it opens $VISUAL, else $EDITOR, with the present one; '-' reads the text from standard input. \
            The entry keeps its time and its place.

            Examples:
              daybook journal edit 3c2f The first two tulips.
              daybook journal edit 3c2f
            """)

    @Argument(help: .entry) var entry: String
    @Argument(help: "The new text; '-' reads it from standard input.") var text: [String] = []
    @Option(help: ArgumentHelp("A new text for a custom field; can be given several times.", valueName: "name=value"))
    var field: [String] = []
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let session = try options.session()
        let found = try session.readJournal(else: .noSuchEntry) { try $0.entry(named: entry) }
        var content = found.content
        if !text.isEmpty {
            content = try TypedText.of(text)
        } else if field.isEmpty {
            let editor = try TextEditor(purpose: "entry", instead: "give the text")
            defer { editor.removeFile() }
            content = TypedText.withoutLastBreak(try editor.edit(found.content + "\n"))
            guard content != found.content else { return Output.report("The text was not changed.") }
        }
        let newContent = content
        let shown = try session.changeJournal(.editEntry, else: .noSuchEntry) { journals in
            var values: [UUID: String] = [:]
            for pair in field {
                guard let mark = pair.firstIndex(of: "=") else {
                    throw CommandError.usage("--field needs a name and a value, such as Weather=sunny.")
                }
                let name = String(pair[..<mark])
                let id = try journals.reading.findField(name, in: found.threadID).id
                values[id] = String(pair[pair.index(after: mark)...])
            }
            return try journals.reading.shown([journals.editEntry(found.id, newContent, values: values)])[0]
        }
        try options.report(shown, "Edited \(shown.shortID)")
    }
}

struct JournalDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete entries.",
        discussion: """
            All of them in one step, or none. 'daybook undo' brings them back.

            Examples:
              daybook journal delete 3c2f 81d0
            """)

    @Argument(help: .entry) var entries: [String]
    @OptionGroup var options: GlobalOptions

    func run() throws {
        let shown = try options.session().changeJournal(.deleteEntries, else: .noSuchEntry) { journals in
            let found = try entries.map { try journals.reading.entry(named: $0) }
            var known: Set<UUID> = []
            let distinct = found.filter { known.insert($0.id).inserted }
            let shown = try journals.reading.shown(distinct)
            for entry in distinct { try journals.deleteEntry(entry.id) }
            return shown
        }
        if entries.count == 1 { return try options.report(shown[0], "Deleted \(shown[0].shortID)") }
        try options.report("entries", shown) { shown.map { "Deleted \($0.shortID)\n" }.joined() }
    }
}

struct JournalSearch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find entries by their words.",
        discussion: """
            All words must be there, in any order; case and accents do not matter. The beginning of a word is enough: \
            entries with all words as a whole come first, then the others, each the newest first.

            Examples:
              daybook journal search first tulip
              daybook journal search tulip --thread garden --json
            """)

    @Argument(help: "Words, or beginnings of words.") var words: [String]
    @Option(help: .thread) var thread: String?
    @Option(help: "How many entries to show at most.") var limit = 20
    @Option(help: "Continue after a page: its \"next\" in JSON.") var after: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
    }

    func run() throws {
        let session = try options.session()
        let token = try after.map { text in
            guard let token = PageToken(text) else { throw JournalRead.badToken }
            return token
        }
        let found = try session.read { transaction in
            let reading = transaction.journals
            let owner = try thread.map { try reading.thread(named: $0).id }
            let page = try reading.search(words.joined(separator: " "), in: owner, after: token, limit: limit)
            return (try reading.shown(page.records, namesThread: true), page.next)
        }
        if found == nil, thread != nil { throw JournalError.noSuchThread }
        let (entries, next) = found ?? ([], nil)
        if options.json {
            return try Output.standard.json { writer in
                writer.object { writer in
                    writer.field("entries", entries)
                    writer.field("next", next?.description)
                }
            }
        }
        var text = entries.isEmpty ? "No entry has these words.\n" : ""
        text += entries.map { $0.lines(in: session.context.zone) }.joined(separator: "\n")
        if let next { text += "There are more: add --after \(next)\n" }
        try Output.standard.write(text)
    }
}
