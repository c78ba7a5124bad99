import Foundation
import KeyValue
import Synchronization
import TestSupport

/// Compares reads of the page reader with LMDB's search, in the same transactions, and counts the comparisons.
struct PageComparison {
    /// An answer that differs.
    struct Difference: Error {
        let text: String
    }

    private let environment: Environment
    private let tables: [Table]
    /// Whether the page reader is asked for another key now and then, which has to be noticed.
    private let isMisled: Bool
    private var dice: Dice
    private(set) var count = 0

    init(_ environment: Environment, seed: UInt64, isMisled: Bool) throws {
        self.environment = environment
        self.isMisled = isMisled
        let tables = try environment.openTables(RandomChanges.names)
        // Opens them in LMDB.
        try environment.write { transaction in
            for table in tables { _ = try transaction.reads.entryCount(of: table) }
        }
        self.tables = tables
        dice = Dice(seed)
    }

    /// Compares some hundred to some thousand reads in one transaction.
    mutating func run() throws {
        try environment.read { transaction in
            let reads = try transaction.throughLMDB()
            try compare(transaction.tableNames(), reads.tableNames())
            for (index, table) in tables.enumerated() {
                try compare(transaction.entryCount(of: table), reads.entryCount(of: table))
                try compare(transaction.pageCount(of: table), reads.pageCount(of: table))
                var keys = (0..<40).map { _ in RandomChanges.key(of: index, &dice) }
                try transaction.withCursor(over: table) { ours in
                    try reads.withCursor(over: table) { its in
                        try walk(&ours, &its)
                        // Keys that exist, and their neighbors that do not.
                        for key in keys where try its.seek(key.span.bytes) {
                            let found = try its.key()
                            keys += [found, Array(found.dropLast()), found.count < 511 ? found + [0] : found]
                        }
                        for key in keys + [[]] { try search(for: key, &ours, &its) }
                    }
                }
                for key in keys where !key.isEmpty {
                    let ours = try transaction.get(key.span.bytes, in: table) { Value($0) }
                    let its = try reads.get(key.span.bytes, in: table) { Value($0) }
                    try compare(ours, its)
                    try compare(transaction.contains(key.span.bytes, in: table), its != nil)
                }
            }
        }
    }

    /// The length of a value and its bytes.
    private struct Value: Equatable {
        let bytes: [UInt8]

        init(_ value: RawSpan) { bytes = value.copied }
    }

    private mutating func compare<Answer: Equatable>(_ ours: Answer, _ its: Answer) throws {
        count += 1
        guard ours != its else { return }
        throw Difference(text: "\(ours) instead of \(its)")
    }

    /// Compares the answers of a move, and the entries: place, key and value.
    private mutating func compare(_ isOurs: Bool, _ isIts: Bool, _ ours: inout Cursor, _ its: inout Cursor) throws {
        try compare(isOurs, isIts)
        guard isOurs else { return }
        // The same address in the map.
        guard ours.place == its.place else { throw Difference(text: "an entry at another place") }
        let isSame = try ours.withEntry { key, value in
            try its.withEntry { itsKey, itsValue in key.isEqual(to: itsKey) && value.isEqual(to: itsValue) }
        }
        guard isSame else { throw Difference(text: "another key or value at the same place") }
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
                try compare(answers.0, answers.1, &ours, &its)
                isOnEntry = answers.0
                steps += 1
            }
        }
    }

    private mutating func search(for key: [UInt8], _ ours: inout Cursor, _ its: inout Cursor) throws {
        let other = isMisled && dice.chance(1) ? key + [1] : key
        let (asked, key) = (other.span.bytes, key.span.bytes)
        var answers: (Bool, Bool)
        switch dice.below(4) {
        case 0: answers = (try ours.find(asked), try its.find(key))
        case 1: answers = (try ours.seekBefore(asked), try its.seekBefore(key))
        default: answers = (try ours.seek(asked), try its.seek(key))
        }
        try compare(answers.0, answers.1, &ours, &its)
        var isForward = dice.chance(50)
        var steps = dice.below(12)
        while answers.0, steps > 0 {
            if dice.chance(10) { isForward.toggle() }
            answers =
                isForward
                ? (try ours.moveToNext(), try its.moveToNext())
                : (try ours.moveToPrevious(), try its.moveToPrevious())
            try compare(answers.0, answers.1, &ours, &its)
            steps -= 1
        }
    }
}

/// Comparisons on several threads, while another thread and another process commit, free pages and let the map grow.
struct PageComparisonRun {
    let folder: String
    let seed: UInt64
    let isMisled: Bool

    /// How many comparisons there are on one store, whose map grows only as long as it is small.
    private static let shareOfStore = 1_000_000

    /// Makes so many comparisons and returns a line about them.
    func run(_ wanted: Int) throws -> String {
        var total = (comparisons: 0, commits: 0, others: 0, growths: 0)
        var round: UInt64 = 0
        while total.comparisons < wanted {
            round += 1
            let share = min(Self.shareOfStore, wanted - total.comparisons)
            let path = "\(folder)/store-\(round)"
            let found = try compare(share, at: path, seed: seed &* 1_000_003 &+ round)
            total.comparisons += found.comparisons
            total.commits += found.commits
            total.others += found.others
            total.growths += found.growths
            try FileManager.default.removeItem(atPath: path)
        }
        return "equal \(total.comparisons) commits \(total.commits) others \(total.others) growths \(total.growths)"
    }

    private func compare(
        _ wanted: Int, at path: String, seed: UInt64
    ) throws -> (comparisons: Int, commits: Int, others: Int, growths: Int) {
        let environment = try RandomChanges.open(path)
        defer { environment.close() }
        let firstSize = environment.statistics.mapSize
        let other = try OtherProcess(path, seed: seed &+ 1)
        let writer = try RandomChanges.Thread(environment, seed: seed &+ 2)
        let readers = try (0..<2 as Range<UInt64>).map { number in
            try ReaderThread(environment, seed: seed &+ 3 &+ number, count: wanted / 2 + 1, isMisled: isMisled)
        }
        let results = readers.map { $0.result() }
        let commits = writer.end()
        let others = other.end()
        let comparisons = try results.reduce(0) { try $0 + $1.get() }
        // Doublings. A map that was adopted from another process need not be a power of two times the first one.
        let factor = environment.statistics.mapSize / firstSize
        let growths = Int.bitWidth - 1 - factor.leadingZeroBitCount
        return (comparisons, commits, others, growths)
    }

    /// A thread that compares.
    private final class ReaderThread: Sendable {
        private let outcome = Mutex<Result<Int, any Error>>(.success(0))
        private let hasEnded = DispatchSemaphore(value: 0)

        init(_ environment: Environment, seed: UInt64, count: Int, isMisled: Bool) throws {
            let comparison = try PageComparison(environment, seed: seed, isMisled: isMisled)
            Foundation.Thread {
                var comparison = comparison
                let outcome = Result {
                    while comparison.count < count { try comparison.run() }
                    return comparison.count
                }
                self.outcome.withLock { $0 = outcome }
                self.hasEnded.signal()
            }.start()
        }

        func result() -> Result<Int, any Error> {
            hasEnded.wait()
            return outcome.withLock { $0 }
        }
    }

    /// This program once more: its command `change` commits until its input ends.
    private final class OtherProcess {
        private let process = SpawnedProcess()
        private let (input, output) = (Pipe(), Pipe())

        init(_ path: String, seed: UInt64) throws {
            process.executableURL = Bundle.main.executableURL
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data("change \(path) \(seed)\n".utf8))
        }

        /// Waits for its last commit, and returns how many there were.
        func end() -> Int {
            try? input.fileHandleForWriting.write(contentsOf: Data("end\n".utf8))
            try? input.fileHandleForWriting.close()
            let answer = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return Int(answer.split(separator: " ").last?.trimmingCharacters(in: .newlines) ?? "") ?? 0
        }
    }
}
