import Foundation
import Journals
import Records
import Tasks
import Testing

/// Compares the tables of fields in Documentation/Format.md with the declarations of the collections. With
/// `DAYBOOK_UPDATE_DOCUMENTATION=1` it writes them first, and keeps their last column.
@Suite struct FieldReferenceTests {
    static let page = "Documentation/Format.md"
    static let head = ["| field | name | kind | form | notes |", "| --- | --- | --- | --- | --- |"]

    @Test(
        "The table of fields agrees with the declaration",
        arguments: [
            ("### TaskItem (table `tasks`", TaskItem.collection.declaration),
            ("### Tombstone (table `tombstones`", Tombstone.collection.declaration),
            ("### JournalThread (table `threads`", JournalThread.collection.declaration),
            ("### JournalEntry (table `entries`", JournalEntry.collection.declaration),
            ("### CustomField (table `customFields`", CustomField.collection.declaration),
            ("### CustomFieldGroup (table `fieldGroups`", CustomFieldGroup.collection.declaration),
            ("### EntryFieldValue (table `fieldValues`", EntryFieldValue.collection.declaration),
            ("### JournalDraft (table `drafts`", JournalDraft.collection.declaration),
            ("### JournalSettings (table `journalSettings`", JournalSettings.collection.declaration),
        ])
    func tableAgrees(heading: String, declaration: CollectionDeclaration) throws {
        let file = SourceTree.root.appending(path: Self.page)
        var lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        let section = try #require(lines.firstIndex { $0.hasPrefix(heading) })
        let start = try #require(lines[section...].firstIndex { $0.hasPrefix("|") })
        let end = try #require(lines[start...].firstIndex { !$0.hasPrefix("|") })
        let written = Array(lines[start..<end])

        let notes = Dictionary(
            written.compactMap { row in
                let cells = row.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                return cells.count > 5 ? Int(cells[1]).map { ($0, cells[5]) } : nil
            }, uniquingKeysWith: { $1 })
        let expected = Self.head + declaration.fields.map { Self.row(of: $0, notes: notes[$0.number] ?? "") }

        if ProcessInfo.processInfo.environment["DAYBOOK_UPDATE_DOCUMENTATION"] != nil, written != expected {
            lines.replaceSubrange(start..<end, with: expected)
            try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(written == expected)
        }
    }

    private static func row(of field: Field, notes: String) -> String {
        let forms = field.kind.forms.map { "\($0.rawValue)" }.joined(separator: " or ")
        let cells = "| \(field.number) | \(field.name) | \(name(of: field.kind)) | \(forms) |"
        return notes.isEmpty ? "\(cells) |" : "\(cells) \(notes) |"
    }

    private static func name(of kind: FieldKind) -> String {
        switch kind {
        case .text: "text"
        case .bytes: "bytes"
        case .integer: "signed 64-bit integer"
        case .integer32: "signed 32-bit integer"
        case .unsigned32: "unsigned 32-bit integer"
        case .unsigned8: "unsigned 8-bit integer"
        case .boolean: "boolean"
        case .booleanDefaultingToTrue: "boolean, stored as 1 if false"
        case .double: "floating-point number"
        case .instant: "instant"
        case .day: "day"
        case .uuid: "UUID"
        case .enumeration(let names):
            names.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
    }
}
