import ByteStreams
import Foundation
import TestSupport
import Testing

@testable import Snapshots

@Suite struct RestoredFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
    }

    @Test("Two concurrent restores have different drafts, and neither removes that of the other")
    func twoAtOnce() throws {
        let first = try RestoredFolder("\(folder.path)/store", replacing: false)
        try FileManager.default.createDirectory(atPath: first.draft, withIntermediateDirectories: false)
        let second = try RestoredFolder("\(folder.path)/store", replacing: false)
        #expect(first.draft != second.draft)
        #expect(FileManager.default.fileExists(atPath: first.draft))
    }

    @Test("The draft of a process that has ended is removed, and nothing else")
    func abandoned() throws {
        let place = "\(folder.path)/store"
        for name in ["building/store", "building-2/store", "building-plans"] {
            try FileManager.default.createDirectory(atPath: "\(place)/\(name)", withIntermediateDirectories: true)
            try Data([1]).write(to: URL(fileURLWithPath: "\(place)/\(name)/data.mdb"))
        }
        #expect(throws: FileError.notAStore(path: place)) { try RestoredFolder(place, replacing: false) }
        try FileManager.default.removeItem(atPath: "\(place)/building-plans")
        let kept = try RestoredFolder(place, replacing: false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["building"])
        #expect(!FileManager.default.fileExists(atPath: kept.draft))
    }

    @Test("A draft that does not take its place goes, and the folder that was made for it")
    func released() throws {
        let place = "\(folder.path)/store"
        do {
            let draft = try RestoredFolder(place, replacing: false)
            #expect(FileManager.default.fileExists(atPath: place))
            withExtendedLifetime(draft) {}
        }
        #expect(!FileManager.default.fileExists(atPath: place))
    }
}
