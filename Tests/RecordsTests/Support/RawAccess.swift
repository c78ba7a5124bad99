import Foundation
import KeyValue
import Testing

@testable import Records

/// The store's tables as the disk has them, past the checks of this module.
extension RecordStore {
    struct RawEntry: Equatable {
        var key: [UInt8]
        var value: [UInt8]
    }

    func sealedTable(_ name: String) throws -> ChecksummedTable {
        let tables =
            [schema.meta, schema.changes] + schema.collections.map(\.recordsTable)
            + schema.collections.flatMap(\.derivedTables).map(\.table)
        return try #require(tables.first { $0.name == name })
    }

    func rawEntries(_ name: String) throws -> [RawEntry] {
        let table = try sealedTable(name).table
        return try environment.read { transaction in
            var entries: [RawEntry] = []
            try transaction.withCursor(over: table) { cursor in
                var isOnEntry = try cursor.moveToFirst()
                while isOnEntry {
                    try cursor.withEntry { key, value in
                        entries.append(RawEntry(key: key.copied, value: value.copied))
                    }
                    isOnEntry = try cursor.moveToNext()
                }
            }
            return entries
        }
    }

    func rawPut(_ name: String, _ key: [UInt8], _ value: [UInt8]) async throws {
        let table = try sealedTable(name).table
        try await environment.write { try $0.put(key.span.bytes, value.span.bytes, in: table) }
    }

    /// Writes a value with a right checksum.
    func sealedPut(_ name: String, _ key: [UInt8], _ value: [UInt8]) async throws {
        let table = try sealedTable(name)
        try await environment.write { _ = try table.put(KeyBytes(key), value, in: $0) }
    }

    func rawDelete(_ name: String, _ key: [UInt8]) async throws {
        let table = try sealedTable(name).table
        try await environment.write { _ = try $0.delete(key.span.bytes, in: table) }
    }

    /// Flips a bit of one entry's value; by number from the first.
    func flip(_ name: String, entry: Int = 0, byte: Int = 0) async throws {
        var found = try rawEntries(name)[entry]
        found.value[byte] ^= 0x10
        try await rawPut(name, found.key, found.value)
    }
}
