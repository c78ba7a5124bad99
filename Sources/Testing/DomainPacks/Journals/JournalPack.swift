import CivilTime
import Daybook
import FoundationEssentials
import Journals
import Records

/// Journals as a domain of the testing tools: threads, entries with values, drafts that are not tracked. Records have numbers;
/// titles, contents and ids follow from them.
package struct JournalPack: DomainPack {
    package struct Thread: Equatable, Sendable {
        var isDeleted = false
        /// The numbers of its fields that are not deleted, in their order.
        var fields: [Int] = []
    }

    package struct Entry: Equatable, Sendable {
        var thread: Int
        var edits = 0
        var isDeleted = false
        /// The field that it has a value for.
        var field: Int?
    }

    package var threads: [Int: Thread] = [:]
    package var entries: [Int: Entry] = [:]
    /// Untracked: the number of the text that is being written in a thread.
    package var drafts: [Int: Int] = [:]
    /// The highest number given.
    package var lastNumber = 0

    package init() {}

    /// None but those of every store.
    package static let records = Schema()

    /// Two threads, one with a field, two entries and a draft.
    package static let start = ["begin", "begin", "field", "write", "write.1", "draft"]

    /// Undo does not bring a draft back, but removes it with a thread.
    package func restored(to other: Self) -> Self {
        var restored = other
        restored.drafts = drafts.filter { other.threads[$0.key] != nil }
        restored.lastNumber = lastNumber
        return restored
    }

    package static func id(_ number: Int) -> UUID { TaskAction.id(number) }
    static func title(_ number: Int) -> String { "Thread \(number)" }
    static func name(ofField number: Int) -> String { "Field \(number)" }
    package static func content(_ number: Int, edits: Int) -> String { "Entry \(number) as of \(edits)" }

    package static func draft(_ number: Int) -> String { "draft \(number)" }

    package var live: [Int] { threads.filter { !$0.value.isDeleted }.keys.sorted() }
    /// The contents that an export of a thread has, in their order.
    package func contents(of thread: Int) -> [String] {
        entries.filter { $0.value.thread == thread && !$0.value.isDeleted }.sorted { $0.key < $1.key }.map {
            Self.content($0.key, edits: $0.value.edits)
        }
    }

    /// The entries that can be changed.
    var shown: [Int] { entries.filter { !$0.value.isDeleted && live.contains($0.value.thread) }.keys.sorted() }
}

// MARK: Operations

extension JournalPack {
    package static let operations: [DomainOperation<Self>] = [
        DomainOperation("write", weight: 3) { model, draw in
            guard let thread = draw.pick(model.live) else { return nil }
            let number = model.lastNumber + 1
            let field = draw.below(2) == 0 ? draw.pick(model.threads[thread]?.fields ?? []) : nil
            return DomainChange {
                $0.lastNumber = number
                $0.entries[number] = Entry(thread: thread, field: field)
                $0.drafts[thread] = nil
            } transaction: {
                let values = field.map { [id($0): "value \(number)"] } ?? [:]
                let entry = NewEntry(content(number, edits: 0), values: values, id: id(number))
                try $0.journals.addEntry(entry, to: id(thread))
            }
        },
        DomainOperation("rewrite") { model, draw in
            guard let number = draw.pick(model.shown) else { return nil }
            let edits = (model.entries[number]?.edits ?? 0) + 1
            return DomainChange {
                $0.entries[number]?.edits = edits
            } transaction: {
                try $0.journals.editEntry(id(number), content(number, edits: edits))
            }
        },
        DomainOperation("strike") { model, draw in
            guard let number = draw.pick(model.shown) else { return nil }
            return DomainChange {
                $0.entries[number]?.isDeleted = true
            } transaction: {
                try $0.journals.deleteEntry(id(number))
            }
        },
        // With its entries, which keep what they are.
        DomainOperation("hide") { model, draw in
            guard let thread = draw.pick(model.live) else { return nil }
            return DomainChange {
                $0.threads[thread]?.isDeleted = true
            } transaction: {
                try $0.journals.deleteThread(id(thread))
            }
        },
        DomainOperation("draft") { model, draw in
            guard let thread = draw.pick(model.live) else { return nil }
            let number = draw.below(50)
            return DomainChange {
                $0.drafts[thread] = number
            } transaction: {
                try $0.journals.saveDraft(draft(number), for: id(thread))
            }
        },
        DomainOperation("begin", isShort: false) { model, _ in
            let number = model.lastNumber + 1
            return DomainChange {
                $0.lastNumber = number
                $0.threads[number] = Thread()
            } transaction: {
                try $0.journals.createThread(title(number), id: id(number))
            }
        },
        DomainOperation("bring", isShort: false) { model, draw in
            guard let thread = draw.pick(model.threads.filter { $0.value.isDeleted }.keys.sorted()) else { return nil }
            return DomainChange {
                $0.threads[thread]?.isDeleted = false
            } transaction: {
                try $0.journals.restoreThread(id(thread))
            }
        },
        DomainOperation("field", isShort: false) { model, draw in
            guard let thread = draw.pick(model.live) else { return nil }
            let number = model.lastNumber + 1
            return DomainChange {
                $0.lastNumber = number
                $0.threads[thread]?.fields.append(number)
            } transaction: {
                try $0.journals.createField(name(ofField: number), in: id(thread), id: id(number))
            }
        },
        // The last field becomes the first.
        DomainOperation("order", isShort: false) { model, draw in
            guard let thread = draw.pick(model.live), let last = model.threads[thread]?.fields.last,
                model.threads[thread]?.fields.count ?? 0 > 1
            else { return nil }
            return DomainChange {
                $0.threads[thread]?.fields.removeLast()
                $0.threads[thread]?.fields.insert(last, at: 0)
            } transaction: {
                try $0.journals.reorderField(id(last), to: .first)
            }
        },
        // Entries keep their values.
        DomainOperation("drop", isShort: false) { model, draw in
            guard let thread = draw.pick(model.live), let field = draw.pick(model.threads[thread]?.fields ?? []) else {
                return nil
            }
            return DomainChange {
                $0.threads[thread]?.fields.removeAll { $0 == field }
            } transaction: {
                try $0.journals.deleteField(id(field))
            }
        },
        // An entry of a hidden thread.
        DomainOperation("intrude", isShort: false) { model, draw in
            guard let thread = draw.pick(model.threads.filter { $0.value.isDeleted }.keys.sorted()) else { return nil }
            return .refused { try $0.journals.addEntry(NewEntry("never there"), to: id(thread)) }
        },
    ]
}

// MARK: What is compared

extension JournalPack {
    package var lines: [String] {
        threads.keys.sorted().flatMap { number -> [String] in
            let thread = threads[number, default: Thread()]
            let inside = entries.filter { $0.value.thread == number }.sorted { $0.key < $1.key }
            let head = Self.line(
                thread: number, thread.isDeleted, count: inside.count { !$0.value.isDeleted }, thread.fields)
            return [head]
                + inside.map { number, entry in
                    Self.line(
                        entry: number, Self.content(number, edits: entry.edits), entry.edits > 0, entry.isDeleted,
                        value: entry.field == nil ? nil : "value \(number)")
                }
        } + [Self.line(found: shown)]
            + drafts.sorted { $0.key < $1.key }.map { "note of \($0.key): \(Self.draft($0.value))" }
    }

    package static func lines(in transaction: ReadTransaction) throws -> [String] {
        let number = TaskAction.number(of:)
        let journals = transaction.journals
        let threads = try journals.threads(includingDeleted: true).sorted {
            number($0.thread.id) < number($1.thread.id)
        }
        var lines = try threads.flatMap { summary -> [String] in
            let thread = summary.thread
            guard thread.title == title(number(thread.id)) else { throw GardenPack.LookUpsDisagree() }
            let head = line(
                thread: number(thread.id), thread.isDeleted, count: summary.entries,
                try journals.fields(of: thread.id).map { number($0.field.id) })
            let entries = try journals.filled(journals.entries(of: thread.id, includingDeleted: true))
            return [head]
                + entries.sorted { number($0.entry.id) < number($1.entry.id) }.map { filled in
                    line(
                        entry: number(filled.entry.id), filled.entry.content, filled.entry.isEdited,
                        filled.entry.isDeleted, value: filled.values.first?.value)
                }
        }
        let found = try journals.search("entry", limit: .max).records
        lines.append(line(found: found.map { number($0.id) }.sorted()))
        for summary in threads {
            guard let draft = try journals.draft(of: summary.thread.id) else { continue }
            lines.append("note of \(number(draft.id)): \(draft.content)")
        }
        return lines
    }

    private static func line(thread: Int, _ isDeleted: Bool, count: Int, _ fields: [Int]) -> String {
        "thread \(thread)\(isDeleted ? " (deleted)" : ""): \(count) entries, fields \(fields)"
    }

    private static func line(
        entry: Int, _ content: String, _ isEdited: Bool, _ isDeleted: Bool, value: String?
    ) -> String {
        "entry \(entry)\(isDeleted ? " (deleted)" : ""): \(content)\(isEdited ? " (edited)" : ""), \(value ?? "no value")"
    }

    private static func line(found: [Int]) -> String { "found: \(found)" }

    /// The order of threads and entries, and what no single record can show.
    package static func problems(in transaction: ReadTransaction) throws -> [String] {
        var problems: [String] = []
        let threads = try transaction.journals.threads()
        if zip(threads, threads.dropFirst()).contains(where: { $0.thread.updatedAt < $1.thread.updatedAt }) {
            problems.append("the threads are not in the order of their changes")
        }
        for thread in threads {
            let entries = try transaction.journals.entries(of: thread.thread.id)
            if zip(entries, entries.dropFirst()).contains(where: { $0.timestamp > $1.timestamp }) {
                problems.append("the entries of a thread are not in the order of time")
            }
        }
        return problems
    }
}
