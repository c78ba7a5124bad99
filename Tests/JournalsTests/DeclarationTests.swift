import CivilTime
import Foundation
import Injection
import Records
import TestSupport
import Testing

@testable import Journals

@Suite struct DeclarationTests {
    @Test("What records write is what they declare, and what they read back")
    func fields() async throws {
        let now = Instant(secondsSince1970: 1_000_000)
        var thread = JournalThread(id: uuid(1), title: "t", createdAt: now)
        thread.deletedAt = now
        #expect(JournalThread.collection.mismatches(of: thread) == [])
        var entry = JournalEntry(id: uuid(2), threadID: uuid(1), content: "c", timestamp: now)
        (entry.lastEditedAt, entry.deletedAt, entry.placedAt, entry.number) = (now, now, now, 7)
        (entry.place, entry.zone) = (EntryPlace("Berlin, Germany"), "Asia/Tokyo")
        #expect(JournalEntry.collection.mismatches(of: entry) == [])
        var field = CustomField(id: uuid(3), threadID: uuid(1), name: "f")
        (field.isGroup, field.position, field.deletedAt) = (true, 5, now)
        #expect(CustomField.collection.mismatches(of: field) == [])
        let link = CustomFieldGroup(child: uuid(4), parent: uuid(3))
        #expect(CustomFieldGroup.collection.mismatches(of: link) == [])
        let value = EntryFieldValue(entry: uuid(2), field: uuid(3), value: "v")
        #expect(EntryFieldValue.collection.mismatches(of: value) == [])
        var draft = JournalDraft(thread: uuid(1), content: "d", savedAt: now)
        draft.values = [uuid(3): "é", uuid(4): "", uuid(5): " \n"]
        #expect(JournalDraft.collection.mismatches(of: draft) == [])
        var settings = JournalSettings()
        (settings.isLockEnabled, settings.isLocationEnabled, settings.textSizePercentage) = (true, true, 120)
        (settings.lastPlace, settings.undoSeconds) = (EntryPlace("Berlin, Germany"), 9)
        #expect(JournalSettings.collection.mismatches(of: settings) == [])
        let opened = try TestJournal()
        let (threadRecord, entryRecord, fieldRecord, settingsRecord) = (thread, entry, field, settings)
        let draftRecord = draft
        try await opened.store.write { transaction in
            try transaction.put(threadRecord)
            try transaction.put(entryRecord)
            try transaction.put(fieldRecord)
            try transaction.put(settingsRecord)
            try transaction.put(value)
            try transaction.put(draftRecord)
        }
        let again = try opened.reopened()
        try again.store.read { (transaction) throws in
            #expect(try transaction[JournalThread.self].get(uuid(1)) == thread)
            #expect(try transaction[JournalEntry.self].get(uuid(2)) == entry)
            #expect(try transaction[CustomField.self].get(uuid(3)) == field)
            #expect(try transaction[EntryFieldValue.self].get(value.id) == value)
            #expect(try transaction[JournalSettings.self].get(0) == settings)
            #expect(try transaction[JournalDraft.self].get(uuid(1)) == draft)
        }
    }

    @Test("Verification reports blank titles and contents, and names of no length [J-DM1, J-DM2, J-DM3]")
    func invariants() async throws {
        let opened = try TestJournal()
        try await opened.store.write { transaction in
            let now = transaction.context.clock.wall
            var thread = JournalThread(id: uuid(1), title: " ", createdAt: now)
            thread.updatedAt = now.advanced(byMicroseconds: -1)
            try transaction.put(thread)
            try transaction.put(JournalEntry(id: uuid(2), threadID: uuid(1), content: "\n", timestamp: now))
            try transaction.put(CustomField(id: uuid(3), threadID: uuid(1), name: ""))
        }
        let problems = try opened.store.verify().problems
        for part in ["title is blank", "before it was created", "content is blank", "50 characters"] {
            #expect(problems.contains { $0.contains(part) }, "\(part)")
        }
    }

    @Test("A purge that skipped what belongs to the thread would be noticed [J-OP6]")
    func negativeControl() async throws {
        let folder = TemporaryFolder(on: .memory)
        var options = StoreOptions(retries: .none)
        options.injectionPoint = ArmedInjectionPoints(.skipsCascades)
        let clock = SettableClock(Instant(secondsSince1970: 1_770_000_000))
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 1), zones: SettableZone(try Zone("UTC")), weekStart: .monday)
        let store = try RecordStore(
            at: folder.path + "/store", schema: Journal.schema, context: context, options: options)
        defer { store.close() }
        let journal = Journal(store: store)
        let thread = try await journal.createThread("t", firstEntry: "x")
        try await journal.purgeThread(thread.id)
        let problems = try store.verify().problems
        #expect(!problems.isEmpty)
    }

    @Test("The names of operations and of collections are permanent, and operations carry no text [D10]")
    func names() {
        #expect(
            Journal.schema.declarations.map(\.name) == [
                "threads", "entries", "customFields", "fieldGroups", "fieldValues", "drafts", "journalSettings",
            ])
        #expect(JournalOperation.allCases.allSatisfy { $0.rawValue.hasPrefix("journals.") })
    }
}
