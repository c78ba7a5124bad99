import CivilTime
import FormerVersions
import Foundation
import Records
import Testing

@testable import Journals

/// Golden stores of former versions (`GoldenJournal`), opened by today's.
@Suite struct MigrationTests {
    private func id(_ number: Int) -> UUID { FormerJournal.id(number) }

    private func expectComplete(_ opened: TestJournal, from version: FormerJournal) throws {
        try opened.expectSound()
        let threads = try opened.journal.threads(includingDeleted: true)
        #expect(Set(threads.map(\.thread.title)) == ["thread 1", "thread 2", "thread 3"])
        #expect(threads.filter(\.thread.isDeleted).map(\.thread.id) == (version >= .version12 ? [id(3)] : []))
        for thread in FormerJournal.threads {
            let numbers = FormerJournal.entries.filter { FormerJournal.thread(ofEntry: $0) == thread }
            let entries = try opened.journal.entries(of: id(thread), includingDeleted: true)
            #expect(entries.map(\.content) == numbers.map { "entry \($0)" })
            #expect(entries.map(\.timestamp) == numbers.map { Instant(secondsSince1970: Int64($0)) })
            #expect(entries.map(\.isDeleted) == numbers.map { version >= .version11 && $0 % 5 == 0 })
            #expect(entries.map(\.isEdited) == numbers.map { version >= .version11 && $0 % 4 == 0 })
            #expect(entries.allSatisfy { $0.place == nil && $0.placedAt == nil && $0.number == 0 })
            let live = entries.filter { !$0.isDeleted }
            #expect(threads.first { $0.thread.id == id(thread) }?.entries == live.count)
            #expect(
                try opened.journal.fields(of: id(thread)).map(\.field.name)
                    == (version >= .version13 && thread == 1 ? ["field 5"] : []))
        }
        let found = try opened.journal.search("entry", limit: 100).records
        let isFound = { number in
            version < .version11 || number % 5 != 0 && (version < .version12 || number % 3 != 2)
        }
        #expect(found.count == FormerJournal.entries.count(where: isFound))
        let entry = try #require(try opened.journal.entry(id(12)))
        let values = try opened.journal.filled([entry])[0].values
        #expect(values.map(\.value) == (version >= .version13 ? ["value"] : []))
    }

    @Test(
        "A store of each former version opens with everything, and has what came later as nothing [J-MG1, J-MG2, J-MG3, J-MG4]",
        arguments: FormerJournal.allCases)
    func opens(version: FormerJournal) throws {
        let folder = try GoldenJournal.copy(version.rawValue)
        let before = try asFormer(version, folder) { try version.lines(of: $0) }
        var opened = try TestJournal(folder: folder)
        try expectComplete(opened, from: version)
        #expect(try opened.store.read { try JournalLines.records(in: $0) } == before)
        opened = try opened.reopened()
        try expectComplete(opened, from: version)
    }

    @Test(
        "A migrated store can be changed, and the changes undone [J-MG1, J-MG2, J-MG3, J-MG4]",
        arguments: FormerJournal.allCases)
    func shouldContinue(version: FormerJournal) async throws {
        let opened = try TestJournal(folder: GoldenJournal.copy(version.rawValue))
        try await opened.journal.addEntry(NewEntry("new", place: EntryPlace("A, B")), to: id(1))
        try await opened.journal.deleteThread(id(1))
        try await opened.store.write { try $0.undo() }
        try await opened.store.write { try $0.undo() }
        try expectComplete(opened.reopened(), from: version)
    }

    /// Every way from a former version over later ones to today's, as the versions on it.
    private static let ways: [[FormerJournal]] = (1..<1 << FormerJournal.allCases.count).map { set in
        FormerJournal.allCases.enumerated().filter { set >> $0.offset & 1 == 1 }.map(\.element)
    }

    @Test(
        "Every way from a former version to today's, with changes at each stop and any hop left out, loses nothing [J-MG1, J-MG2, J-MG3, J-MG4]",
        arguments: ways)
    func hops(way: [FormerJournal]) throws {
        let start = try #require(way.first)
        let folder = try GoldenJournal.copy(start.rawValue)
        var lines = try asFormer(start, folder) { try start.lines(of: $0) }
        for version in way {
            lines = try asFormer(version, folder) { store in
                #expect(try version.lines(of: store) == lines)
                #expect(try store.verify().problems == [])
                try version.change(store)
                #expect(try store.verify().problems == [])
                return try version.lines(of: store)
            }
        }
        let opened = try TestJournal(folder: folder)
        #expect(try opened.store.read { try JournalLines.records(in: $0) } == lines)
        try opened.expectSound()
        // Each stop has added a thread, which only today's index shows in order.
        #expect(try opened.journal.threads(includingDeleted: true).count == FormerJournal.threads.count + way.count)
    }

    @Test("What a former version does not know survives its changes, and its changes show in every view [J-MG1, J-MG4]")
    func backAndForth() async throws {
        let folder = try await GoldenJournal.makeToday()
        let before = try TestJournal(folder: folder)
        let known = try before.dump()
        before.store.close()
        for version in FormerJournal.allCases.reversed() {
            // It changes no record that is there, since they have other ids, and adds a thread with an entry.
            try asFormer(version, folder) { try version.change($0) }
            let opened = try TestJournal(folder: folder)
            try opened.expectSound()
            let now = try opened.dump()
            #expect(known.allSatisfy(now.contains))
            let added = try opened.journal.threads().filter { $0.thread.title.hasPrefix("thread") }
            #expect(added.allSatisfy { $0.entries == 1 })
            opened.store.close()
        }
    }

    @Test("A golden store that has lost an entry is detected (negative control) [J-MG1]")
    func lostEntry() throws {
        let folder = try GoldenJournal.copy("1.2")
        let before = try asFormer(.version12, folder) { try FormerJournal.version12.lines(of: $0) }
        let opened = try TestJournal(folder: folder)
        try opened.store.write { try $0.delete(JournalEntry.self, id: id(12)) }
        let after = try opened.store.read { try JournalLines.records(in: $0) }
        #expect(before.filter { !after.contains($0) }.count == 1)
    }

    @Test("A store of a newer version is refused, and left as it is [J-MG5]")
    func newer() async throws {
        let opened = try TestJournal()
        try await opened.journal.createThread("t")
        opened.store.close()
        let path = opened.folder.path + "/store"
        let newer = try RecordStore(
            at: path, schema: Journal.schema.adding(Schema(domain: "journals", version: 2)), context: opened.context)
        newer.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb"))
        #expect(throws: RecordsError.newerFormat(path: path, found: 2, known: 1)) {
            try RecordStore(at: path, schema: Journal.schema, context: opened.context)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")) == before)
    }
}
