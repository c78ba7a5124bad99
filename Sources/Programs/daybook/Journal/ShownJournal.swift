import ArgumentParser
import CommandSupport
import Daybook

extension ArgumentHelp {
    /// The help of a thread.
    static var thread: ArgumentHelp {
        ArgumentHelp("The thread's title, the beginning of one title, or its id or short id.", valueName: "thread")
    }

    /// The help of an entry.
    static var entry: ArgumentHelp {
        ArgumentHelp(
            "The entry's id, or 4 or more digits of its end or beginning that fit no other.", valueName: "entry")
    }

    /// The help of a field.
    static var field: ArgumentHelp { ArgumentHelp("The field's name or id.", valueName: "field") }
}

/// A thread as JSON has it.
struct ShownThread: Sendable, JSONWritable {
    let summary: ThreadSummary
    /// The id as people see it.
    var shortID = ""

    var thread: JournalThread { summary.thread }
    /// The title as people see it.
    var title: String { VisibleText.of(thread.title) }
    var count: String { summary.entries == 1 ? "1 entry" : "\(summary.entries) entries" }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("id", thread.id)
            writer.field("title", thread.title)
            writer.field("createdAt", thread.createdAt)
            writer.field("updatedAt", thread.updatedAt)
            writer.field("entries", summary.entries)
            if let deletedAt = thread.deletedAt { writer.field("deletedAt", deletedAt) }
        }
    }
}

/// An entry as JSON has it.
struct ShownEntry: Sendable, JSONWritable {
    let filled: FilledEntry
    let shortID: String
    /// Whether its thread is stated: where entries of several can be shown.
    var namesThread = false

    var entry: JournalEntry { filled.entry }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("id", entry.id)
            if namesThread { writer.field("thread", entry.threadID) }
            writer.field("content", entry.content)
            writer.field("timestamp", entry.timestamp)
            if let zone = entry.zone { writer.field("zone", zone) }
            writer.field("editedAt", entry.lastEditedAt)
            writer.field("place", entry.place?.description)
            writer.object("fields") { writer in
                // A deleted field can have the name of a later one, which comes first.
                var names: Set<String> = []
                for value in filled.values where names.insert(value.field.name).inserted {
                    writer.field(value.field.name, value.value)
                }
            }
            if let deletedAt = entry.deletedAt { writer.field("deletedAt", deletedAt) }
        }
    }

    /// The entry as lines for a person.
    func lines(in zone: Zone) -> String {
        let terminal = Terminal.standardOutput
        var head =
            "\(terminal.styled(shortID, .faint))  \(terminal.styled(entry.displayTime(in: entry.zone.flatMap { try? Zone($0) } ?? zone), .bold))"
        if let place = entry.place { head += "  \(VisibleText.of(place.description))" }
        if entry.isDeleted { head += "  (deleted)" }
        let content = entry.content.split(separator: "\n", omittingEmptySubsequences: false)
        let values = filled.values.compactMap { value in
            value.value.map { "  \(VisibleText.of(value.field.name)): \(VisibleText.of($0))\n" }
        }
        return head + "\n" + content.map { "  \(VisibleText.of(String($0)))\n" }.joined() + values.joined()
    }
}

/// A field as JSON has it.
struct ShownField: Sendable, JSONWritable {
    let summary: FieldSummary

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("id", summary.field.id)
            writer.field("name", summary.field.name)
            writer.field("order", summary.order)
            writer.field("group", summary.groupID)
            writer.field("isGroup", summary.field.isGroup)
        }
    }
}

extension JournalReading {
    func shown(_ thread: JournalThread) throws -> ShownThread { ShownThread(summary: try summary(of: thread)) }

    /// Returns entries with what people and programs see of them.
    func shown(_ entries: [JournalEntry], namesThread: Bool = false) throws -> [ShownEntry] {
        let ids = try shortIDs(of: entries.map(\.id))
        return try filled(entries).map {
            ShownEntry(
                filled: $0, shortID: ids[$0.entry.id] ?? $0.entry.id.lowercased, namesThread: namesThread)
        }
    }

    /// Returns the thread that a text names.
    ///
    /// - Throws: a usage error that lists the candidates with their titles when the text fits several.
    func thread(named text: String, _ scope: ThreadScope = .live) throws -> JournalThread {
        do {
            return try findThread(text, scope)
        } catch JournalError.ambiguousThread(let candidates) {
            let lines = try candidates.map { id in
                let title = try UUID(uuidString: id).flatMap { try thread($0, deleted: true)?.title } ?? ""
                return "\(id)  \(VisibleText.of(title))"
            }
            throw CommandError.ambiguous(
                "The text fits several threads. Give more of it, or one of these ids:", candidates: lines)
        }
    }

    /// Returns the entry that an id, or part of one, names.
    ///
    /// - Throws: a usage error that lists the candidates with their beginnings when the id fits several.
    func entry(named text: String) throws -> JournalEntry {
        do {
            return try findEntry(text)
        } catch JournalError.ambiguousEntry(let candidates) {
            let lines = try candidates.map { id in
                let content = try UUID(uuidString: id).flatMap { try entry($0)?.content } ?? ""
                return "\(id)  \(VisibleText.of(String(content.prefix(60))))"
            }
            throw CommandError.ambiguous(
                "The id fits several entries. Give more of its digits, or one of these ids:", candidates: lines)
        }
    }
}

extension Session {
    /// Reads journals; where there is no store, there is no thread either.
    func readJournal<Result>(
        else error: JournalError = .noSuchThread, _ body: (JournalReading) throws -> Result
    ) throws -> Result {
        guard let result = try read({ try body($0.journals) }) else { throw error }
        return result
    }

    /// Changes journals in one transaction, on this thread: see `Add`.
    func changeJournal<Result>(
        _ operation: JournalOperation, creating: Bool = false, else error: JournalError = .noSuchThread,
        _ body: (JournalTransaction) throws -> Result
    ) throws -> Result {
        do {
            return try write(creating: creating) { daybook in
                try daybook.store.write(operation.label) { try body($0.journals) }
            }
        } catch RecordsError.engine(.storeNotFound) {
            throw error
        }
    }
}

extension GlobalOptions {
    /// Prints a value as JSON, or a line for people.
    func report(_ shown: some JSONWritable, _ line: String) throws {
        guard json else { return try Output.standard.write(line + "\n") }
        try Output.standard.json { $0.value(shown) }
    }

    /// Prints `{"name": [...]}`, or text for people.
    func report(_ name: String, _ values: [some JSONWritable], _ text: () -> String) throws {
        guard json else { return try Output.standard.write(text()) }
        try Output.standard.json { writer in writer.object { $0.field(name, values) } }
    }
}
