import Foundation
import TestSupport
import Testing

@testable import KeyValue

/// When LMDB opens tables: in the write transaction that uses them first.
struct TableHandleTests {
    private struct Failure: Error {}

    private let names = (0..<20).map { "table \($0)" }

    /// A store with tables, opened again.
    private func reopened(
        isReadOnly: Bool = false, changing change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> (TestStore, Environment, [Table]) {
        let store = try TestStore()
        _ = try store.environment.openTables(names)
        store.environment.close()
        var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.dataFile)))
        change(&file)
        try Data(file).write(to: URL(fileURLWithPath: store.dataFile))
        let environment = try Environment.open(
            at: store.path, configuration: EnvironmentConfiguration(isReadOnly: isReadOnly))
        return (store, environment, try environment.openTables(names))
    }

    private func openedInLMDB(_ tables: [Table], of environment: Environment) -> [String] {
        tables.filter { environment.handle.tableHandles[$0.number] != nil }.map(\.name)
    }

    private func put(_ value: UInt8, in table: Table, of environment: Environment) throws {
        try environment.write { try $0.put([1], [value], in: table) }
    }

    @Test("LMDB opens a table when it is first written to, and not for reads")
    func firstUse() throws {
        let (store, environment, tables) = try reopened()
        defer { withExtendedLifetime(store) { environment.close() } }
        for table in tables { try #expect(environment.read { try $0.entryCount(of: table) } == 0) }
        #expect(openedInLMDB(tables, of: environment).isEmpty)
        try put(1, in: tables[3], of: environment)
        try put(2, in: tables[11], of: environment)
        #expect(openedInLMDB(tables, of: environment) == ["table 3", "table 11"])
        try #expect(environment.read { try $0.value(of: [1], in: tables[11]) } == [2])
    }

    @Test("A table is opened in LMDB anew after a transaction that opened it has failed")
    func failedTransaction() throws {
        let (store, environment, tables) = try reopened()
        defer { withExtendedLifetime(store) { environment.close() } }
        try put(1, in: tables[0], of: environment)
        #expect(throws: Failure.self) {
            try environment.write { transaction in
                try transaction.put([1], [2], in: tables[1])
                try transaction.put([1], [2], in: tables[0])
                throw Failure()
            }
        }
        #expect(openedInLMDB(tables, of: environment) == ["table 0"])
        // They take the handle that the other one had.
        try put(3, in: tables[2], of: environment)
        try put(4, in: tables[1], of: environment)
        for (table, value) in zip(tables, [1, 4, 3] as [UInt8]) {
            try #expect(environment.read { try $0.value(of: [1], in: table) } == [value])
        }
    }

    @Test("A closure that fails in a group leaves its tables usable")
    func failedClosure() throws {
        let (store, environment, tables) = try reopened()
        defer { withExtendedLifetime(store) { environment.close() } }
        let answers = environment.writeTogether([
            { try $0.put([1], [1], in: tables[0]) },
            { transaction in
                try transaction.put([1], [2], in: tables[1])
                throw Failure()
            },
            { try $0.put([1], [3], in: tables[2]) },
        ])
        #expect(answers.map { (try? $0.get()) != nil } == [true, false, true])
        try put(4, in: tables[1], of: environment)
        for (table, value) in zip(tables, [1, 4, 3] as [UInt8]) {
            try #expect(environment.read { try $0.value(of: [1], in: table) } == [value])
        }
    }

    @Test("Tasks that use tables first, beside readers and others that create tables, have each their own")
    func concurrentFirstUse() async throws {
        let (store, environment, tables) = try reopened()
        defer { withExtendedLifetime(store) { environment.close() } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, table) in tables.enumerated() {
                group.addTask {
                    try await environment.write { transaction in
                        try transaction.put([1], [UInt8(number)], in: table)
                    }
                }
                group.addTask { _ = try environment.read { try $0.entryCount(of: table) } }
                group.addTask { _ = try environment.openTables(["new \(number % 5)"]) }
            }
            try await group.waitForAll()
        }
        for (number, table) in tables.enumerated() {
            try #expect(environment.read { try $0.contents(of: table) } == [[1]: [UInt8(number)]])
        }
        try #expect(environment.read { try $0.tableNames().count } == 26)
    }

    @Test("Tables keep their numbers when a compaction has replaced the file, and LMDB opens them again")
    func compaction() throws {
        let (store, environment, tables) = try reopened()
        defer { withExtendedLifetime(store) { environment.close() } }
        for table in tables.reversed() { try put(1, in: table, of: environment) }
        try environment.compact()
        #expect(openedInLMDB(tables, of: environment).count < tables.count)
        for (number, table) in tables.enumerated() { try put(UInt8(number), in: table, of: environment) }
        for (number, table) in tables.enumerated() {
            try #expect(environment.read { try $0.contents(of: table) } == [[1]: [UInt8(number)]])
        }
        try #expect(environment.openTables(names) == tables)
    }

    @Test("A table whose entry in the list is not marked as one, or has other flags, is refused", arguments: [0, 1])
    func damagedEntry(kind: Int) throws {
        let name = bytes("table 7")
        for isReadOnly in [false, true] {
            #expect {
                _ = try reopened(isReadOnly: isReadOnly) { file in
                    for place in file.indices.dropLast(name.count) where Array(file[place..<place + name.count]) == name
                    {
                        // Its node's flags come before the name and the length of that, its own ones after the name and a padding.
                        file[kind == 0 ? place - 4 : place + name.count + 4] = kind == 0 ? 0 : 0x08
                    }
                }
            } throws: { error in
                if case KeyValueError.damaged = error { true } else { false }
            }
        }
    }
}
