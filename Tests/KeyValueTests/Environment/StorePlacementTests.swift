import Foundation
import TestSupport
import Testing

@testable import KeyValue

/// Stores that were being put in their place when the process was killed.
struct StorePlacementTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("store") }

    /// Creates a store whose one value is a text.
    private func create(_ text: String, at path: String) throws {
        let content = NewStoreContent(
            tables: ["main"], entries: [.init(table: "main", key: [1], value: bytes(text))],
            files: ["store.json": bytes("{}"), "notes.txt": bytes(text)])
        try Environment.open(at: path, creatingWith: content).close()
        try? FileManager.default.removeItem(atPath: "\(path)/lock.mdb")
    }

    private func text(at path: String) throws -> String {
        let environment = try Environment.open(at: path)
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        let value = try environment.read { try $0.value(of: [1], in: table) } ?? []
        return String(decoding: value, as: UTF8.self)
    }

    private func move(_ name: String, from: String, to: String) throws {
        try FileManager.default.moveItem(atPath: "\(from)/\(name)", toPath: "\(to)/\(name)")
    }

    private func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    @Test("Whichever of its files have moved, an arriving store is completed by whoever opens it [S-72]")
    func arriving() throws {
        for moved in 0..<8 {
            try? FileManager.default.removeItem(atPath: path)
            try makeFolder(path)
            try create("new", at: "\(path)/arriving")
            for (bit, name) in ["store.json", "notes.txt", "data.mdb"].enumerated() where moved & 1 << bit != 0 {
                try move(name, from: "\(path)/arriving", to: path)
            }
            #expect(try text(at: path) == "new")
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(path)/notes.txt")) == Data("new".utf8))
            #expect(!FileManager.default.fileExists(atPath: "\(path)/arriving"))
        }
    }

    @Test("Whichever of its files have left, a store that is being replaced is kept whole [S-72]")
    func leaving() throws {
        for moved in 0..<8 {
            try? FileManager.default.removeItem(atPath: path)
            try create("old", at: path)
            try create("new", at: "\(path)/arriving")
            let kept = "\(path)/arriving/replaced-then"
            try makeFolder(kept)
            for (bit, name) in ["store.json", "notes.txt", "data.mdb"].enumerated() where moved & 1 << bit != 0 {
                try move(name, from: path, to: kept)
            }
            #expect(try text(at: path) == "new")
            #expect(try text(at: "\(path)/replaced-then") == "old")
            let notes = try Data(contentsOf: URL(fileURLWithPath: "\(path)/replaced-then/notes.txt"))
            #expect(notes == Data("old".utf8))
        }
    }

    @Test("A step that fails takes the others back: the old store is where it was, and complete [S-72]")
    func undone() throws {
        try create("old", at: path)
        do {
            let draft = try StoreDraft(in: path)
            try create("new", at: draft.path)
            // A folder of the name of a file that is to arrive: its rename fails after others have moved.
            try makeFolder("\(path)/notes.txt.d")
            try FileManager.default.removeItem(atPath: "\(path)/notes.txt")
            try makeFolder("\(path)/notes.txt")
            let claim = try #require(try StoreClaim.take(of: path))
            #expect(throws: KeyValueError.self) { try draft.replaceStore(holding: claim, keepingAs: "then") }
        }
        #expect(try text(at: path) == "old")
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(
            names.filter { $0 != "lock.mdb" && $0 != CommitFile.name } == [
                "data.mdb", "notes.txt", "notes.txt.d", "store.json",
            ])
    }

    @Test("A folder in which nothing but drafts and kept stores are, or what a volume has, takes a new store [S-72]")
    func vacant() throws {
        for name in ["lost+found", "building/store", "replaced-2026"] { try makeFolder("\(path)/\(name)") }
        #expect(FileManager.default.createFile(atPath: "\(path)/lock.mdb", contents: Data([1])))
        try create("new", at: path)
        #expect(try text(at: path) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).contains("lost+found"))
    }
}
