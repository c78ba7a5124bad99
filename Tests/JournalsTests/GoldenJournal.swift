import CivilTime
import FormerVersions
import Foundation
import Records
import TestSupport

@testable import Journals

/// The stores in `Tests/Fixtures/Journals`, one for each version of journals. Those of 1.0 to 1.3 were written by
/// `FormerJournal`, that of 1.4 by `makeToday`. `DAYBOOK_WRITE_FIXTURES=1 Scripts/test --filter GoldenJournalTests` writes them
/// again; otherwise they are only read.
enum GoldenJournal {
    static let root = URL(filePath: #filePath).appending(path: "../../Fixtures/Journals").standardized
    static let today = "1.4"
    static let writesFixtures = ProcessInfo.processInfo.environment["DAYBOOK_WRITE_FIXTURES"] != nil
    /// What a store consists of.
    static let files = ["data.mdb", "store.json"]

    /// Copies a golden store into a new folder, as `store`.
    static func copy(_ version: String) throws -> TemporaryFolder {
        let folder = TemporaryFolder(on: .memory)
        try FileManager.default.copyItem(
            atPath: root.appending(path: version).path, toPath: "\(folder.path)/store")
        return folder
    }

    /// Makes a store as a former version did.
    static func make(_ version: FormerJournal) throws -> TemporaryFolder {
        let folder = TemporaryFolder(on: .memory)
        let store = try version.open(at: "\(folder.path)/store")
        defer { store.close() }
        try version.fill(store)
        return folder
    }

    /// Makes a store of today's version, with something in every field of every record.
    static func makeToday() async throws -> TemporaryFolder {
        let opened = try TestJournal()
        let (clock, journal) = (opened.clock, opened.journal)
        let garden = try await journal.createThread("Garden")
        let rain = try await journal.editFields { fields in
            let rain = try fields.createField("Rain", in: garden.id)
            let weather = try fields.makeGroup(fields.createField("Weather", in: garden.id).id)
            try fields.put(rain.id, into: weather.id)
            _ = try fields.deleteField(fields.createField("Gone", in: garden.id).id)
            return rain
        }
        clock.advance(byMicroseconds: 60_000_000)
        try await journal.addEntry(
            NewEntry("The first tulip.", values: [rain.id: "none"], place: EntryPlace("Potsdam, Germany")),
            to: garden.id)
        // At the same time.
        let second = try await journal.addEntry("Höhere Zweige geschnitten.\nSehr hohe.", to: garden.id)
        let third = try await journal.addEntry("Deleted.", to: garden.id)
        clock.advance(byMicroseconds: 60_000_000)
        try await journal.editEntry(second.id, "Higher branches cut.")
        try await journal.deleteEntries([third.id])
        let dreams = try await journal.createThread("Dreams", firstEntry: "Of flying.")
        clock.advance(byMicroseconds: 60_000_000)
        try await journal.deleteThread(dreams.id)
        _ = try await journal.saveDraft("Half a sent", for: garden.id)
        _ = try await journal.changeSettings { $0.textSizePercentage = 120 }
        try await opened.store.compact()
        opened.store.close()
        return opened.folder
    }

    /// Makes a golden store the one that is committed.
    static func write(_ folder: TemporaryFolder, as version: String) throws {
        let target = root.appending(path: version)
        try? FileManager.default.removeItem(at: target)
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        for file in files {
            try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/store/\(file)")).write(
                to: target.appending(path: file))
        }
    }
}

/// Opens the store in a folder as a former version, and closes it.
func asFormer<Result>(
    _ version: FormerJournal, _ folder: TemporaryFolder, _ body: (RecordStore) throws -> Result
) throws -> Result {
    let store = try version.open(at: "\(folder.path)/store")
    defer { store.close() }
    return try body(store)
}
