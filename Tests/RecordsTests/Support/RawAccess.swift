import Foundation
import KeyValue
import TestSupport
import Testing

@testable import Records

/// The store's tables as the disk has them, past the checks of this module.
extension RecordStore {
    struct RawEntry: Equatable {
        var key: [UInt8]
        var value: [UInt8]
    }

    func checksummedTable(_ name: String) throws -> ChecksummedTable {
        let tables =
            [schema.meta, schema.changes] + schema.collections.map(\.recordsTable)
            + schema.collections.flatMap(\.derivedTables).flatMap(\.tables)
        return try #require(tables.first { $0.name == name })
    }

    func rawEntries(_ name: String) throws -> [RawEntry] {
        let table = try checksummedTable(name).table
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
        let table = try checksummedTable(name).table
        try await environment.write { try $0.put(key.span.bytes, value.span.bytes, in: table) }
    }

    /// Writes a value with a right checksum.
    func checksummedPut(_ name: String, _ key: [UInt8], _ value: [UInt8]) async throws {
        let table = try checksummedTable(name)
        try await environment.write { _ = try table.put(KeyBytes(key), value, in: $0) }
    }

    func rawDelete(_ name: String, _ key: [UInt8]) async throws {
        let table = try checksummedTable(name).table
        try await environment.write { _ = try $0.delete(key.span.bytes, in: table) }
    }

    /// Flips a bit of one entry's value; by number from the first.
    func flip(_ name: String, entry: Int = 0, byte: Int = 0) async throws {
        var found = try rawEntries(name)[entry]
        found.value[byte] ^= 0x10
        try await rawPut(name, found.key, found.value)
    }
}

/// The pages of a closed store's `data.mdb`, for damage that no interface of LMDB can do.
///
/// Unused pages are changed as well, which has no effect.
struct DataFile {
    private let url: URL
    private(set) var bytes: [UInt8]
    private static let pageSize = 4096

    init(of folder: TemporaryFolder) throws {
        url = URL(fileURLWithPath: "\(folder.store)/data.mdb")
        bytes = Array(try Data(contentsOf: url))
    }

    func write() throws {
        try Data(bytes).write(to: url)
    }

    enum Kind: UInt16 {
        case branch = 1
        case leaf = 2
    }

    /// A node of a page: where it begins in the file, its place on the page, and its key.
    struct Node {
        let offset: Int
        let place: Int
        let key: [UInt8]
        /// Where its value begins.
        var value: Int { offset + 8 + key.count }
    }

    /// Every node of every page of a kind.
    func nodes(of kind: Kind) -> [Node] {
        var nodes: [Node] = []
        for page in stride(from: 2 * Self.pageSize, to: bytes.count, by: Self.pageSize)
        where number(at: page + 10) == kind.rawValue {
            let end = Int(number(at: page + 12))
            guard end <= Self.pageSize else { continue }
            for (place, slot) in stride(from: 16, to: end, by: 2).enumerated() {
                let offset = page + Int(number(at: page + slot))
                let size = Int(number(at: offset + 6))
                guard offset + 8 + size <= bytes.count else { continue }
                nodes.append(Node(offset: offset, place: place, key: Array(bytes[offset + 8..<offset + 8 + size])))
            }
        }
        return nodes
    }

    /// Puts the pages of two nodes into each other's place.
    mutating func swapPages(of first: Node, _ second: Node) {
        let (one, other) = (first.offset / Self.pageSize, second.offset / Self.pageSize)
        for byte in 0..<Self.pageSize {
            bytes.swapAt(one * Self.pageSize + byte, other * Self.pageSize + byte)
        }
    }

    mutating func flip(_ offset: Int, bit: UInt8) {
        bytes[offset] ^= 1 << bit
    }

    private func number(at offset: Int) -> UInt16 {
        UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
    }
}
