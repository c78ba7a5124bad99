import Foundation
import KeyValue
import Testing

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
