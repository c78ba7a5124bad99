import Records

/// The distinct runs of a column in the order of their bytes, and the entry of each run.
///
/// Sorting puts texts with common prefixes side by side, and each stores only what follows the prefix that it shares
/// with the one before. For generated or repeated texts this saves more than the highest level of zstd.
struct TextDictionary {
    /// The positions of the distinct runs, ascending.
    private(set) var entries: TextRuns
    /// The number of the entry of each run.
    private(set) var indices: [UInt64]

    /// Nil when the runs hardly repeat, so that a dictionary would cost more than it saves, or when so many hashes
    /// collide that the input must be malicious.
    init?(of runs: TextRuns) {
        let count = runs.count
        guard count >= 8 else { return nil }
        var slots = [Int32](repeating: -1, count: 1 << (Int.bitWidth - (count * 2 - 1).leadingZeroBitCount))
        let mask = slots.count - 1
        var starts: [Int32] = []
        var ends: [Int32] = []
        var hashes: [UInt64] = []
        var numbers = [Int32](repeating: 0, count: count)
        let span = runs.bytes.span.bytes
        for index in 0..<count {
            let start = Int(runs.starts[index])
            let end = Int(runs.ends[index])
            let hash = span.quickHash(from: start, to: end)
            var slot = Int(truncatingIfNeeded: hash) & mask
            var probes = 0
            while true {
                let number = Int(slots[slot])
                if number < 0 {
                    slots[slot] = Int32(starts.count)
                    numbers[index] = Int32(starts.count)
                    starts.append(Int32(start))
                    ends.append(Int32(end))
                    hashes.append(hash)
                    break
                }
                if hashes[number] == hash, Int(ends[number] - starts[number]) == end - start,
                    span.commonPrefix(Int(starts[number]), start, limit: end - start) == end - start
                {
                    numbers[index] = Int32(number)
                    break
                }
                slot = (slot + 1) & mask
                probes += 1
                if probes > 1_000 { return nil }
            }
        }
        guard starts.count * 5 <= count * 4 else { return nil }
        entries = TextRuns(bytes: runs.bytes, starts: starts, ends: ends)
        let order = TextOrder.sorted(entries)
        var ranks = [UInt64](repeating: 0, count: order.count)
        for rank in order.indices {
            let number = Int(order[rank])
            ranks[number] = UInt64(rank)
            entries.starts[rank] = starts[number]
            entries.ends[rank] = ends[number]
        }
        indices = [UInt64](repeating: 0, count: count)
        for index in indices.indices { indices[index] = ranks[Int(numbers[index])] }
    }
}

extension RawSpan {
    /// A hash of a run, used only for tables in memory.
    func quickHash(from start: Int, to end: Int) -> UInt64 {
        var hash = UInt64(end - start) &* 0x9E37_79B9_7F4A_7C15
        var position = start
        while position + 8 <= end {
            hash = Self.mix(hash ^ littleEndian(at: position, as: UInt64.self))
            position += 8
        }
        var rest: UInt64 = 0
        while position < end {
            rest = rest << 8 | UInt64(self[byteAt: position])
            position += 1
        }
        return Self.mix(hash ^ rest)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}

/// Sorts runs of bytes by words of eight bytes, which is several times faster than comparing texts.
enum TextOrder {
    private struct Item {
        var word: UInt64
        /// The number of bytes of the word that belong to the run.
        var length: UInt8
        var number: Int32

        static func < (left: Item, right: Item) -> Bool {
            left.word == right.word ? left.length < right.length : left.word < right.word
        }
    }

    /// The number of equal words after which texts are compared as a whole, so that two long texts that differ in their
    /// last byte are not compared word by word.
    private static let wordLimit = 64

    /// Returns the numbers of the runs, which must be distinct, in the order of their bytes.
    static func sorted(_ runs: TextRuns) -> [Int32] {
        let span = runs.bytes.span.bytes
        var items = (0..<runs.count).map { Item(word: 0, length: 0, number: Int32($0)) }
        // The runs of this range are equal up to this depth.
        var pending = [(range: 0..<items.count, depth: 0)]
        while let (range, depth) = pending.popLast() {
            if depth >= wordLimit || range.count <= 4 {
                sortByComparing(&items, range, runs, span, skipping: depth * 8)
                continue
            }
            for index in range {
                let number = Int(items[index].number)
                let start = Int(runs.starts[number]) + depth * 8
                (items[index].word, items[index].length) = word(in: span, from: start, to: Int(runs.ends[number]))
            }
            items[range].sort(by: <)
            var start = range.lowerBound
            while start < range.upperBound {
                var end = start + 1
                while end < range.upperBound, items[end].word == items[start].word,
                    items[end].length == items[start].length
                { end += 1 }
                if end - start > 1 { pending.append((start..<end, depth + 1)) }
                start = end
            }
        }
        return items.map(\.number)
    }

    private static func word(in span: RawSpan, from start: Int, to end: Int) -> (UInt64, UInt8) {
        if start + 8 <= end { return (span.bigEndian(at: start, as: UInt64.self), 8) }
        var word: UInt64 = 0
        var position = start
        while position < end {
            word |= UInt64(span[byteAt: position]) << UInt64(56 - (position - start) * 8)
            position += 1
        }
        return (word, UInt8(max(0, end - start)))
    }

    private static func sortByComparing(
        _ items: inout [Item], _ range: Range<Int>, _ runs: TextRuns, _ span: RawSpan, skipping: Int
    ) {
        let numbers = items[range].map { Int($0.number) }.sorted { left, right in
            let first = Int(runs.starts[left]) + skipping..<Int(runs.ends[left])
            let second = Int(runs.starts[right]) + skipping..<Int(runs.ends[right])
            return span.extracting(first).precedes(span.extracting(second))
        }
        for (index, number) in zip(range, numbers) { items[index].number = Int32(number) }
    }
}
