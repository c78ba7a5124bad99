import FormerVersions
import Foundation
import Records
import Testing

@testable import Journals

/// The committed stores against the declarations that they were made by.
@Suite(.serialized) struct GoldenJournalTests {
    /// How many bytes a fixture may have.
    private static let limit = 200_000

    private func expectSmall(_ version: String) throws {
        let folder = GoldenJournal.root.appending(path: version).path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == GoldenJournal.files)
        let bytes = try FileManager.default.attributesOfItem(atPath: "\(folder)/data.mdb")[.size] as? Int
        let size = try #require(bytes)
        #expect(size <= Self.limit)
    }

    @Test(
        "The committed store of each former version is what the declarations of that version write",
        arguments: FormerJournal.allCases)
    func formerVersion(version: FormerJournal) throws {
        let made = try GoldenJournal.make(version)
        if GoldenJournal.writesFixtures { try GoldenJournal.write(made, as: version.rawValue) }
        try expectSmall(version.rawValue)
        let committed = try asFormer(version, GoldenJournal.copy(version.rawValue)) { try version.lines(of: $0) }
        #expect(try asFormer(version, made) { try version.lines(of: $0) } == committed)
        #expect(committed.count == 3 + 20 + (version < .version13 ? 0 : 2))
    }

    @Test("The committed store of today's version is what today's operations write, in every field")
    func todaysVersion() async throws {
        let made = try await GoldenJournal.makeToday()
        if GoldenJournal.writesFixtures { try GoldenJournal.write(made, as: GoldenJournal.today) }
        try expectSmall(GoldenJournal.today)
        let opened = try TestJournal(folder: GoldenJournal.copy(GoldenJournal.today))
        try opened.expectSound()
        let dump = try opened.dump()
        #expect(try TestJournal(folder: made).dump() == dump)
        let garden = try opened.journal.findThread("Garden")
        let entries = try opened.journal.entries(of: garden.id, includingDeleted: true)
        #expect(entries.map(\.content) == ["The first tulip.", "Higher branches cut.", "Deleted."])
        #expect(entries.map(\.isEdited) == [false, true, false])
        #expect(entries.map(\.isDeleted) == [false, false, true])
        #expect(entries.map(\.number) == [0, 1, 2])
        #expect(entries[0].place == EntryPlace(city: "Potsdam", state: "Germany"))
        #expect(try opened.journal.filled(entries)[0].values.map(\.value) == ["none"])
        #expect(try opened.journal.draft(of: garden.id)?.content == "Half a sent")
        #expect(try opened.journal.settings().textSizePercentage == 120)
        #expect(try opened.journal.threads(includingDeleted: true).map(\.thread.isDeleted) == [false, true])
    }
}
