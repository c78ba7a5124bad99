import Foundation
import TestSupport
import Testing

@testable import KeyValue

@Suite struct DraftTests {
    private let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/draft" }

    private func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }

    @Test("A draft grows as it is filled, and is a store when it is finished")
    func fills() throws {
        let small = EnvironmentConfiguration(initialMapSize: 1 << 16, mapSizeCeiling: 1 << 26)
        let draft = try DraftEnvironment(at: path, files: ["note": [7]], configuration: small)
        let table = try draft.openTables(["words"])[0]
        let value = [UInt8](repeating: 5, count: 1000)
        for batch in 0..<20 {
            try draft.write { transaction in
                for number in 0..<100 {
                    try transaction.fill(
                        key(batch * 100 + number).span.bytes, value.span.bytes, checksum: UInt32(number), isLast: true,
                        in: table)
                }
            }
        }
        #expect(try draft.read { try $0.entryCount(of: table) } == 2000)
        #expect(try draft.pageProblems().all == [])
        try draft.finish()
        draft.abandon()
        let environment = try Environment.open(at: path)
        let opened = try environment.openTables(["words"])[0]
        #expect(try environment.read { try $0.tableNames() } == ["words"])
        #expect(
            try environment.read { try $0.get(key(1234).span.bytes, in: opened) { $0.copied } } == value + [
                34, 0, 0, 0,
            ])
        #expect(FileManager.default.contents(atPath: "\(path)/note") == Data([7]))
        #expect(try environment.pageProblems().all == [])
    }

    @Test("A draft at its ceiling reports that it is full and keeps earlier writes")
    func full() throws {
        let small = EnvironmentConfiguration(initialMapSize: 1 << 16, mapSizeCeiling: 1 << 18)
        let draft = try DraftEnvironment(at: path, files: [:], configuration: small)
        let table = try draft.openTables(["words"])[0]
        let value = [UInt8](repeating: 5, count: 1 << 19)
        try draft.write { try $0.put(key(1).span.bytes, key(1).span.bytes, in: table) }
        #expect(throws: KeyValueError.mapFull) {
            try draft.write { try $0.put(key(2).span.bytes, value.span.bytes, in: table) }
        }
        #expect(try draft.read { try $0.entryCount(of: table) } == 1)
    }

    @Test("A draft that throws or is released leaves no folder")
    func leavesNothing() throws {
        var draft: DraftEnvironment? = try DraftEnvironment(at: path, files: ["note": [7]])
        #expect(throws: KeyValueError.notAStore(path: path)) { try DraftEnvironment(at: path, files: [:]) }
        #expect(FileManager.default.fileExists(atPath: path))
        draft = nil
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(throws: KeyValueError.self) { try DraftEnvironment(at: path, files: ["a/b": [7]]) }
        #expect(!FileManager.default.fileExists(atPath: path))
        withExtendedLifetime(draft) {}
    }

    @Test("A key out of order is not appended as the last one")
    func order() throws {
        let draft = try DraftEnvironment(at: path, files: [:])
        let table = try draft.openTables(["words"])[0]
        try draft.write { transaction in
            try transaction.fill(key(2).span.bytes, key(2).span.bytes, checksum: 0, isLast: true, in: table)
        }
        for number in [1, 2] {
            #expect(throws: KeyValueError.self) {
                try draft.write { transaction in
                    try transaction.fill(
                        key(number).span.bytes, [UInt8]().span.bytes, checksum: 0, isLast: true, in: table)
                }
            }
        }
        try draft.write { transaction in
            try transaction.fill(key(1).span.bytes, [UInt8]().span.bytes, checksum: 1, isLast: false, in: table)
        }
        #expect(try draft.read { try $0.entryCount(of: table) } == 2)
    }
}
