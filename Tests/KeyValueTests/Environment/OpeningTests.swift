import Foundation
import KeyValue
import TestSupport
import Testing

private let content = NewStoreContent(
    tables: ["main"], entries: [.init(table: "main", key: [1], value: [2])], files: ["store.json": bytes("{}")])

struct OpeningTests {
    @Test("Creation is atomic and leaves no other files")
    func creationIsWholeAndLeavesNothingBeside() throws {
        let folder = TemporaryFolder()
        let environment = try Environment.open(at: folder.file("deep/er/store/"), creatingWith: content)
        let table = try environment.openTables(["main"])[0]
        try #expect(environment.read { try $0.contents(of: table) } == [[1]: [2]])
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("deep/er/store")).sorted()
        #expect(files == ["commits", "data.mdb", "lock.mdb", "store.json"])
        try #expect(FileManager.default.contentsOfDirectory(atPath: folder.file("deep/er")) == ["store"])
    }

    @Test("Only the owner may access the files [S-45]") func modes() throws {
        let store = try TestStore()
        let files = FileManager.default
        for name in ["data.mdb", "lock.mdb"] {
            let mode = try files.attributesOfItem(atPath: "\(store.path)/\(name)")[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        try #expect(files.attributesOfItem(atPath: store.path)[.posixPermissions] as? Int == 0o700)
    }

    @Test("A store is created in an empty folder, also through a link")
    func anEmptyFolderIsFilledAlsoThroughALink() throws {
        let folder = TemporaryFolder()
        for name in ["empty", "target"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("target"))
        for name in ["empty", "link"] { _ = try Environment.open(at: folder.file(name), creatingWith: content) }
        #expect(folder.names == ["empty", "link", "target"])
        #expect(FileManager.default.fileExists(atPath: folder.file("target/data.mdb")))
    }

    @Test("A creation that fails leaves nothing")
    func aCreationThatFailsLeavesNothing() throws {
        let folder = TemporaryFolder()
        let wrong = NewStoreContent(tables: [], entries: [.init(table: "main", key: [1], value: [2])])
        #expect(throws: KeyValueError.tableMissing(name: "main")) {
            try Environment.open(at: folder.file("store"), creatingWith: wrong)
        }
        #expect(folder.names.isEmpty)
        _ = try Environment.open(at: folder.file("store"), creatingWith: content)
    }

    @Test("The remains of a crashed creation are removed")
    func whatACrashedCreationLeftIsRemoved() throws {
        let folder = TemporaryFolder()
        let abandoned = folder.file("store/building/store")
        try FileManager.default.createDirectory(atPath: abandoned, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: "\(abandoned)/data.mdb"))
        let environment = try Environment.open(at: folder.file("store"), creatingWith: content)
        #expect(!FileManager.default.fileExists(atPath: folder.file("store/building")))
        withExtendedLifetime(environment) {}
    }

    @Test("Without content nothing is created")
    func withoutContentNothingIsCreated() {
        let folder = TemporaryFolder()
        let path = folder.file("store")
        #expect(throws: KeyValueError.storeNotFound(path: path)) { try Environment.open(at: path) }
        #expect(throws: KeyValueError.storeNotFound(path: path)) {
            try Environment.open(
                at: path, configuration: EnvironmentConfiguration(isReadOnly: true), creatingWith: content)
        }
        #expect(folder.names.isEmpty)
    }

    @Test("A folder of other files is left unchanged")
    func aFolderOfSomeoneElseIsLeftAlone() throws {
        let folder = TemporaryFolder()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.file("notes.txt")))
        #expect(throws: KeyValueError.notAStore(path: folder.path)) {
            try Environment.open(at: folder.path, creatingWith: content)
        }
        #expect(throws: KeyValueError.notAStore(path: folder.file("notes.txt"))) {
            try Environment.open(at: folder.file("notes.txt"), creatingWith: content)
        }
        #expect(folder.names == ["notes.txt"])
        try #expect(Data(contentsOf: URL(fileURLWithPath: folder.file("notes.txt"))) == Data("mine".utf8))
    }

    @Test("A folder without permission is a permission error")
    func aForbiddenFolderSaysSo() throws {
        guard getuid() != 0 else {
            print("Skipped: nothing is forbidden to root.")
            return
        }
        let folder = TemporaryFolder()
        chmod(folder.path, 0)
        defer { chmod(folder.path, 0o700) }
        #expect(throws: KeyValueError.permissionDenied(path: folder.file("store"))) {
            try Environment.open(at: folder.file("store"), creatingWith: content)
        }
    }

    #if os(Linux)
        @Test("A folder of the system that takes no store is named, not a draft in it")
        func aFolderOfTheSystemIsNamed() throws {
            #expect(throws: KeyValueError.permissionDenied(path: "/proc")) {
                try Environment.open(at: "/proc/daybook", creatingWith: content)
            }
        }
    #endif

    @Test("Many tasks create one store")
    func manyTasksCreateOneStore() async throws {
        let folder = TemporaryFolder()
        let environments = try await withThrowingTaskGroup(of: Environment.self) { group in
            for _ in 0..<8 {
                group.addTask { try Environment.open(at: folder.file("store"), creatingWith: content) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(environments.allSatisfy { $0 === environments[0] })
        #expect(folder.names == ["store"])
    }

    @Test("Many tasks open tables at once")
    func manyTasksOpenTablesAtOnce() async throws {
        let store = try TestStore()
        let names = (0..<20).map { "table \($0)" }
        let tables = try await withThrowingTaskGroup(of: [Table].self) { group in
            for _ in 0..<8 { group.addTask { try store.environment.openTables(names) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tables.allSatisfy { $0 == tables[0] })
    }
}

struct ReadOnlyTests {
    private let readOnly = EnvironmentConfiguration(isReadOnly: true)

    @Test("A read-only store refuses writes and changes no byte of the data [S-7]")
    func refusesWrites() async throws {
        let store = try TestStore()
        try await store.put([1], [1])
        store.environment.close()
        let file = URL(fileURLWithPath: store.dataFile)
        let before = try Data(contentsOf: file)
        let changed = try FileManager.default.attributesOfItem(atPath: store.dataFile)[.modificationDate] as? Date
        let environment = try Environment.open(at: store.path, configuration: readOnly)
        let table = try environment.openTables(["main"])[0]
        try #expect(environment.read { try $0.contents(of: table) } == [[1]: [1]])
        await #expect(throws: KeyValueError.readOnly) {
            try await environment.write { try $0.put([1], [2], in: table) }
        }
        #expect(throws: KeyValueError.tableMissing(name: "new")) { try environment.openTables(["new"]) }
        #expect(environment.clearDeadReaders() == 0)
        #expect(throws: KeyValueError.readOnly) { try Environment.open(at: store.path) }
        environment.close()
        try #expect(Data(contentsOf: file) == before)
        let after = try FileManager.default.attributesOfItem(atPath: store.dataFile)[.modificationDate] as? Date
        #expect(after == changed)
    }

    @Test("A read-only process sees what another one writes, and follows its growth [S-6]")
    func followsAWriter() throws {
        let folder = TemporaryFolder()
        let child = try ChildProcess()
        try #expect(child.ask("open \(folder.file("store"))") == "ok")
        let environment = try Environment.open(at: folder.file("store"), configuration: readOnly)
        let table = try environment.openTables(["main"])[0]
        try #expect(child.ask("set a one") == "ok")
        try #expect(environment.read { try $0.value(of: bytes("a"), in: table) } == bytes("one"))
        try #expect(child.ask("put large 5000000") == "ok")
        try #expect(environment.read { try $0.value(of: bytes("large"), in: table) }?.count == 5_000_000)
    }
}
