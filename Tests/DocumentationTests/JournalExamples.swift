import Daybook
import Foundation
import Testing

/// The examples of the section on journals of Documentation/Library.md.
@Suite struct JournalExamples {
    let temporary = TemporaryFolder()

    @Test("Threads, entries, fields and pages")
    func threads() async throws {
        let store = try temporary.store()
        let garden = try await store.journals.createThread("Garden", firstEntry: "The first tulip.")
        let weather = try await store.journals.createField("Weather", in: garden.id)
        let entry = try await store.journals.addEntry(
            NewEntry("Planted roses.", values: [weather.id: "sunny"], place: EntryPlace("Berlin, Germany")),
            to: garden.id)
        try await store.journals.editEntry(entry.id, "Planted three roses.")  // keeps its time and its place

        let threads = try store.journals.threads()  // the last changed first; no entry is read
        for summary in threads { print(summary.thread.title, summary.entries) }
        let last = try store.journals.page(of: garden.id, at: .end, limit: 20)  // the newest, in their order
        if let previous = last.previous {
            print(try store.journals.page(of: garden.id, at: .before(previous), limit: 20).records.count)
        }
        for filled in try store.journals.filled(last.records) {
            print(filled.entry.displayTime(in: store.context.zone), filled.entry.content)
            for value in filled.values { print(value.field.name, value.value ?? "") }
        }
        let found = try store.journals.search("rose", in: garden.id)

        var fields = try store.journals.fields(of: garden.id).map(EditedField.init)  // as a person edits them
        fields.insert(EditedField(id: UUID(), name: "Mood"), at: 0)
        try await store.journals.saveCustomFields(fields, of: garden.id)  // writes what differs

        print(try store.journals.read { try $0.deletionQuestion(of: garden, texts: TurkishTexts()) })
        try await store.journals.deleteThread(garden.id)
        if let notice = store.journals.undoNotice { try await store.journals.undo(notice) }  // for 5 seconds
        try await store.journals.deleteThread(garden.id)
        try await store.journals.restoreThread(garden.id)  // at any time, until it is purged

        #expect(last.records.map(\.content) == ["The first tulip.", "Planted three roses."])
        #expect(found.records.map(\.id) == [entry.id])
        #expect(try store.journals.threads().map(\.entries) == [2])
        #expect(try store.journals.fields(of: garden.id).map(\.field.name) == ["Mood", "Weather"])
    }

    @Test("Drafts, the lock and places")
    func drafts() async throws {
        let store = try temporary.store()
        let garden = try await store.journals.createThread("Garden")
        let saver = try DraftSaver(store.journals, thread: garden.id)
        let saving = Task { try await saver.run() }  // every 5 seconds
        saver.edit("Planted")  // at each change of the text, and `edit(_:for:)` of the text for a custom field
        try await saver.flush()  // when the application becomes inactive
        store.journals.lock.suspend()  // and then lock the journal, if its owner wants that
        let covering = Task { for try await state in store.journals.lock.states { print(state == .locked) } }
        if store.journals.lock.isLocked { store.journals.lock.unlock(.recognized) }
        let entry = try await saver.send()  // the entry is there and the draft is gone, or neither
        saving.cancel()
        covering.cancel()

        struct Office: PlaceProvider {
            func requestPermission() async -> Bool { true }
            func currentPlace() async throws(PlaceError) -> EntryPlace { EntryPlace(city: "Berlin", state: "Germany") }
        }
        _ = try await store.journals.turnOnPlaces(Office())
        let placed = try await store.journals.addEntry(NewEntry("At work."), to: garden.id, placeFrom: Office())
        if case .placed(let entry) = await placed.place.value { print(entry.place?.description ?? "") }

        #expect(entry.content == "Planted")
        #expect(try store.journals.draft(of: garden.id) == nil)
        #expect(try store.journals.entries(of: garden.id).map { $0.place?.city } == [nil, "Berlin"])
    }
}
