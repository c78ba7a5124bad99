import Foundation
import KeyValue
import TestSupport

/// Writes to a store after each of many damages: puts, deletes, cursors between them and tables that are emptied, in
/// several transactions. The process must survive, and refuse with an error of the engine.
struct DamagedWrites {
    private let file: DamagedFile
    private let leftOut: PageChecks
    private var (refused, written) = (0, 0)

    init(in folder: String, leavingOut leftOut: PageChecks) throws {
        file = try DamagedFile(in: folder)
        self.leftOut = leftOut
    }

    /// Applies so many damages and writes after each.
    mutating func run(seed: UInt64, count: Int) throws -> String {
        try file.damage(seed: seed, count: count) { _, _, dice in
            do {
                try writeAll(&dice)
            } catch is KeyValueError {
                refused += 1
            }
        }
        return "survived \(count): \(refused) errors, \(written) commits"
    }

    private mutating func writeAll(_ dice: inout Dice) throws {
        var configuration = EnvironmentConfiguration()
        configuration.pageChecksLeftOut = leftOut
        // So that some transactions are enough for a table.
        if dice.chance(50) {
            configuration.tableCheckPace.searchesBefore = dice.pick([1, 5])
            configuration.tableCheckPace.pagesAtMost = dice.pick([0, 8, 1000])
        }
        let environment = try Environment.open(at: file.path, configuration: configuration)
        defer { environment.close() }
        let tables = try environment.openPresentTables(file.content.keys.sorted())
        for _ in 0..<dice.pick([4, 12]) {
            let seed = dice.next()
            let keys = file.keys
            do {
                try environment.write { transaction in
                    var dice = Dice(seed)
                    let isTolerant = dice.chance(30)
                    for _ in 0..<dice.pick([1, 3, 20, 200]) {
                        do {
                            let table = dice.pick(tables)
                            try Self.change(table, keys[table.name] ?? [], &dice, in: transaction)
                        } catch let error as KeyValueError {
                            // The transaction must be usable after it.
                            if !isTolerant { throw error }
                        }
                    }
                }
                written += 1
            } catch is KeyValueError {
                refused += 1
            }
        }
    }

    private static func change(
        _ table: Table, _ keys: [[UInt8]], _ dice: inout Dice, in transaction: borrowing RawWriteTransaction
    ) throws {
        let key = keys.isEmpty || dice.chance(30) ? dice.bytes(1...24) : dice.pick(keys)
        switch dice.below(20) {
        case 0 where dice.chance(10): try transaction.removeAll(in: table)
        case 0...6:
            try transaction.put(
                key.span.bytes, dice.bytes(dice.pick([0...60, 0...60, 1000...9000])).span.bytes, in: table)
        case 7...8:
            // Leaves of one branch, so that they are merged.
            let start = dice.below(max(1, keys.count))
            for key in keys.dropFirst(start).prefix(dice.pick([5, 40, 200])) {
                try transaction.delete(key.span.bytes, in: table)
            }
        case 9...13: try transaction.delete(key.span.bytes, in: table)
        case 14...15:
            try transaction.reads.get(key.span.bytes, in: table) { value in
                if value.byteCount > 0 { withExtendedLifetime(value[byteAt: value.byteCount - 1]) {} }
            }
        default: try walk(table, from: key, &dice, in: transaction)
        }
    }

    private static func walk(
        _ table: Table, from key: [UInt8], _ dice: inout Dice, in transaction: borrowing RawWriteTransaction
    ) throws {
        try transaction.reads.withCursor(over: table) { cursor in
            var isOnEntry =
                switch dice.below(5) {
                case 0: try cursor.moveToFirst()
                case 1: try cursor.moveToLast()
                case 2: try cursor.seekBefore(key.span.bytes)
                case 3: try cursor.find(key.span.bytes)
                default: try cursor.seek(key.span.bytes)
                }
            let isForward = dice.chance(50)
            for _ in 0..<dice.pick([2, 20, 200]) where isOnEntry {
                let found = try cursor.key()
                try cursor.withEntry { _, value in
                    if value.byteCount > 0 { withExtendedLifetime(value[byteAt: value.byteCount - 1]) {} }
                }
                if dice.chance(20), !found.isEmpty { try transaction.delete(found.span.bytes, in: table) }
                isOnEntry = try isForward ? cursor.moveToNext() : cursor.moveToPrevious()
            }
        }
    }
}
