import CivilTime
import FoundationEssentials
import Journals
import Records

/// The records of a journal as lines that have the same form for each version: what a version does not have is nil in them. So
/// the lines before and after a migration are equal, or something was lost or invented.
package enum JournalLines {
    /// The lines of today's records, then those of everything that is derived from them.
    package static func all(in transaction: ReadTransaction) throws -> [String] {
        try records(in: transaction) + views(in: transaction)
    }

    /// The lines of today's records.
    package static func records(in transaction: ReadTransaction) throws -> [String] {
        var lines: [String] = []
        try lines.add(JournalThread.self, in: transaction) {
            thread($0.id, $0.title, created: $0.createdAt, updated: $0.updatedAt, deleted: $0.deletedAt)
        }
        try lines.add(JournalEntry.self, in: transaction) {
            // What versions before 1.4 cannot have.
            let more: [Any?] = [$0.place, $0.placedAt, $0.number == 0 ? nil : $0.number]
            return entry(
                $0.id, in: $0.threadID, $0.content, at: $0.timestamp, edited: $0.lastEditedAt, deleted: $0.deletedAt)
                + more.compactMap { $0.map { " \($0)" } }.joined()
        }
        try lines.add(CustomField.self, in: transaction) {
            let more = ($0.isGroup ? " group" : "") + ($0.isDeleted ? " deleted" : "")
            return field($0.id, in: $0.threadID, $0.name, position: $0.position) + more
        }
        try lines.add(CustomFieldGroup.self, in: transaction) { "group \($0.id) \($0.parentID)" }
        try lines.add(EntryFieldValue.self, in: transaction) { value(of: $0.id.entry, for: $0.id.field, $0.value) }
        return lines
    }

    /// What indexes, tallies and references show: the threads with their counts, their entries in order, a search, values.
    private static func views(in transaction: ReadTransaction) throws -> [String] {
        let journals = transaction.journals
        var lines: [String] = []
        for summary in try journals.threads(includingDeleted: true) {
            lines.append("\(summary.thread.id) has \(summary.entries)")
            let entries = summary.thread.isDeleted ? [] : try journals.entries(of: summary.thread.id)
            let all = try journals.entries(of: summary.thread.id, includingDeleted: true)
            lines.append("\(entries.map(\.id)) of \(all.map(\.id))")
            lines += try journals.filled(entries).flatMap(\.values).map { "\($0.field.id) \($0.value ?? "nil")" }
        }
        return lines + ["found \(try journals.search("entry", limit: 1000).records.map(\.id))"]
    }

    package static func thread(_ id: UUID, _ title: String, created: Instant, updated: Instant, deleted: Instant?)
        -> String
    {
        "thread \(id) \(title) \(created) \(updated) \(text(deleted))"
    }

    package static func entry(
        _ id: UUID, in thread: UUID, _ content: String, at timestamp: Instant, edited: Instant?, deleted: Instant?
    ) -> String {
        "entry \(id) \(thread) \(content) \(timestamp) \(text(edited)) \(text(deleted))"
    }

    package static func field(_ id: UUID, in thread: UUID, _ name: String, position: Int64) -> String {
        "field \(id) \(thread) \(name) \(position)"
    }

    package static func value(of entry: UUID, for field: UUID, _ value: String?) -> String {
        "value \(entry) \(field) \(value ?? "nil")"
    }

    private static func text(_ instant: Instant?) -> String { instant.map { "\($0)" } ?? "nil" }
}

extension [String] {
    /// Adds a line for each record of a collection, in the order of their ids.
    mutating func add<R: Record>(
        _ type: R.Type, in transaction: ReadTransaction, line: (R) -> String
    ) throws {
        try transaction[R.self].forEach { record in
            append(line(record))
            return true
        }
    }
}
