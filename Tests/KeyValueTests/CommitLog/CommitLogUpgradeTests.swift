import FileSystem
import Foundation
import Injection
import TestSupport
import Testing

@testable import KeyValue

/// A store of an earlier version gets its commit log, in two openings.
@Suite struct CommitLogUpgradeTests {
    private let folder = TemporaryFolder()

    private var path: String { folder.file("store") }

    private static let olderPrograms = OlderProgramGuard(fileName: "version") { content in
        content == Array("1".utf8) ? Array("2".utf8) : nil
    }

    private func open(_ use: CommitLogUse = .always(), isReadOnly: Bool = false) throws -> Environment {
        var configuration = EnvironmentConfiguration(initialMapSize: 1 << 22, isReadOnly: isReadOnly)
        configuration.commitLog = use
        configuration.olderProgramGuard = Self.olderPrograms
        return try Environment.open(
            at: path, configuration: configuration,
            creatingWith: isReadOnly ? nil : NewStoreContent(tables: ["a"], files: ["version": Array("1".utf8)]))
    }

    private func makeOlderStore() throws {
        try open(.absent).close()
        #expect(try !names().contains("commits"))
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    private func version() throws -> String { try String(contentsOfFile: "\(path)/version", encoding: .utf8) }

    private func write(_ environment: Environment) throws {
        let table = try environment.openTables(["a"])[0]
        try environment.write { try $0.put([1].span.bytes, [1].span.bytes, in: table) }
    }

    @Test("Older programs are kept out at one opening, and the log is there from the next one on")
    func twoOpenings() throws {
        try makeOlderStore()
        let first = try open()
        try write(first)
        #expect(try version() == "2")
        #expect(try names() == ["data.mdb", "lock.mdb", "version"])
        first.close()
        let second = try open()
        #expect(try CommitLogState(ofStore: path)?.mode == .direct)
        try write(second)
        #expect(try CommitLogState(ofStore: path)?.mode == .logged)
        #expect(try names() == ["commits", "data.mdb", "lock.mdb", "version"])
        second.close()
    }

    @Test(
        "Nothing is upgraded while another process has the store open, by a reader, or by one that does not use the log"
    )
    func others() throws {
        try makeOlderStore()
        for _ in 0..<3 { try open(.absent).close() }
        try open(isReadOnly: true).close()
        #expect(try version() == "1")
        // Another process holds a lock like this one while it has the store open.
        for _ in 0..<2 {
            let other = try FileLock("\(path)/data.mdb", .shared, waits: false)
            #expect(other != nil)
            let environment = try open()
            try write(environment)
            environment.close()
            withExtendedLifetime(other) {}
        }
        #expect(try version() == "1")
        #expect(try CommitLogState(ofStore: path) == nil)
    }

    @Test("A file whose creator died before its entry was flushed is completed, or made anew")
    func abandoned() throws {
        try makeOlderStore()
        for _ in 0..<2 { try open().close() }
        try FileManager.default.linkItem(atPath: "\(path)/commits", toPath: "\(path)/commits.new")
        try open(.never).close()
        #expect(try names() == ["commits", "data.mdb", "lock.mdb", "version"])
        try FileManager.default.moveItem(atPath: "\(path)/commits", toPath: "\(path)/commits.new")
        try open(.absent).close()
        #expect(try names() == ["data.mdb", "lock.mdb", "version"])
        try open().close()
        #expect(try names() == ["commits", "data.mdb", "lock.mdb", "version"])
    }

    @Test(
        "The second name of a log that was used, which a power failure has brought back, is removed without a risk for the log"
    )
    func usedDraft() throws {
        try makeOlderStore()
        for _ in 0..<2 { try open().close() }
        let environment = try open()
        try write(environment)
        let copy = folder.file("copy")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        environment.close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        try FileManager.default.linkItem(atPath: "\(path)/commits", toPath: "\(path)/commits.new")
        #expect(try CommitLogState(ofStore: path)?.mode == .logged)
        let recovered = try open(.never)
        let table = try recovered.openTables(["a"])[0]
        #expect(try recovered.read { try $0.entryCount(of: table) } == 1)
        #expect(try names() == ["commits", "data.mdb", "lock.mdb", "version"])
        recovered.close()
    }

    @Test("The new files have the owner and the mode of the data file")
    func modes() throws {
        try makeOlderStore()
        for name in ["data.mdb", "lock.mdb", "version"] { #expect(chmod("\(path)/\(name)", 0o660) == 0) }
        for _ in 0..<2 { try open().close() }
        for name in ["commits", "version"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o660, "\(name)")
        }
    }

    @Test("Where the new files cannot be written, the store stays direct")
    func refused() throws {
        try makeOlderStore()
        // A folder has the name.
        try FileManager.default.createDirectory(atPath: "\(path)/version.new", withIntermediateDirectories: true)
        let environment = try open()
        try write(environment)
        environment.close()
        #expect(try version() == "1")
        try FileManager.default.removeItem(atPath: "\(path)/version.new")
        try FileManager.default.removeItem(atPath: "\(path)/version")
        try open().close()
        // Without the file nobody knows whether older programs would open the store.
        #expect(try names() == ["data.mdb", "lock.mdb"])
    }

    @Test("A compaction leaves nothing of former records in the log")
    func compaction() throws {
        let environment = try open()
        let table = try environment.openTables(["a"])[0]
        let secret = Array("what somebody wanted to be gone".utf8)
        try environment.write { try $0.put([2].span.bytes, secret.span.bytes, in: table) }
        try environment.write { _ = try $0.delete([2].span.bytes, in: table) }
        func log() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: "\(path)/commits")) }
        #expect(try log().range(of: Data(secret)) != nil)
        try environment.compact()
        #expect(try log().range(of: Data(secret)) == nil)
        #expect(try log().count == CommitSlots.byteCount)
        try write(environment)
        #expect(try CommitLogState(ofStore: path)?.mode == .logged)
        environment.close()
    }
}
