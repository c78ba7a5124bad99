import KeyValue
import TestSupport
import Testing

@testable import Records

@Suite struct SortedEntriesTests {
    private struct Entry: Equatable {
        var key: [UInt8]
        var value: [UInt8]
    }

    @Test(
        "Entries of any order and number are read in the order of their keys, equal ones as they came",
        arguments: 1...40 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        var dice = Dice(seed)
        let folder = TemporaryFolder(on: .memory)
        let memory = EntryMemory(byteLimit: 1 << dice.below(16))
        let entries = memory.makeEntries(in: folder.path)
        var expected: [Entry] = []
        let alphabet = 1 + dice.below(3)
        for number in 0..<dice.below(600) {
            let isSorted = dice.chance(10)
            // Keys with common beginnings, and some that begin with others.
            let key =
                isSorted
                ? [UInt8](repeating: 7, count: 12) + [UInt8(number >> 8), UInt8(number & 0xFF)]
                : (0..<1 + dice.below(40)).map { _ in UInt8(dice.below(alphabet)) }
            let value = (0..<dice.below(dice.chance(2) ? 5000 : 30)).map { _ in UInt8(dice.below(256)) }
            expected.append(Entry(key: key, value: value))
            try memory.add(key.span.bytes, value.span.bytes, to: entries)
        }
        #expect(entries.count == expected.count)
        let sorted = expected.enumerated().sorted { left, right in
            left.element.key == right.element.key
                ? left.offset < right.offset : left.element.key.lexicographicallyPrecedes(right.element.key)
        }
        var found: [Entry] = []
        try entries.drain { key, value in found.append(Entry(key: key.copied, value: value.copied)) }
        #expect(found == sorted.map(\.element))
        try entries.drain { _, _ in Issue.record("an entry was left") }
    }

    @Test(
        "Tables that share memory hold no more than that, give all their entries in order, and small ones write no runs",
        arguments: 1...20 as ClosedRange<UInt64>)
    func sharedMemory(seed: UInt64) throws {
        var dice = Dice(seed)
        let folder = TemporaryFolder(on: .memory)
        let limit = 4096 + dice.below(20_000)
        let memory = EntryMemory(byteLimit: limit)
        let tables = (0..<4).map { _ in memory.makeEntries(in: folder.path) }
        var expected = [[Entry]](repeating: [], count: tables.count)
        for number in 0..<3000 {
            // Nearly all are of one table, as in an index of words.
            let table = dice.chance(95) ? 0 : dice.below(tables.count)
            let key = (0..<8).map { _ in UInt8(dice.below(256)) } + [UInt8(number >> 8), UInt8(number & 0xFF)]
            expected[table].append(Entry(key: key, value: [UInt8(table)]))
            try memory.add(key.span.bytes, [UInt8(table)].span.bytes, to: tables[table])
            #expect(tables.map(\.byteCount).reduce(0, +) < limit)
        }
        #expect(tables[0].runCount > 1)
        #expect(tables.dropFirst().allSatisfy { $0.runCount <= 1 })
        for (entries, expected) in zip(tables, expected) {
            var found: [Entry] = []
            try entries.drain { key, value in found.append(Entry(key: key.copied, value: value.copied)) }
            #expect(found == expected.sorted { $0.key.lexicographicallyPrecedes($1.key) })
        }
    }
}
