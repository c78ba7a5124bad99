import Foundation
import TestSupport
import Testing

@testable import KeyValue

/// What writes check beside what a page is like: its place, and the rest of its table. `DamagedPageTests` does it with many
/// damages.
struct RestOfTableTests {
    private func key(_ number: Int) -> [UInt8] { Array("key \(number + 100_000)".utf8) }

    /// A closed store with a table of 50 entries a leaf.
    private func filledStore(_ count: Int = 20_000) throws -> TestStore {
        let store = try TestStore(initial: 1 << 24)
        let table = store.table
        // In one transaction: no page has a former version in the file.
        try store.environment.write { transaction in
            for number in 0..<count {
                try transaction.put(key(number).span.bytes, [UInt8](repeating: 7, count: 60).span.bytes, in: table)
            }
        }
        store.environment.close()
        return store
    }

    /// Damages the place of the first node of the leaf of a key.
    private func damage(leafOf number: Int, of store: TestStore) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
        // With its value, since branches have the key alone; the last one, since a page that was divided keeps former bytes.
        let place = try #require(bytes.range(of: Data(key(number) + [7]), options: .backwards))
        let page = place.lowerBound / 4_096 * 4_096
        bytes.replaceSubrange(page + 16..<page + 18, with: [0xFF, 0xFF])
        try bytes.write(to: URL(fileURLWithPath: store.dataFile))
    }

    private func put(_ number: Int, in table: Table, of environment: Environment) throws {
        try environment.write { try $0.put(key(number).span.bytes, [1, 2, 3].span.bytes, in: table) }
    }

    private func isVerified(_ table: Table, of environment: Environment) -> Bool {
        environment.handle.writePaths.isVerified(table)
    }

    @Test("After 64 writes a small table is checked whole, and no more after that", arguments: [2_500, 20_000])
    func smallTables(count: Int) throws {
        let store = try filledStore(count)
        let environment = try Environment.open(at: store.path)
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        var dice = Dice(1)
        for _ in 0..<63 { try put(dice.below(count), in: table, of: environment) }
        #expect(!isVerified(table, of: environment))
        for _ in 0..<200 { try put(dice.below(count), in: table, of: environment) }
        // 50 leaves, and 400.
        #expect(isVerified(table, of: environment) == (count < 3_000))
    }

    @Test("A table that was empty at the first write has no page to check")
    func emptyTable() throws {
        let store = try TestStore()
        store.environment.close()
        let environment = try Environment.open(at: store.path)
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        try put(1, in: table, of: environment)
        #expect(isVerified(table, of: environment))
    }

    @Test("Damage that no write meets refuses none, and later the write that meets it")
    func damageElsewhere() throws {
        let count = 2_500
        let store = try filledStore(count)
        try damage(leafOf: count / 2, of: store)
        let environment = try Environment.open(at: store.path)
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        var dice = Dice(2)
        for _ in 0..<500 {
            try put(dice.below(count / 4), in: table, of: environment)
            try put(count - 1 - dice.below(count / 4), in: table, of: environment)
        }
        #expect(!isVerified(table, of: environment))
        #expect(throws: KeyValueError.self) { try put(count / 2, in: table, of: environment) }
        try put(0, in: table, of: environment)
    }

    @Test("A delete that may merge branches is refused for damage below those beside it alone", arguments: [0, 19_000])
    func mergedBranches(damaged: Int) throws {
        // Branches of 204 leaves, the third of which has two.
        let count = 50 * (2 * 204 + 1) + 20
        let store = try filledStore(count)
        try damage(leafOf: damaged, of: store)
        let environment = try Environment.open(at: store.path)
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        func deleteAll(_ numbers: Range<Int>) throws {
            for number in numbers.reversed() {
                try environment.write { _ = try $0.delete(key(number).span.bytes, in: table) }
            }
        }
        if damaged == 0 {
            try deleteAll(count - 60..<count)
        } else {
            #expect(throws: KeyValueError.self) { try deleteAll(count - 60..<count) }
        }
    }

    @Test("A branch that leads twice to a page refuses each write below it, and no other one")
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
        for key in keys {
            #expect(throws: KeyValueError.self) {
                try environment.write { try $0.put(key.span.bytes, [1].span.bytes, in: table) }
            }
        }
        // The first and the last key of the table are below two branches.
        #expect([0, 19_999].contains { (try? put($0, in: table, of: environment)) != nil })
    }
}
