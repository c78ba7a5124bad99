import CivilTime
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import Records

/// Missing tables: an older version has created the store, or damage has removed them.
@Suite struct LostTableTests {
    private static let names = [
        "meta", "changes", "readings", "readings.byTime", "readings.byLevel", "readings.perDay",
    ]

    private func filledStore() async throws -> TestStore {
        let opened = try TestStore()
        for number in 0..<20 { try await opened.put(Reading(UInt64(number), at: TestStore.start)) }
        return opened
    }

    /// A copy of a filled store that has only some tables.
    private func store(without missing: [String], options: StoreOptions = StoreOptions()) async throws -> TestStore {
        let opened = try await filledStore()
        let kept = Self.names.filter { !missing.contains($0) }
        let entries = try kept.flatMap { table in
            try opened.store.rawEntries(table).map {
                NewStoreContent.Entry(table: table, key: $0.key, value: $0.value)
            }
        }
        let manifest = try #require(opened.folder.contents["store.json"])
        let folder = TemporaryFolder(on: .memory)
        let environment = try Environment.open(
            at: folder.store,
            creatingWith: NewStoreContent(tables: kept, entries: entries, files: ["store.json": manifest]))
        environment.close()
        return try TestStore(folder: folder, options: options)
    }

    @Test("A store from before the quarantine table can be read, and gets the table when it is written")
    func withoutLost() async throws {
        let reader = try await store(without: [], options: StoreOptions(isReadOnly: true))
        #expect(reader.store.schema.quarantine == nil)
        #expect(try reader.readings().count == 20)
        #expect(try reader.store.verify().problems == [])
        #expect(try reader.store.information().quarantined == 0)
        reader.store.close()
        let opened = try reader.reopened()
        try await opened.store.flip("readings", entry: 5, byte: 9)
        #expect(try await opened.store.rebuild().quarantinedRecords.count == 1)
        #expect(try opened.store.information().quarantined == 1)
    }

    @Test(
        "A lost index or roll-up is rebuilt instead of being recreated empty",
        arguments: ["readings.byTime", "readings.byLevel", "readings.perDay"])
    func lostIndex(table: String) async throws {
        let opened = try await store(without: [table])
        #expect(try opened.store.verify().problems == [])
        #expect(try opened.store.read { try $0[Reading.byTime].range().count } == 20)
        let day = TestStore.start.advanced(bySeconds: -86_400)..<TestStore.start.advanced(bySeconds: 86_400)
        #expect(try opened.store.read { try $0[Reading.perDay].count(in: day) } == 20)
    }

    @Test("A store whose damaged list of tables hides an index is refused, and nothing is written to it")
    func damagedListOfTables() async throws {
        let opened = try await filledStore()
        opened.store.close()
        let path = "\(opened.folder.store)/data.mdb"
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        let name = Array("readings.byTime".utf8)
        var hidden = 0
        // The node of the index's name, and the offsets that lead to it, on every page that has been the list's.
        for page in stride(from: 8192, to: bytes.count, by: 4096) {
            let end = Int(bytes[page + 12]) | Int(bytes[page + 13]) << 8
            guard end < 4096 else { continue }
            for slot in stride(from: page + 18, to: page + end, by: 2) {
                let key = page + (Int(bytes[slot]) | Int(bytes[slot + 1]) << 8) + 8
                guard key + name.count <= bytes.count, Array(bytes[key..<key + name.count]) == name else { continue }
                bytes.replaceSubrange(slot..<slot + 2, with: bytes[slot - 2..<slot])
                hidden += 1
            }
        }
        #expect(hidden > 0)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let error = await recordsError { _ = try opened.reopened() }
        guard case .engine(.damaged(_, let detail)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("its entries overlap, leave a gap or have invalid flags"))
        #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
    }

    @Test("A read-only open reports a lost table instead of showing less than before")
    func lostIndexForReader() async throws {
        let error = await recordsError {
            _ = try await store(without: ["readings.byTime"], options: StoreOptions(isReadOnly: true))
        }
        #expect(error == .engine(.tableMissing(name: "readings.byTime")))
    }

    @Test(
        "A lost table that cannot be derived is damage, not an empty table",
        arguments: ["meta", "changes", "readings"], [true, false])
    func lostData(table: String, isReadOnly: Bool) async throws {
        let error = await recordsError {
            _ = try await store(without: [table], options: StoreOptions(isReadOnly: isReadOnly))
        }
        guard case .engine(.damaged(_, let detail)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail == "the table \(table) is missing")
    }

    @Test("A damaged schema version is found, does not prevent reading, and is repaired by writing [S-10]")
    func damagedSchemaVersion() async throws {
        var opened = try await filledStore()
        let key = Meta.schemaKey.array
        let row = try #require(try opened.store.rawEntries("meta").first { $0.key == key })
        try await opened.store.rawPut("meta", key, [row.value[0] ^ 4] + row.value.dropFirst())
        opened.store.close()
        let before = opened.folder.contents
        opened = try opened.reopened(options: StoreOptions(isReadOnly: true))
        #expect(try opened.readings().count == 20)
        #expect(try opened.store.verify().problems == ["entry \(Meta.schemaKey.hexadecimal) of meta: damaged"])
        #expect(opened.folder.contents == before)
        opened = try opened.reopened()
        #expect(try opened.store.verify().problems == [])
        #expect(try opened.store.rawEntries("meta").first { $0.key == key } == row)
    }

    @Test("A missing schema version is found")
    func missingSchemaVersion() async throws {
        let opened = try await filledStore()
        try await opened.store.rawDelete("meta", Meta.schemaKey.array)
        #expect(try opened.store.verify().problems == ["meta: the version of the schema is missing"])
    }

    @Test("Opening with a new collection keeps the counts that detect losses")
    func evidenceStays() async throws {
        var opened = try await filledStore()
        let key = Meta.builtKey("readings.byTime").array
        try await opened.store.rawDelete("readings", uuid(5).keyBytes.array)
        // The index is stale for any reason; it is built again at the next open.
        try await opened.store.rawDelete("meta", key)
        let counts = try opened.store.rawEntries("meta").filter { $0.key.starts(with: Array("count/".utf8)) }
        opened = try opened.reopened(schema: Reading.schema.adding(EveryForm.collection))
        #expect(try opened.store.rawEntries("meta").filter { $0.key.starts(with: Array("count/".utf8)) } == counts)
        #expect(try opened.store.verify().problems.contains("readings: 19 records can be read, 20 are counted"))
        let report = try await opened.store.rebuild()
        #expect(report.missingRecords == ["readings": 1])
        #expect(try opened.store.verify().problems == [])
    }
}
