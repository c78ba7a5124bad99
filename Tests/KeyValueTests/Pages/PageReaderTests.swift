import Foundation
import KeyValue
import Synchronization
import TestSupport
import Testing

/// The page reader against LMDB's own search, in the same transactions.
struct PageReaderTests {
    private static let names = ["small", "large", "long", "few", "empty"]

    /// A store with a small map, and its tables.
    private func newStore() throws -> (folder: TemporaryFolder, environment: Environment, tables: [Table]) {
        let folder = TemporaryFolder()
        let environment = try Environment.open(
            at: folder.file("store"),
            configuration: EnvironmentConfiguration(initialMapSize: 1 << 18, mapSizeCeiling: 1 << 30),
            creatingWith: NewStoreContent(tables: Self.names))
        return (folder, environment, try environment.openTables(Self.names))
    }

    /// Puts and deletes entries of all tables but the last, which stays empty.
    private func change(_ environment: Environment, _ tables: [Table], _ dice: inout Dice) throws {
        let seed = dice.next()
        try environment.write { transaction in
            var dice = Dice(seed)
            if dice.below(60) == 0 { try transaction.removeAll(in: tables[dice.below(4)]) }
            for _ in 0..<dice.below(80) {
                let index = dice.below(4)
                let key = Self.key(of: index, &dice)
                if dice.chance(index == 3 ? 60 : 40) {
                    try transaction.delete(key, in: tables[index])
                } else {
                    let value = dice.bytes(index == 1 && dice.chance(30) ? 2000...20_000 : 0...120)
                    try transaction.put(key, value, in: tables[index])
                }
            }
        }
    }

    private static func key(of table: Int, _ dice: inout Dice) -> [UInt8] {
        switch table {
        case 2: dice.bytes(300...511, alphabet: 3)
        case 3: dice.bytes(1...1, alphabet: 9)
        case 0: dice.bytes(1...4, alphabet: 9)
        default: dice.bytes(1...20, alphabet: 3)
        }
    }

    @Test("Every look-up, search, range and count is that of LMDB while a writer commits", .timeLimit(.minutes(15)))
    func readsAreThoseOfLMDB() async throws {
        let (folder, environment, tables) = try newStore()
        defer { withExtendedLifetime(folder) { environment.close() } }
        let wanted = TestBudget.count(300_000, long: 10_000_000)
        let isDone = Flag()
        let writer = Task.detached {
            var dice = Dice(7)
            var commits = 0
            while !isDone.isRaised {
                try change(environment, tables, &dice)
                commits += 1
            }
            return commits
        }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for reader in 0..<2 as Range<UInt64> {
                group.addTask {
                    var comparison = ReaderComparison(environment, tables, seed: reader, key: Self.key)
                    while comparison.count < wanted / 2 { try comparison.run() }
                    return comparison.count
                }
            }
            defer { isDone.raise() }
            return try await group.reduce(into: 0) { $0 += $1 }
        }
        let commits = try await writer.value
        #expect(counts >= wanted)
        #expect(commits > 100)
        #expect(environment.statistics.mapSize > 1 << 18)
        print("\(counts) comparisons during \(commits) commits, map of \(environment.statistics.mapSize) bytes")
    }

    @Test("A transaction that was begun before many commits reads its own state to the end")
    func anOldTransactionKeepsItsState() throws {
        let (folder, environment, tables) = try newStore()
        defer { withExtendedLifetime(folder) { environment.close() } }
        var dice = Dice(3)
        for _ in 0..<200 { try change(environment, tables, &dice) }
        let begun = Flag()
        let written = Flag()
        let writer = Thread {
            var dice = Dice(4)
            while !begun.isRaised {}
            // Fewer than fill the map, which cannot grow during a read.
            for _ in 0..<20 { try? change(environment, tables, &dice) }
            written.raise()
        }
        writer.start()
        try environment.read { transaction in
            let before = try tables.map { try transaction.contents(of: $0) }
            begun.raise()
            while !written.isRaised {}
            let reads = try transaction.throughLMDB()
            for (table, before) in zip(tables, before) {
                try #expect(transaction.contents(of: table) == before)
                try #expect(reads.contents(of: table) == before)
            }
        }
    }
}

/// Compares reads of the page reader with LMDB's, and counts the comparisons.
private struct ReaderComparison {
    private let environment: Environment
    private let tables: [Table]
    private let key: (Int, inout Dice) -> [UInt8]
    private var dice: Dice
    private(set) var count = 0

    init(_ environment: Environment, _ tables: [Table], seed: UInt64, key: @escaping (Int, inout Dice) -> [UInt8]) {
        self.environment = environment
        self.tables = tables
        self.key = key
        dice = Dice(seed)
    }

    /// Compares some thousand reads in one transaction.
    mutating func run() throws {
        try environment.read { transaction in
            let reads = try transaction.throughLMDB()
            try same(transaction.tableNames(), reads.tableNames())
            for (index, table) in tables.enumerated() {
                try same(transaction.entryCount(of: table), reads.entryCount(of: table))
                try same(transaction.pageCount(of: table), reads.pageCount(of: table))
                try transaction.withCursor(over: table) { ours in
                    try reads.withCursor(over: table) { its in
                        try walk(&ours, &its)
                        for _ in 0..<60 {
                            try search(for: key(index, &dice), &ours, &its)
                        }
                    }
                }
                for _ in 0..<60 {
                    let key = key(index, &dice)
                    let ours = try transaction.get(key.span.bytes, in: table) { Value($0) }
                    let its = try reads.get(key.span.bytes, in: table) { Value($0) }
                    try same(ours, its)
                    try same(transaction.contains(key.span.bytes, in: table), its != nil)
                }
            }
        }
    }

    /// The length of a value and some of its bytes; its place says the rest.
    private struct Value: Equatable {
        let count: Int
        let first: UInt8?
        let last: UInt8?

        init(_ value: RawSpan) {
            count = value.byteCount
            first = count > 0 ? value[byteAt: 0] : nil
            last = count > 0 ? value[byteAt: count - 1] : nil
        }
    }

    private mutating func same<Answer: Equatable>(_ ours: Answer, _ its: Answer) throws {
        count += 1
        guard ours != its else { return }
        Issue.record("\(ours) instead of \(its)")
        throw KeyValueError.transactionEnded
    }

    /// Compares the answers of a move and the entries.
    private mutating func same(
        _ isOurs: Bool, _ isIts: Bool, _ ours: inout Cursor, _ its: inout Cursor
    ) throws {
        try same(isOurs, isIts)
        guard isOurs else { return }
        // The same address in the map.
        try same(ours.place, its.place)
        let isSame = try ours.withEntry { key, value in
            try its.withEntry { itsKey, itsValue in key.isEqual(to: itsKey) && value.byteCount == itsValue.byteCount }
        }
        try same(isSame, true)
    }

    private mutating func walk(_ ours: inout Cursor, _ its: inout Cursor) throws {
        for isForward in [true, false] {
            var isOnEntry = true
            var steps = 0
            while isOnEntry, steps < 400 {
                let answers =
                    switch (isForward, steps) {
                    case (true, 0): (try ours.moveToFirst(), try its.moveToFirst())
                    case (true, _): (try ours.moveToNext(), try its.moveToNext())
                    case (false, 0): (try ours.moveToLast(), try its.moveToLast())
                    case (false, _): (try ours.moveToPrevious(), try its.moveToPrevious())
                    }
                try same(answers.0, answers.1, &ours, &its)
                isOnEntry = answers.0
                steps += 1
            }
        }
    }

    private mutating func search(for key: [UInt8], _ ours: inout Cursor, _ its: inout Cursor) throws {
        switch dice.below(4) {
        case 0: try same(ours.find(key.span.bytes), its.find(key.span.bytes), &ours, &its)
        case 1: try same(ours.seekBefore(key), its.seekBefore(key), &ours, &its)
        default:
            var answers = (try ours.seek(key), try its.seek(key))
            try same(answers.0, answers.1, &ours, &its)
            let isForward = dice.chance(50)
            var steps = dice.below(12)
            while answers.0, steps > 0 {
                answers =
                    isForward
                    ? (try ours.moveToNext(), try its.moveToNext())
                    : (try ours.moveToPrevious(), try its.moveToPrevious())
                try same(answers.0, answers.1, &ours, &its)
                steps -= 1
            }
        }
    }
}
