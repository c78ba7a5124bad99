import Foundation
import TestSupport
import Testing

@testable import KeyValue

/// What writes check beside what a page is like: its place, and the rest of its table. `DamagedPageTests` does it with many
/// damages.
struct RestOfTableTests {
    private static let count = 20_000

    private func key(_ number: Int) -> [UInt8] { Array("key \(number + 100_000)".utf8) }

    /// A closed store with a table of some 450 leaves.
    private func filledStore() throws -> TestStore {
        let store = try TestStore(initial: 1 << 24)
        let table = store.table
        // In one transaction: no page has a former version in the file.
        try store.environment.write { transaction in
            for number in 0..<Self.count {
                try transaction.put(key(number).span.bytes, [UInt8](repeating: 7, count: 60).span.bytes, in: table)
            }
        }
        store.environment.close()
        return store
    }

    private func put(_ number: Int, in table: Table, of environment: Environment) throws {
        try environment.write { try $0.put(key(number).span.bytes, [1, 2, 3].span.bytes, in: table) }
    }

    private func isWhole(_ table: Table, of environment: Environment) -> Bool {
        environment.handle.writePaths.paths.isWhole(table)
    }

    @Test("Writes check a table to its end, a few leaves each, and no more after that")
    func everyLeafIsChecked() throws {
        let store = try filledStore()
        var configuration = EnvironmentConfiguration()
        configuration.tableCheckPace.pagesAtMost = 4_096
        let environment = try Environment.open(at: store.path, configuration: configuration)
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        var dice = Dice(1)
        var writes = 0
        while !isWhole(table, of: environment), writes < 1_000 {
            try put(dice.below(Self.count), in: table, of: environment)
            writes += 1
        }
        // After 64 searches, four of the leaves each.
        #expect(100..<300 ~= writes)
        try put(1, in: table, of: environment)
        #expect(isWhole(table, of: environment))
    }

    @Test("Damage that no write meets refuses none, and later the write that meets it")
    func damageElsewhere() throws {
        let store = try filledStore()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
        // With its value, since branches have the key alone; the last one, since a page that was divided keeps former bytes.
        let place = try #require(bytes.range(of: Data(key(Self.count / 2) + [7]), options: .backwards))
        // Where the page has the place of its first node.
        let page = place.lowerBound / 4_096 * 4_096
        bytes.replaceSubrange(page + 16..<page + 18, with: [0xFF, 0xFF])
        try bytes.write(to: URL(fileURLWithPath: store.dataFile))
        var configuration = EnvironmentConfiguration()
        configuration.tableCheckPace.pagesAtMost = 4_096
        let environment = try Environment.open(at: store.path, configuration: configuration)
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        var dice = Dice(2)
        for _ in 0..<1_000 {
            try put(dice.below(Self.count / 4), in: table, of: environment)
            try put(Self.count - 1 - dice.below(Self.count / 4), in: table, of: environment)
        }
        #expect(!isWhole(table, of: environment))
        #expect(throws: KeyValueError.self) { try put(Self.count / 2, in: table, of: environment) }
        try put(0, in: table, of: environment)
    }

    @Test("A branch that leads twice to a page refuses the write that would use it in the wrong place")
    func sharedPage() throws {
        let store = try filledStore()
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.dataFile)))
        func word(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
        // A branch (flag 1 of the header) with many nodes: each has its child's number in 6 bytes, its key's length in 2, and its key.
        let page = try #require(
            stride(from: 8_192, to: bytes.count, by: 4_096).first { word($0 + 10) == 1 && word($0 + 12) > 200 })
        let (first, second) = (page + word(page + 16 + 2 * 5), page + word(page + 16 + 2 * 50))
        let keys = [first, second].map { Array(bytes[($0 + 8)..<($0 + 8 + word($0 + 6))]) }
        for offset in 0..<6 { bytes[second + offset] = bytes[first + offset] }
        try Data(bytes).write(to: URL(fileURLWithPath: store.dataFile))
        let environment = try Environment.open(at: store.path)
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        #expect(throws: KeyValueError.self) {
            try environment.write { transaction in
                for key in keys { try transaction.put(key.span.bytes, [1].span.bytes, in: table) }
            }
        }
        // The right place can still be used.
        let key = keys[0]
        try environment.write { try $0.put(key.span.bytes, [1].span.bytes, in: table) }
    }
}
