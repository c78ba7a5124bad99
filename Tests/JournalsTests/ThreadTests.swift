import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Journals

@Suite struct ThreadTests {
    @Test("A thread and its first entry are created together, or neither [J-OP1, J-DM1]")
    func create() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("Garden", firstEntry: " The first tulip.\n")
        #expect(thread.title == "Garden" && thread.createdAt == opened.clock.wall && !thread.isDeleted)
        #expect(try opened.contents(of: thread.id) == [" The first tulip.\n"])
        for (title, entry) in [("", nil), (" \n", nil), ("a\0b", nil), ("x", " \n\t"), ("x", "a\0")]
            as [(String, String?)]
        {
            let before = try opened.dump()
            let error = await journalError { try await opened.journal.createThread(title, firstEntry: entry) }
            #expect([.emptyTitle, .unusableText, .emptyContent].contains(error))
            #expect(try opened.dump() == before)
        }
        try opened.expectSound()
    }

    @Test("The list of threads has the last changed first, with counts, and reads no entry [J-OP7, J-DM6, X-40]")
    func list() async throws {
        let opened = try TestJournal()
        var ids: [UUID] = []
        for number in 0..<5 {
            opened.clock.advance(byMicroseconds: 1_000_000)
            let thread = try await opened.journal.createThread("\(number)")
            ids.append(thread.id)
            for _ in 0..<number { try await opened.journal.addEntry("entry", to: thread.id) }
        }
        #expect(try opened.journal.threads().map(\.thread.title) == ["4", "3", "2", "1", "0"])
        #expect(try opened.journal.threads().map(\.entries) == [4, 3, 2, 1, 0])
        opened.clock.advance(byMicroseconds: 1_000_000)
        try await opened.journal.addEntry("late", to: ids[1])
        #expect(try opened.journal.threads().map(\.thread.title) == ["1", "4", "3", "2", "0"])
        opened.clock.advance(byMicroseconds: 1_000_000)
        try await opened.journal.renameThread(ids[0], to: "zero")
        #expect(try opened.journal.threads().map(\.thread.title) == ["zero", "1", "4", "3", "2"])
        // The same look-ups whether the threads have ten entries or a thousand.
        func lookUps() throws -> OperationCounters {
            try opened.store.read { transaction in
                _ = try transaction.journals.threads()
                return transaction.counters
            }
        }
        let before = try lookUps()
        let third = ids[2]
        try await opened.journal.write { journals in
            for number in 0..<1000 { try journals.addEntry(NewEntry("\(number)"), to: third) }
        }
        #expect(try lookUps() == before)
        #expect(try opened.journal.threads().first?.entries == 1002)
        try opened.expectSound()
    }

    @Test("A deleted thread vanishes with its entries, and comes back without those deleted before [J-OP5]")
    func delete() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("Garden")
        let first = try await opened.journal.addEntry("one rose", to: thread.id)
        try await opened.journal.addEntry("two roses", to: thread.id)
        try await opened.journal.deleteEntries([first.id])
        let before = try #require(try opened.journal.thread(thread.id))
        #expect(
            try opened.journal.read { try $0.deletionQuestion(of: before) }
                == "Delete 'Garden'? This will also delete 1 entry.")
        try await opened.journal.addEntry("three", to: thread.id)
        #expect(
            try opened.journal.read { try $0.deletionQuestion(of: before) }
                == "Delete 'Garden'? This will also delete all 2 entries.")
        for entry in try opened.journal.entries(of: thread.id) where entry.content == "three" {
            #expect(try await opened.journal.deleteEntry(entry.id) == entry)
            #expect(await journalError { try await opened.journal.deleteEntry(entry.id) } == .noSuchEntry)
        }
        let after = try #require(try opened.journal.thread(thread.id))
        opened.clock.advance(byMicroseconds: 7_000_000)
        try await opened.journal.deleteThread(thread.id)
        #expect(try opened.journal.threads().isEmpty)
        #expect(try opened.journal.threads(includingDeleted: true).count == 1)
        #expect(try opened.journal.thread(thread.id) == nil)
        #expect(try opened.journal.search("roses").records.isEmpty)
        #expect(await journalError { _ = try opened.journal.entries(of: thread.id) } == .noSuchThread)
        #expect(await journalError { try await opened.journal.addEntry("x", to: thread.id) } == .noSuchThread)
        #expect(await journalError { try await opened.journal.editEntry(first.id, "x") } == .noSuchEntry)
        #expect(await journalError { try await opened.journal.deleteThread(thread.id) } == .noSuchThread)
        #expect(try opened.journal.entries(of: thread.id, includingDeleted: true).count == 3)
        #expect(try await opened.journal.restoreThread(thread.id) == after)
        #expect(try opened.contents(of: thread.id) == ["two roses"])
        #expect(try opened.journal.search("roses").records.map(\.content) == ["two roses"])
        try opened.expectSound()
    }

    @Test(
        "The deletion of a thread is undone within 5 seconds of monotonic time, whatever the wall clock does [J-OP5, S-23]",
        arguments: [(4_900_000, true), (5_000_000, true), (5_100_000, false)] as [(Int64, Bool)])
    func undoWindow(after microseconds: Int64, isOffered: Bool) async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("Garden", firstEntry: "a")
        let draft = try await opened.journal.saveDraft("more", for: thread.id)
        let before = try opened.dump()
        try await opened.journal.deleteThread(thread.id)
        let notice = try #require(opened.journal.undoNotice)
        opened.clock.stepWall(byMicroseconds: 3_600_000_000)
        opened.clock.advance(byMicroseconds: microseconds)
        #expect((opened.journal.undoNotice != nil) == isOffered)
        let error = await journalError { try await opened.journal.undo(notice) }
        #expect(error == (isOffered ? nil : .undoExpired))
        if isOffered {
            #expect(try opened.dump() == before)
            #expect(try opened.journal.draft(of: thread.id) == draft)
            // It is offered once.
            #expect(await journalError { try await opened.journal.undo(notice) } == .undoExpired)
        } else {
            #expect(try opened.journal.thread(thread.id) == nil)
        }
        #expect(try opened.reopened().journal.undoNotice == nil)
    }

    @Test(
        "The settings say for how many seconds the undo of a deletion is offered, 0 for never [X-20, J-OP5]",
        arguments: [(0, 0, false), (2, 2_000_000, true), (2, 2_000_001, false), (60, 60_000_000, true)]
            as [(UInt32, Int64, Bool)])
    func chosenWindow(seconds: UInt32, after microseconds: Int64, isOffered: Bool) async throws {
        let opened = try TestJournal()
        try await opened.journal.changeSettings { $0.undoSeconds = seconds }
        let thread = try await opened.journal.createThread("Garden")
        try await opened.journal.deleteThread(thread.id)
        let notice = opened.journal.undoNotice
        #expect((notice == nil) == (seconds == 0))
        opened.clock.advance(byMicroseconds: microseconds)
        #expect((opened.journal.undoNotice != nil) == isOffered)
        guard let notice else { return }
        let error = await journalError { try await opened.journal.undo(notice) }
        #expect(error == (isOffered ? nil : .undoExpired))
    }

    @Test("Whoever follows the offer to undo gets it when it is made, and nil when it is used or over [J-OP5, X-20]")
    func followedNotice() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("Garden")
        var offers = opened.journal.observeUndoNotice().makeAsyncIterator()
        #expect(try await offers.next() == .some(nil))
        try await opened.journal.deleteThread(thread.id)
        let notice = try #require(opened.journal.undoNotice)
        #expect(notice.thread == thread.id)
        #expect(try await offers.next() == notice)
        try await opened.journal.undo(notice)
        #expect(try await offers.next() == .some(nil))
        try await opened.journal.deleteThread(thread.id)
        #expect(try await offers.next() == opened.journal.undoNotice)
        opened.clock.advance(byMicroseconds: 5_000_001)
        #expect(try await offers.next() == .some(nil))
    }

    @Test("An offer stays when its undo is refused because the journal is locked [J-OP5, J-OP12]")
    func lockedNotice() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("Garden")
        try await opened.journal.setLock(true, isAvailable: true)
        try await opened.journal.deleteThread(thread.id)
        let notice = try #require(opened.journal.undoNotice)
        opened.journal.lock.suspend()
        #expect(await journalError { try await opened.journal.undo(notice) } == .locked)
        opened.journal.lock.unlock(.recognized)
        try await opened.journal.undo(notice)
        #expect(try opened.journal.thread(thread.id) != nil)
    }

    @Test("Later changes elsewhere do not prevent the undo, and a restored thread cannot be undone again [J-OP5]")
    func undoAmongOthers() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("a", firstEntry: "x")
        let other = try await opened.journal.createThread("b")
        try await opened.journal.deleteThread(thread.id)
        let notice = try #require(opened.journal.undoNotice)
        try await opened.journal.addEntry("y", to: other.id)
        try await opened.journal.undo(notice)
        #expect(try opened.contents(of: thread.id) == ["x"] && opened.contents(of: other.id) == ["y"])
        try await opened.journal.deleteThread(thread.id)
        let second = try #require(opened.journal.undoNotice)
        try await opened.journal.restoreThread(thread.id)
        #expect(await journalError { try await opened.journal.undo(second) } == .changedSince)
    }

    @Test("A purge leaves nothing of a thread, neither in tables nor in the change log [J-OP6]")
    func purge() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("Secret Title", firstEntry: "first secret")
        let other = try await opened.journal.createThread("kept", firstEntry: "kept entry")
        let kept = try opened.dump()
        let group = try await opened.journal.editFields {
            try $0.createField("Secret Group", in: thread.id, isGroup: true)
        }
        let field = try await opened.journal.editFields {
            try $0.createField("Secret Field", in: thread.id, group: group.id)
        }
        let entry = try await opened.journal.addEntry(
            NewEntry("second secret", values: [field.id: "secret value"], place: EntryPlace("Secret City")),
            to: thread.id)
        try await opened.journal.deleteEntries([entry.id])
        try await opened.journal.saveDraft("secret draft", for: thread.id)
        try await opened.journal.deleteThread(thread.id)
        let (purged, count) = try await opened.journal.purgeThread(thread.id)
        #expect(purged.id == thread.id && count == 2)
        #expect(try opened.dump() == kept.filter { !$0.lowercased().contains("secret") })
        #expect(await journalError { try await opened.journal.restoreThread(thread.id) } == .noSuchThread)
        #expect(try opened.contents(of: other.id) == ["kept entry"])
        #expect(try opened.journal.search("secret").records.isEmpty)
        try opened.expectSound()
        // Nothing of it can be undone; what is left in free pages, a compaction removes.
        _ = try await opened.store.compact()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: opened.store.path + "/data.mdb"))
        #expect(bytes.range(of: Data("ecret".utf8)) == nil)
        #expect(bytes.range(of: Data("kept entry".utf8)) != nil)
    }

    @Test("A purge leaves nothing of what was added to the thread and undone, in the change log either [J-OP6]")
    func purgeAfterUndo() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t", firstEntry: "kept entry")
        let field = try await opened.journal.editFields { try $0.createField("Secret Field", in: thread.id) }
        try await opened.journal.addEntry(NewEntry("secret", values: [field.id: "secret value"]), to: thread.id)
        try await opened.store.write { try $0.undo() }
        try await opened.store.write { try $0.undo() }
        try await opened.journal.purgeThread(thread.id)
        try opened.expectSound()
        _ = try await opened.store.compact()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: opened.store.path + "/data.mdb"))
        #expect(bytes.range(of: Data("ecret".utf8)) == nil && bytes.range(of: Data("kept entry".utf8)) == nil)
    }

    @Test("Threads are named by id, short id, title, title in other letters, and the beginning of one")
    func names() async throws {
        let opened = try TestJournal()
        let garden = try await opened.journal.createThread("Garden")
        let diary = try await opened.journal.createThread("Dream diary")
        let twin = try await opened.journal.createThread("Dream diary")
        for text in ["Garden", "garden", "GÁRDEN", "gar", garden.id.uuidString, String(garden.id.lowercased.suffix(6))]
        {
            #expect(try opened.journal.findThread(text) == garden, "\(text)")
        }
        let ids = [diary, twin].map(\.id.lowercased)
        for text in ["Dream diary", "dream"] {
            #expect(throws: JournalError.ambiguousThread(candidates: ids)) { try opened.journal.findThread(text) }
        }
        for text in ["", "nothing", "zzzz", uuid(7).uuidString] {
            #expect(throws: JournalError.noSuchThread) { try opened.journal.findThread(text) }
        }
        try await opened.journal.deleteThread(twin.id)
        #expect(try opened.journal.findThread("dream") == diary)
        #expect(try opened.journal.findThread("dream", .deleted).id == twin.id)
        #expect(throws: JournalError.self) { try opened.journal.findThread("dream", .all) }
        let short = try opened.journal.read { try $0.shortIDs(ofThreads: [garden.id, diary.id]) }
        for (id, text) in short { #expect(try opened.journal.findThread(text).id == id) }
    }
}
