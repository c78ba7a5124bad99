import KeyValue

/// A buffer of keys to sort, without an allocation for each and with little more memory than their bytes.
struct KeyRun {
    /// The first 16 bytes of a key as numbers, which nearly always decide the order, and the position of the rest.
    private struct Item {
        let high: UInt64
        let low: UInt64
        let rest: UInt32
        let count: UInt8
    }

    private var items: [Item] = []
    private var rests: [UInt8] = []

    var count: Int { items.count }
    var byteCount: Int { items.count * MemoryLayout<Item>.stride + rests.count }

    mutating func add(_ key: KeyBytes) {
        let count = key.count
        let bytes = key.bytes
        if count >= 16 {
            items.append(
                Item(
                    high: bytes.bigEndian(at: 0), low: bytes.bigEndian(at: 8), rest: UInt32(rests.count),
                    count: UInt8(count)))
            rests.append(bytes.extracting(16..<count))
        } else {
            var halves: (high: UInt64, low: UInt64) = (0, 0)
            for offset in 0..<count {
                let byte = UInt64(bytes[byteAt: offset])
                if offset < 8 {
                    halves.high |= byte << UInt64(56 - 8 * offset)
                } else {
                    halves.low |= byte << UInt64(120 - 8 * offset)
                }
            }
            items.append(Item(high: halves.high, low: halves.low, rest: UInt32(rests.count), count: UInt8(count)))
        }
    }

    mutating func sort() {
        let rests = rests
        items.sort { first, second in
            if first.high != second.high { return first.high < second.high }
            if first.low != second.low { return first.low < second.low }
            // The shorter key is a prefix of the other; its missing bytes count as zeros.
            if first.count < 16 || second.count < 16 { return first.count < second.count }
            let span = rests.span.bytes
            return span.extracting(Self.rest(of: first)).precedes(span.extracting(Self.rest(of: second)))
        }
    }

    subscript(position: Int) -> KeyBytes {
        let item = items[position]
        var key = KeyBytes()
        if item.count >= 16 {
            key.append(bigEndian: item.high)
            key.append(bigEndian: item.low)
            let rest = Int(item.rest)
            for offset in rest..<(rest + Int(item.count) - 16) { key.append(rests[offset]) }
        } else {
            for offset in 0..<Int(item.count) {
                let half = offset < 8 ? item.high : item.low
                key.append(UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (offset & 7))))
            }
        }
        return key
    }

    private static func rest(of item: Item) -> Range<Int> {
        let start = Int(item.rest)
        return start..<(start + Int(item.count) - 16)
    }
}
