import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Journals

@Suite struct EntryTests {
    @Test("Blank content is refused, and all other content is stored as it is [J-OP2]")
    func content() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        for content in ["", " ", "\n\t \r\n", "\u{A0}\u{2003}"] {
            #expect(await journalError { try await opened.journal.addEntry(content, to: thread.id) } == .emptyContent)
        }
        #expect(await journalError { try await opened.journal.addEntry("a\0", to: thread.id) } == .unusableText)
        #expect(await journalError { try await opened.journal.addEntry("a", to: uuid(1)) } == .noSuchThread)
        let texts = ["  a  ", "=1+1", "e\u{301}", "\n👩‍👩‍👧\n", String(repeating: "long ", count: 100_000)]
        for text in texts { try await opened.journal.addEntry(text, to: thread.id) }
        #expect(try opened.contents(of: thread.id) == texts)
        #expect(try opened.reopened().contents(of: thread.id) == texts)
    }

    @Test("Entries are in the order of time, then of insertion, also when the clock goes back [J-OP7]")
    func order() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        for text in ["1", "2", "3"] { try await opened.journal.addEntry(text, to: thread.id) }
        opened.clock.advance(byMicroseconds: 1)
        try await opened.journal.addEntry("later", to: thread.id)
        opened.clock.stepWall(byMicroseconds: -3_600_000_000)
        try await opened.journal.addEntry("before", to: thread.id)
        #expect(try opened.contents(of: thread.id) == ["before", "1", "2", "3", "later"])
        // Another process has no part in the ids of this one; the order of insertion counts all the same.
        opened.clock.stepWall(byMicroseconds: 3_599_999_999)
        for (number, text) in ["4", "5"].enumerated() {
            try await opened.journal.addEntry(NewEntry(text, id: uuid(9 - number)), to: thread.id)
        }
        #expect(try opened.contents(of: thread.id) == ["before", "1", "2", "3", "4", "5", "later"])
        try opened.expectSound()
    }

    @Test("An edit keeps the time and the place of an entry, and no change writes nothing [J-OP3, J-DM6]")
    func edit() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        let entry = try await opened.journal.addEntry("first", to: thread.id)
        try await opened.journal.addEntry("second", to: thread.id)
        #expect(entry.displayTime(in: opened.context.zone) == "2026-02-11 11:00")
        opened.clock.advance(byMicroseconds: 60_000_000)
        let sequence = try opened.store.read { try $0.lastSequence() }
        #expect(try await opened.journal.editEntry(entry.id, "first") == entry)
        #expect(await journalError { try await opened.journal.editEntry(entry.id, " \n") } == .emptyContent)
        #expect(try opened.store.read { try $0.lastSequence() } == sequence)
        let edited = try await opened.journal.editEntry(entry.id, "changed")
        #expect(edited.timestamp == entry.timestamp && edited.lastEditedAt == opened.clock.wall && edited.isEdited)
        #expect(edited.displayTime(in: opened.context.zone) == "2026-02-11 11:00 (edited)")
        #expect(try opened.contents(of: thread.id) == ["changed", "second"])
        #expect(try opened.journal.search("first").records.isEmpty)
        #expect(try opened.journal.search("changed").records.map(\.id) == [entry.id])
        // A clock that goes back does not take the time of the edit back.
        opened.clock.stepWall(byMicroseconds: -86_400_000_000)
        #expect(try await opened.journal.editEntry(entry.id, "again").lastEditedAt == edited.lastEditedAt)
    }

    @Test("A deleted entry is kept, and is in no list, count or search [J-OP4]")
    func delete() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        let entries = try await opened.journal.write { journals in
            try (0..<4).map { try journals.addEntry(NewEntry("word \($0)"), to: thread.id) }
        }
        let deleted = try await opened.journal.deleteEntries([entries[1].id, entries[2].id, entries[1].id])
        #expect(deleted == [entries[1], entries[2]])
        #expect(try opened.contents(of: thread.id) == ["word 0", "word 3"])
        #expect(try opened.journal.threads().map(\.entries) == [2])
        #expect(try opened.journal.search("word").records.count == 2)
        let all = try opened.journal.entries(of: thread.id, includingDeleted: true)
        #expect(all.map(\.isDeleted) == [false, true, true, false])
        // All or none.
        let before = try opened.dump()
        let error = await journalError { try await opened.journal.deleteEntries([entries[0].id, entries[1].id]) }
        #expect(error == .noSuchEntry)
        #expect(try opened.dump() == before)
        try await opened.store.write { try $0.undo() }
        #expect(try opened.contents(of: thread.id).count == 4)
        try opened.expectSound()
    }

    @Test("Pages lead in both directions, and neither repeat nor skip entries while others are written [S-12]")
    func pages() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        let other = try await opened.journal.createThread("other", firstEntry: "x")
        try await opened.journal.write { journals in
            for number in 0..<23 { try journals.addEntry(NewEntry("\(number)"), to: thread.id) }
        }
        let all = try opened.journal.entries(of: thread.id)
        var forward: [JournalEntry] = []
        var page = try opened.journal.page(of: thread.id, limit: 5)
        #expect(page.previous == nil)
        forward += page.records
        while let next = page.next {
            page = try opened.journal.page(of: thread.id, at: .after(next), limit: 5)
            #expect(page.previous != nil)
            forward += page.records
        }
        #expect(forward == all)
        var backward: [JournalEntry] = []
        page = try opened.journal.page(of: thread.id, at: .end, limit: 5)
        #expect(page.next == nil && page.records == all.suffix(5))
        backward = page.records
        while let previous = page.previous {
            page = try opened.journal.page(of: thread.id, at: .before(previous), limit: 5)
            #expect(page.next != nil)
            backward = page.records + backward
        }
        #expect(backward == all)
        // From a page in the middle back and forth; the first page has no previous one.
        let first = try opened.journal.page(of: thread.id, limit: 5)
        let second = try opened.journal.page(of: thread.id, at: .after(try #require(first.next)), limit: 5)
        let back = try opened.journal.page(of: thread.id, at: .before(try #require(second.previous)), limit: 5)
        #expect(back.records == first.records && back.previous == nil && back.next != nil)
        try await opened.journal.deleteEntries([all[4].id, all[5].id])
        try await opened.journal.addEntry("new", to: thread.id)
        let after = try opened.journal.page(of: thread.id, at: .after(try #require(first.next)), limit: 3)
        #expect(after.records == Array(all[6..<9]))
        // A place of another thread or of another list is refused.
        let foreign = try #require(second.next)
        for place in [WindowPlace.after(foreign), .before(foreign)] {
            #expect(throws: JournalError.store(.foreignPageToken)) {
                try opened.journal.page(of: other.id, at: place)
            }
        }
        #expect(throws: JournalError.store(.foreignPageToken)) {
            try opened.journal.page(of: thread.id, at: .after(foreign), includingDeleted: true)
        }
        #expect(try opened.journal.page(of: thread.id, limit: 100, includingDeleted: true).records.count == 24)
    }

    @Test("The first page costs what it costs however many entries there are, and so do the last and a short id [D2]")
    func pageCost() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        func add(_ count: Int) async throws {
            try await opened.journal.write { journals in
                for number in 0..<count { try journals.addEntry(NewEntry("\(number) entry"), to: thread.id) }
            }
        }
        func cost(_ body: (JournalReading) throws -> Void) throws -> OperationCounters {
            try opened.store.read { transaction in
                try body(transaction.journals)
                return transaction.counters
            }
        }
        try await add(100)
        let first = try cost { _ = try $0.page(of: thread.id, limit: 20) }
        let last = try cost { _ = try $0.page(of: thread.id, at: .end, limit: 5) }
        try await add(2000)
        #expect(try cost { _ = try $0.page(of: thread.id, limit: 20) } == first)
        #expect(try cost { _ = try $0.page(of: thread.id, at: .end, limit: 5) } == last)
    }

    @Test("Entries are named by their ids, and by the short ids that listings show")
    func names() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        let entries = try await opened.journal.write { journals in
            try (0..<2000).map { try journals.addEntry(NewEntry("\($0)"), to: thread.id) }
        }
        let short = try opened.journal.read { try $0.shortIDs(of: entries.map(\.id)) }
        // With so many, four digits are not enough for some.
        #expect(short.values.contains { $0.count > 4 } && short.values.contains { $0.count == 4 })
        for entry in entries.prefix(200) {
            #expect(try opened.journal.read { try $0.findEntry(short[entry.id] ?? "") } == entry)
            #expect(try opened.journal.read { try $0.findEntry(entry.id.uuidString) } == entry)
        }
        #expect(throws: JournalError.self) {
            try opened.journal.read { try $0.findEntry(String(entries[0].id.lowercased.prefix(8))) }
        }
        for text in ["", "xyz", "123", "zzzz"] {
            #expect(throws: JournalError.notAnID) { try opened.journal.read { try $0.findEntry(text) } }
        }
        #expect(throws: JournalError.noSuchEntry) { try opened.journal.read { try $0.findEntry(uuid(1).uuidString) } }
    }

    @Test("Search finds whole words, then beginnings, the newest first, in one thread or in all [F-13]")
    func search() async throws {
        let opened = try TestJournal()
        let garden = try await opened.journal.createThread("Garden")
        let dreams = try await opened.journal.createThread("Dreams")
        for (text, thread) in [
            ("Rosé gardens", garden), ("a rose", garden), ("roses are red", dreams), ("red rose", dreams),
        ] {
            opened.clock.advance(byMicroseconds: 1_000_000)
            try await opened.journal.addEntry(text, to: thread.id)
        }
        func found(_ text: String, _ thread: UUID? = nil) throws -> [String] {
            try opened.journal.search(text, in: thread).records.map(\.content)
        }
        #expect(try found("rose") == ["red rose", "a rose", "Rosé gardens", "roses are red"])
        #expect(try found("ROSE red") == ["red rose", "roses are red"])
        #expect(try found("rose", garden.id) == ["a rose", "Rosé gardens"])
        #expect(try found("") == [] && found("tulip") == [])
        let page = try opened.journal.search("rose", limit: 3)
        let next = try opened.journal.search("rose", after: page.next, limit: 3)
        #expect(next.records.map(\.content) == ["roses are red"] && next.next == nil)
    }

    @Test("A name of a place is stored as city and state, and nothing else [J-OP10, J-DM2]")
    func places() async throws {
        #expect(EntryPlace("Berlin, Germany").description == "Berlin, Germany")
        #expect(EntryPlace(" Paris ").description == "Paris, Unknown State")
        #expect(EntryPlace(city: nil, state: "Ohio").description == "Unknown City, Ohio")
        #expect(EntryPlace(city: " ", state: "").description == "Unknown City, Unknown State")
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        let new = NewEntry("x", place: EntryPlace("Berlin, Germany"))
        let entry = try await opened.journal.addEntry(new, to: thread.id)
        #expect(entry.place?.city == "Berlin" && entry.placedAt == entry.timestamp && !entry.isEdited)
        #expect(try opened.journal.entry(entry.id) == entry)
    }
}
