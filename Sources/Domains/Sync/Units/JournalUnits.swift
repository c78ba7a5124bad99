import FoundationEssentials
import Journals
import Records

/// The units of journals, which take part where a person has switched them on. Numbers are frozen for good; Format.md lists them.
extension SyncedCollection {
    static let journals = [threads, entries, fields, fieldGroups, fieldValues]

    static let threads = SyncedCollection(
        JournalThread.self, createdAt: 2, updatedAt: 3, tombstones: nil, isOfJournals: true
    ) {
        FieldGroup(2, "title", fields: [1], keepsLosers: true)
        FieldGroup(3, "deletion", fields: [4])
        FieldGroup(4, "touch", fields: [3], rule: .touch)
    }

    static let entries = SyncedCollection(
        JournalEntry.self, createdAt: 3, updatedAt: nil, tombstones: nil,
        parents: [.field(1, of: JournalThread.collection.number)],
        isOfJournals: true
    ) {
        FieldGroup(2, "content", fields: [2, 4], keepsLosers: true)
        FieldGroup(3, "deletion", fields: [5])
        FieldGroup(4, "place", fields: [6, 7, 8])
        FieldGroup(5, "time", fields: [1, 3, 9])
        FieldGroup(6, "zone", fields: [10])
    }

    static let fields = SyncedCollection(
        CustomField.self, createdAt: nil, updatedAt: nil, tombstones: nil,
        parents: [.field(1, of: JournalThread.collection.number)],
        isOfJournals: true
    ) {
        FieldGroup(2, "name", fields: [2], keepsLosers: true)
        FieldGroup(3, "position", fields: [3])
        FieldGroup(4, "kind", fields: [1, 4])
        FieldGroup(5, "deletion", fields: [5])
    }

    static let fieldGroups = SyncedCollection(
        CustomFieldGroup.self, createdAt: nil, updatedAt: nil, tombstones: nil,
        parents: [
            .keyPart(0, of: CustomField.collection.number),
            .field(1, of: CustomField.collection.number),
        ], isOfJournals: true
    ) {
        FieldGroup(2, "group", fields: [1])
    }

    static let fieldValues = SyncedCollection(
        EntryFieldValue.self, createdAt: nil, updatedAt: nil, tombstones: nil,
        parents: [
            .keyPart(0, of: JournalEntry.collection.number),
            .keyPart(16, of: CustomField.collection.number),
        ], isOfJournals: true
    ) {
        FieldGroup(2, "value", fields: [1], keepsLosers: true)
    }
}
