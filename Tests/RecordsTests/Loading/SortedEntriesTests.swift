import KeyValue
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
        let folder = TemporaryFolder()
        let entries = SortedEntries(in: folder.path, byteLimit: 1 << dice.below(16))
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
            try entries.add(key.span.bytes, value.span.bytes)
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
}
