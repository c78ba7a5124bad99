import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Journals

@Suite struct DraftTests {
    @Test("A draft survives a restart, and is in no change log and no undo [J-OP9, X-10]")
    func survives() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        let sequence = try opened.store.read { try $0.lastSequence() }
        let draft = try #require(try await opened.journal.saveDraft("half a sente", for: thread.id))
        #expect(draft.savedAt == opened.clock.wall)
        #expect(try opened.store.read { try $0.lastSequence() } == sequence)
        let again = try opened.reopened()
        #expect(try again.journal.draft(of: thread.id) == draft)
        try await again.journal.saveDraft(" \n", for: thread.id)
        #expect(try again.journal.draft(of: thread.id) == nil)
        #expect(await journalError { try await again.journal.saveDraft("a", for: uuid(1)) } == .noSuchThread)
        #expect(await journalError { try await again.journal.saveDraft("a\0", for: thread.id) } == .unusableText)
    }

    @Test("The draft goes in the transaction that stores the entry, and stays when that fails [J-OP9]")
    func send() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        try await opened.journal.saveDraft("text", for: thread.id)
        let before = try opened.dump()
        _ = await journalError {
            try await opened.journal.addEntry(NewEntry("text", values: [uuid(1): "x"]), to: thread.id)
        }
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await opened.journal.write { journals in
                try journals.addEntry(NewEntry("text"), to: thread.id)
                throw Failure()
            }
        }
        #expect(try opened.dump() == before)
        // Both changes are seen at once by whoever reads in between.
        let seen = try await opened.journal.write { journals in
            try journals.addEntry(NewEntry("text"), to: thread.id)
            return (try journals.reading.draft(of: thread.id), try journals.reading.entries(of: thread.id).count)
        }
        #expect(seen.0 == nil && seen.1 == 1)
        #expect(try opened.journal.draft(of: thread.id) == nil && opened.contents(of: thread.id) == ["text"])
        // The undo of the entry does not bring the draft back.
        try await opened.store.write { try $0.undo() }
        #expect(try opened.journal.draft(of: thread.id) == nil && opened.contents(of: thread.id) == [])
    }

    @Test("A saver saves every 5 seconds of monotonic time, and only what has changed [J-OP9]")
    func saver() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        let saver = try DraftSaver(opened.journal, thread: thread.id)
        let saving = Task { try await saver.run() }
        let stored = { try opened.journal.draft(of: thread.id)?.content }
        try await opened.waitForSleepers()
        saver.edit("a")
        opened.clock.stepWall(byMicroseconds: 3_600_000_000)
        opened.clock.advance(byMicroseconds: 4_900_000)
        #expect(try stored() == nil)
        opened.clock.advance(byMicroseconds: 100_000)
        try await opened.waitForSleepers()
        #expect(try stored() == "a")
        // A crash now loses what was written after the tick, and nothing before it.
        saver.edit("ab")
        #expect(try stored() == "a")
        opened.clock.advance(byMicroseconds: 5_000_000)
        try await opened.waitForSleepers()
        #expect(try stored() == "ab")
        saver.edit("abc")
        #expect(try await saver.flush())
        #expect(try await !saver.flush())
        #expect(try stored() == "abc")
        saving.cancel()
        await #expect(throws: CancellationError.self) { try await saving.value }
        let entry = try await saver.send()
        #expect(try stored() == nil)
        #expect(entry.content == "abc" && saver.text == "")
        let next = try DraftSaver(opened.journal, thread: thread.id)
        #expect(next.text == "")
        #expect(await journalError { _ = try await next.send() } == .emptyContent)
        try await opened.journal.deleteThread(thread.id)
        next.edit("x")
        #expect(await journalError { try await next.flush() } == .noSuchThread)
        #expect(next.text == "x")
    }

    /// The ways in which a text can become an entry while a saver has it.
    enum Sending: CaseIterable, Sendable {
        case addEntry, placedLater, placed, write, send, sendPlaced

        func callAsFunction(_ text: String, to thread: UUID, _ journal: Journal, _ saver: DraftSaver) async throws {
            switch self {
            case .addEntry: try await journal.addEntry(text, to: thread)
            case .placedLater:
                _ = await (try journal.addEntry(NewEntry(text), to: thread, placeFrom: Unavailable())).place.value
            case .placed: _ = try await journal.addEntry(NewEntry(text), to: thread, waitingForPlaceFrom: Unavailable())
            case .write: try await journal.write { _ = try $0.addEntry(NewEntry(text), to: thread) }
            case .send: _ = try await saver.send()
            case .sendPlaced: _ = await (try saver.send(placeFrom: Unavailable())).place.value
            }
        }
    }

    private struct Unavailable: PlaceProvider {
        func requestPermission() async -> Bool { true }
        func currentPlace() async throws(PlaceError) -> EntryPlace { throw .unavailable }
    }

    @Test(
        "The draft of a text that became an entry does not come back at the next tick, however it was written [J-OP9]",
        arguments: Sending.allCases, [false, true])
    func doesNotComeBack(_ sending: Sending, inSession: Bool) async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        let journal = inSession ? Journal(session: opened.store.session(), of: opened.journal) : opened.journal
        let stored = { try opened.journal.draft(of: thread.id)?.content }
        for isSavedBefore in [false, true] {
            let saver = try DraftSaver(journal, thread: thread.id)
            saver.edit("half")
            if isSavedBefore { #expect(try await saver.flush()) }
            saver.edit("all of it")
            try await sending("all of it", to: thread.id, journal, saver)
            #expect(try await !saver.flush())
            #expect(try stored() == nil && saver.text == "")
            // The same text once more is a draft of its own.
            saver.edit("all of it")
            #expect(try await saver.flush())
            #expect(try stored() == "all of it")
            try await sending("all of it", to: thread.id, journal, saver)
            #expect(try await !saver.flush())
            #expect(try stored() == nil)
        }
        #expect(try opened.contents(of: thread.id).count == 4)
    }

    @Test("A draft stays when another text becomes an entry of its thread, and when the transaction fails [J-OP9]")
    func stays() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        let other = try await opened.journal.createThread("u")
        let saver = try DraftSaver(opened.journal, thread: thread.id)
        saver.edit("unfinished")
        #expect(try await saver.flush())
        try await opened.journal.addEntry("quick note", to: thread.id)
        #expect(try await saver.flush())
        #expect(try opened.journal.draft(of: thread.id)?.content == "unfinished")
        try await opened.journal.addEntry("unfinished", to: other.id)
        #expect(try await !saver.flush())
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await opened.journal.write { journals in
                try journals.addEntry(NewEntry("unfinished"), to: thread.id)
                throw Failure()
            }
        }
        #expect(try await !saver.flush())
        #expect(try opened.journal.draft(of: thread.id)?.content == "unfinished" && saver.text == "unfinished")
    }

    @Test("A text that was written while the entry was sent is kept")
    func writtenMeanwhile() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        let saver = try DraftSaver(opened.journal, thread: thread.id)
        saver.edit("sent")
        _ = try await saver.send()
        saver.edit("next")
        #expect(try await saver.flush())
        #expect(try opened.journal.draft(of: thread.id)?.content == "next")
    }

    private struct Found: PlaceProvider {
        func requestPermission() async -> Bool { true }
        func currentPlace() async throws(PlaceError) -> EntryPlace { EntryPlace("Berlin, Germany") }
    }

    @Test(
        "Values that were typed survive a restart, become those of the entry, and leave no draft behind [J-OP9, J-OP8]")
    func values() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t").id
        let sky = try await opened.journal.createField("Sky", in: thread).id
        let mood = try await opened.journal.createField("Mood", in: thread).id
        let rain = try await opened.journal.createField("Rain", in: thread).id
        let saver = try DraftSaver(opened.journal, thread: thread)
        saver.edit("gray", for: sky)
        // A value without a text is a draft, too.
        #expect(try await saver.flush())
        saver.edit(" ", for: rain)
        saver.edit("Rain all day.")
        #expect(try await saver.flush())
        #expect(try await !saver.flush())
        // Saving the text alone keeps the values.
        #expect(try await opened.journal.saveDraft("Rain all", for: thread)?.values == [sky: "gray", rain: " "])
        let again = try opened.reopened()
        let next = try DraftSaver(again.journal, thread: thread)
        #expect(next.text == "Rain all" && next.values == [sky: "gray", rain: " "])
        next.edit("Rain all day.")
        let entry = try await next.send(values: [mood: "fine"])
        let filled = try #require(try again.journal.filled([entry]).first)
        #expect(filled.values.map(\.field.name) == ["Sky", "Mood", "Rain"])
        #expect(filled.values.map(\.value) == ["gray", "fine", nil])
        #expect(next.text == "" && next.values == [:])
        #expect(try await !next.flush())
        #expect(try again.journal.draft(of: thread) == nil)
        // A value that is refused is kept with its text.
        next.edit("y")
        next.edit("v", for: uuid(1))
        #expect(await journalError { _ = try await next.send() } == .noSuchField)
        #expect(next.text == "y" && next.values == [uuid(1): "v"])
        next.edit(nil, for: uuid(1))
        _ = try await next.send()
        #expect(try await !next.flush())
        #expect(try again.journal.draft(of: thread) == nil)
    }

    @Test(
        "A saver sends with a place that follows, and with one that it waits for [J-OP9, J-OP10]",
        arguments: [false, true])
    func placed(isWaiting: Bool) async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t").id
        let sky = try await opened.journal.createField("Sky", in: thread).id
        _ = try await opened.journal.turnOnPlaces(Found())
        let saver = try DraftSaver(opened.journal, thread: thread)
        saver.edit("At work.")
        saver.edit("gray", for: sky)
        #expect(try await saver.flush())
        if isWaiting {
            #expect(try await saver.send(waitingForPlaceFrom: Found()).place == EntryPlace("Berlin, Germany"))
        } else {
            guard case .placed(let entry) = await (try saver.send(placeFrom: Found())).place.value else {
                Issue.record("there is no place")
                return
            }
            #expect(entry.place == EntryPlace("Berlin, Germany"))
        }
        #expect(
            try opened.journal.filled(opened.journal.entries(of: thread)).map { $0.values.map(\.value) } == [["gray"]])
        #expect(saver.text == "" && saver.values == [:])
        #expect(try await !saver.flush())
        #expect(try opened.journal.draft(of: thread) == nil)
    }
}
