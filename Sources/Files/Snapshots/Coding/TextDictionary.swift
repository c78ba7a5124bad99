import Records

/// The distinct runs among many, in the order of their bytes, and which of them each run is.
///
/// Sorted, texts that begin alike lie side by side, and each needs only what it does not share with the one before: that
/// does more for generated or often repeated texts than the strongest level of zstd.
struct TextDictionary {
    /// The places of the distinct runs, ascending.
    private(set) var entries: TextRuns
    /// For each run the number of its entry.
    private(set) var indices: [UInt64]

    /// Nil when the runs hardly repeat (a dictionary would then cost more than it saves), or when so many of them hash
    /// alike that somebody must have meant it.
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
    /// A hash of a part, for a table in memory only.
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
