import Foundation
import TestSupport
import Testing

@testable import KeyValue

/// What writes check of a table beside the paths that they need. `DamagedPageTests` does it with many damages.
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
}
