import Foundation
import KeyValue
import TestSupport
import Testing

/// The page reader against LMDB's own search, in the same transactions.
struct PageReaderTests {
    @Test(
        "Every look-up, range and count is LMDB's while threads and a process commit, free pages and grow the map",
        .timeLimit(.minutes(15)))
    func readsAreThoseOfLMDB() throws {
        let folder = TemporaryFolder()
        let child = try ChildProcess()
        defer { child.kill() }
        let wanted = TestBudget.count(200_000, long: 10_000_000)
        let answer = try #require(try child.ask("compare \(folder.path) 7 \(wanted)"))
        print("The page reader and LMDB: \(answer)")
        let numbers = answer.split(separator: " ").compactMap { Int($0) }
        try #require(answer.hasPrefix("equal") && numbers.count == 4, "\(answer)")
        #expect(numbers[0] >= wanted)
        #expect(numbers[1] > 0 && numbers[2] > 0 && numbers[1] + numbers[2] > 20 && numbers[3] > 0, "\(answer)")
    }

    @Test("A search for another key than LMDB's is noticed")
    func differencesAreNoticed() throws {
        let folder = TemporaryFolder()
        let child = try ChildProcess()
        defer { child.kill() }
        #expect(try child.ask("compare \(folder.path) 7 200000 misled")?.hasPrefix("different") == true)
    }

    @Test("A transaction that was begun before many commits of another process reads its own state to the end")
    func anOldTransactionKeepsItsState() throws {
        let store = try TestStore(ceiling: 1 << 28)
        for number in 0..<400 {
            try store.environment.write { transaction in
                try transaction.put(
                    bytes("key \(number)"), Array(repeating: UInt8(number & 255), count: number * 10), in: store.table)
            }
        }
        let child = try ChildProcess()
        defer { child.kill() }
        #expect(try child.ask("open-small \(store.path) \(1 << 20) \(1 << 28)") == "ok")
        try store.environment.read { transaction in
            let before = try transaction.contents(of: store.table)
            // Its map grows in the meantime, and this one's cannot.
            #expect(try child.ask("fill 0 400 20000") == "ok")
            for number in 0..<400 {
                let value = try transaction.get(bytes("key \(number)").span.bytes, in: store.table) { $0.copied }
                #expect(value == Array(repeating: UInt8(number & 255), count: number * 10))
            }
            #expect(try transaction.contents(of: store.table) == before)
            #expect(try transaction.throughLMDB().contents(of: store.table) == before)
            #expect(throws: KeyValueError.self) { try store.environment.read { _ in } }
        }
        #expect(try store.environment.read { try $0.entryCount(of: store.table) } == 800)
    }
}
