import Daybook
import Foundation
import TestSupport
import Testing

/// Compaction and removal of a store as a program uses them (C-NFR37).
@Suite struct CompactionTests {
    private let secret = "Ask Dr. Aslan about the results"

    private func isFound(_ text: String, below folder: String) throws -> Bool {
        try FileManager.default.subpathsOfDirectory(atPath: folder).contains { name in
            (FileManager.default.contents(atPath: "\(folder)/\(name)"))?.firstRange(of: Data(text.utf8)) != nil
        }
    }

    @Test("The text of a purged task is in the file until the store is compacted, and then nowhere [C-NFR37]")
    func purged() async throws {
        let opened = try TestDaybook(seed: 37)
        for number in 0..<40 { try await opened.tasks.create("task \(number)") }
        let task = try await opened.tasks.create(secret)
        for number in 40..<80 { try await opened.tasks.create("task \(number)") }
        try await opened.tasks.purge([task.id])
        let last = try opened.daybook.information().lastSequence
        let before = try export(opened.daybook)
        #expect(try isFound(secret, below: opened.daybook.path))
        let report = try await opened.daybook.compact()
        #expect(try !isFound(secret, below: opened.daybook.path))
        #expect(report.bytesAfter > 0 && report.bytesBefore > 0)
        #expect(try export(opened.daybook) == before)
        #expect(try opened.daybook.information().lastSequence == last)
        #expect(try opened.daybook.verify().problems == [])
    }

    @Test("Undo and redo work after a compaction, and the store keeps its id and its change log")
    func undo() async throws {
        let opened = try TestDaybook(seed: 38)
        let task = try await opened.tasks.create("written before")
        try await opened.tasks.complete(task.id)
        let changes = try await changes(of: opened.daybook)
        try await opened.daybook.compact()
        #expect(try await self.changes(of: opened.daybook) == changes)
        try await opened.tasks.undo()
        #expect(try opened.tasks.inbox().map(\.state) == [.notStarted])
        try await opened.daybook.compact()
        try await opened.tasks.redo()
        #expect(try opened.tasks.statistics().today == 1)
        #expect(try opened.daybook.verify().problems == [])
    }

    @Test("A store with a damaged record is not compacted")
    func damaged() async throws {
        let opened = try TestDaybook(seed: 39)
        try await opened.tasks.create(secret)
        let (path, context) = (opened.daybook.path, opened.daybook.context)
        opened.daybook.close()
        let file = URL(fileURLWithPath: "\(path)/data.mdb")
        var data = try Data(contentsOf: file)
        while let found = data.firstRange(of: Data(secret.utf8)) { data[found.lowerBound] = UInt8(ascii: "X") }
        try data.write(to: file)
        let daybook = try DaybookStore.open(at: path, context: context)
        let before = try Data(contentsOf: file)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        let error = #expect(throws: RecordsError.self) { try compact(daybook) }
        #expect(error?.code == "damaged-entry")
        #expect(try Data(contentsOf: file) == before)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: path)) == Set(names))
    }

    private func compact(_ daybook: DaybookStore) throws(RecordsError) -> CompactionReport { try daybook.compact() }

    private func changes(of daybook: DaybookStore) async throws -> [UInt64] {
        let feed = daybook.changes(after: 0).makeAsyncIterator()
        var sequences: [UInt64] = []
        while sequences.count < Int(try daybook.information().lastSequence) {
            sequences.append(try #require(try await feed.next()).sequence)
        }
        return sequences
    }

    private func export(_ daybook: DaybookStore) throws -> [UInt8] {
        let file = Chunks()
        try daybook.files.export(as: .ndjson) { (bytes) throws(FileError) in file.bytes += bytes }
        return file.bytes
    }

    // MARK: Wiping

    @Test("A wiped store leaves no file, also none of interrupted operations [C-NFR37]")
    func wipe() async throws {
        let opened = try TestDaybook(seed: 40)
        try await opened.tasks.create(secret)
        let path = opened.daybook.path
        #expect(throws: FileError.self) { try DaybookStore.wipe(at: path) }
        opened.daybook.close()
        // No process has such a number.
        let own = name(of: path)
        for name in ["compacting", "../.\(own).creating-4194305", "../.\(own).restoring-4194305-1"] {
            try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
            try Data(secret.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)/data.mdb"))
        }
        let report = try DaybookStore.wipe(at: path)
        #expect(report.isFolderRemoved && report.replacedStores.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try !isFound(secret, below: opened.folder.path))
        #expect(throws: FileError.notFound(path: path)) { try DaybookStore.wipe(at: path) }
    }

    private func name(of path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

    @Test("Files of others stay, and an interrupted removal can be completed")
    func wipeBesideOthers() async throws {
        let opened = try TestDaybook(seed: 41)
        let path = opened.daybook.path
        opened.daybook.close()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(path)/notes.txt"))
        try FileManager.default.createDirectory(atPath: "\(path).replaced-1", withIntermediateDirectories: false)
        try FileManager.default.removeItem(atPath: "\(path)/data.mdb")
        let report = try DaybookStore.wipe(at: URL(fileURLWithPath: path))
        #expect(!report.isFolderRemoved)
        #expect(report.replacedStores.map(name) == ["\(name(of: path)).replaced-1"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["notes.txt"])
    }

    @Test("A folder that is no store is not wiped")
    func wipeOthers() throws {
        let folder = TemporaryFolder(on: .memory)
        for (name, error) in [
            ("data.mdb", RecordsError.manifestMissing(path: folder.path)),
            ("notes.txt", RecordsError.notAStore(path: folder.path)),
        ] {
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
            #expect(throws: error) { try DaybookStore.wipe(at: folder.path) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        #expect(throws: RecordsError.notAStore(path: folder.path)) { try DaybookStore.wipe(at: folder.path) }
    }
}
