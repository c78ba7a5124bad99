import Foundation
import TestSupport
import Testing

@testable import Snapshots

@Suite struct RestoredFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("Two concurrent restores have different drafts, and neither removes that of the other")
    func twoAtOnce() throws {
        let first = try RestoredFolder("\(folder.path)/store", replacing: false)
        try FileManager.default.createDirectory(atPath: first.draft, withIntermediateDirectories: false)
        let second = try RestoredFolder("\(folder.path)/store", replacing: false)
        #expect(first.draft != second.draft)
        #expect(FileManager.default.fileExists(atPath: first.draft))
    }

    @Test("The draft of a process that has ended is removed")
    func abandoned() throws {
        // No process has an id that high.
        let names = ["2000000000", "2000000000-1"].map { "\(folder.path)/.store.restoring-\($0)" }
        for name in names { try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false) }
        let other = "\(folder.path)/.store.restoring-notes"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        _ = try RestoredFolder("\(folder.path)/store", replacing: false)
        #expect(names.filter(FileManager.default.fileExists).isEmpty)
        #expect(FileManager.default.fileExists(atPath: other))
    }
}
