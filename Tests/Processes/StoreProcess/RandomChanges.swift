import Foundation
import KeyValue
import Synchronization
import TestSupport

/// Random commits to tables of several kinds: keys of one byte to the longest, values on overflow pages, and a table that
/// stays empty. Tables are emptied from time to time, so that pages become free and are used again.
struct RandomChanges {
    static let names = ["small", "large", "long", "few", "empty"]

    let environment: Environment
    let tables: [Table]
    private var dice: Dice
    private(set) var commits = 0

    /// Opens or creates a store whose map has to grow soon.
    static func open(_ path: String) throws -> Environment {
        try Environment.open(
            at: path, configuration: EnvironmentConfiguration(initialMapSize: 1 << 18, mapSizeCeiling: 1 << 30),
            creatingWith: NewStoreContent(tables: names))
    }

    init(_ environment: Environment, seed: UInt64) throws {
        self.environment = environment
        tables = try environment.openTables(Self.names)
        dice = Dice(seed)
    }

    /// Puts and deletes entries of all tables but the last, in one transaction.
    mutating func commit() throws {
        let (seed, tables) = (dice.next(), tables)
        try environment.write { transaction in
            var dice = Dice(seed)
            if dice.below(60) == 0 { try transaction.removeAll(in: tables[dice.below(4)]) }
            for _ in 0..<dice.below(80) {
                let index = dice.below(4)
                let key = Self.key(of: index, &dice)
                if dice.chance(index == 3 ? 60 : 40) {
                    try transaction.delete(key.span.bytes, in: tables[index])
                } else {
                    let value = dice.bytes(index == 1 && dice.chance(30) ? 2000...20_000 : 0...120)
                    try transaction.put(key.span.bytes, value.span.bytes, in: tables[index])
                }
            }
        }
        commits += 1
    }

    /// A key that a table may have.
    static func key(of table: Int, _ dice: inout Dice) -> [UInt8] {
        switch table {
        case 2: dice.bytes(300...511, alphabet: 3)
        case 3: dice.bytes(1...1, alphabet: 9)
        case 0: dice.bytes(1...4, alphabet: 9)
        default: dice.bytes(1...20, alphabet: 3)
        }
    }

    /// Commits on another thread until `end` is called.
    final class Thread: Sendable {
        private let isEnding = Atomic<Bool>(false)
        private let commits = Atomic<Int>(0)
        private let hasEnded = DispatchSemaphore(value: 0)

        init(_ environment: Environment, seed: UInt64) throws {
            let changes = try RandomChanges(environment, seed: seed)
            Foundation.Thread {
                var changes = changes
                // A commit that is refused ends it, and the commits are then too few.
                while !self.isEnding.load(ordering: .relaxed), (try? changes.commit()) != nil {}
                self.commits.store(changes.commits, ordering: .relaxed)
                self.hasEnded.signal()
            }.start()
        }

        /// Waits for the last commit, and returns how many there were.
        func end() -> Int {
            isEnding.store(true, ordering: .relaxed)
            hasEnded.wait()
            return commits.load(ordering: .relaxed)
        }
    }
}
