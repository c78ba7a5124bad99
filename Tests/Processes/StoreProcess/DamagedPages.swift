import Foundation
import KeyValue
import TestSupport

/// Reads a store through every call of the page reader, after each of many damages. The process must survive, every walk
/// must end, and no bytes may be lent that are not in the file.
struct DamagedPages {
    /// A promise that was broken; a signal is reported by the process that waits for this one.
    struct Finding: Error {
        let text: String
    }

    private let file: DamagedFile
    private let leftOut: PageChecks
    private(set) var (refused, read) = (0, 0)

    /// More entries than any walk over the file may take.
    private static let stepLimit = 2_000_000

    init(in folder: String, leavingOut leftOut: PageChecks) throws {
        file = try DamagedFile(in: folder)
        self.leftOut = leftOut
    }

    /// Applies so many damages and reads after each.
    mutating func run(seed: UInt64, count: Int) throws -> String {
        do {
            try file.damage(seed: seed, count: count) { number, kind, dice in
                do {
                    try readAll(kind, &dice)
                } catch let finding as Finding {
                    throw Finding(text: "\(kind) \(number): \(finding.text)")
                }
            }
        } catch let finding as Finding {
            return finding.text
        }
        return "survived \(count): \(refused) errors, \(read) without"
    }

    private mutating func readAll(_ kind: DamagedFile.Kind, _ dice: inout Dice) throws {
        var configuration = EnvironmentConfiguration(isReadOnly: dice.chance(50))
        configuration.pageChecksLeftOut = leftOut
        do {
            let environment = try Environment.open(at: file.path, configuration: configuration)
            defer { environment.close() }
            let names = file.content.keys.sorted()
            for table in try environment.openPresentTables(names) {
                do {
                    try environment.read { try readTable(table, kind, in: $0, &dice) }
                    read += 1
                } catch is KeyValueError {
                    refused += 1
                }
            }
            _ = try environment.read { try $0.tableNames() }
        } catch is KeyValueError {
            refused += 1
        }
    }

    private func readTable(
        _ table: Table, _ kind: DamagedFile.Kind, in transaction: borrowing RawReadTransaction, _ dice: inout Dice
    ) throws {
        let whole = file.content[table.name] ?? [:]
        _ = try transaction.entryCount(of: table)
        _ = try transaction.pageCount(of: table)
        var failure: (any Error)?
        func attempt(_ body: () throws -> Void) throws {
            do { try body() } catch let error as KeyValueError { failure = error }
        }
        for isForward in [true, false] {
            try attempt { try walk(table, isForward, kind, in: transaction) }
        }
        for key in file.keys[table.name] ?? [] where dice.chance(20) {
            try attempt {
                try transaction.get(key.span.bytes, in: table) { value in
                    try look(at: value)
                    try compare(value, with: whole[key], after: kind)
                }
            }
        }
        try attempt {
            try transaction.withCursor(over: table) { cursor in
                for _ in 0..<40 {
                    let key = dice.bytes(0...30)
                    try attempt {
                        let isFound =
                            try dice.chance(50)
                            ? cursor.seek(key.span.bytes)
                            : dice.chance(50) ? cursor.find(key.span.bytes) : cursor.seekBefore(key.span.bytes)
                        if isFound { try cursor.withEntry { try look(at: $0, $1) } }
                        if try dice.chance(50) ? cursor.moveToNext() : cursor.moveToPrevious() {
                            try cursor.withEntry { try look(at: $0, $1) }
                        }
                    }
                }
            }
        }
        if let failure { throw failure }
    }

    private func walk(
        _ table: Table, _ isForward: Bool, _ kind: DamagedFile.Kind, in transaction: borrowing RawReadTransaction
    ) throws {
        let whole = file.content[table.name] ?? [:]
        try transaction.withCursor(over: table) { cursor in
            var steps = 0
            var last: [UInt8]?
            var isOnEntry = try isForward ? cursor.moveToFirst() : cursor.moveToLast()
            while isOnEntry {
                steps += 1
                if steps > Self.stepLimit { throw Finding(text: "a walk does not end") }
                try cursor.withEntry { key, value in
                    try look(at: key, value)
                    guard kind.leavesKeys else { return }
                    let key = key.copied
                    guard let written = whole[key] else { throw Finding(text: "a wrong key") }
                    try compare(value, with: written, after: kind)
                    if let last, last.lexicographicallyPrecedes(key) != isForward {
                        throw Finding(text: "entries out of order")
                    }
                    last = key
                }
                isOnEntry = try isForward ? cursor.moveToNext() : cursor.moveToPrevious()
            }
        }
    }

    private func compare(_ value: RawSpan, with written: [UInt8]?, after kind: DamagedFile.Kind) throws {
        guard kind.leavesValues, value.byteCount > 0, value.copied != written else { return }
        throw Finding(text: "a wrong value")
    }

    private func look(at key: RawSpan, _ value: RawSpan) throws {
        guard key.byteCount < DamagedFile.pageSize else { throw Finding(text: "a key beyond its page") }
        try look(at: value)
    }

    /// Touches the bytes, so that one beyond the file would end the process.
    private func look(at value: RawSpan) throws {
        guard value.byteCount < file.whole.count else { throw Finding(text: "a value beyond the file") }
        var sum: UInt8 = 0
        for place in stride(from: 0, to: value.byteCount, by: 256) { sum &+= value[byteAt: place] }
        if value.byteCount > 0 { sum &+= value[byteAt: value.byteCount - 1] }
        withExtendedLifetime(sum) {}
    }
}
