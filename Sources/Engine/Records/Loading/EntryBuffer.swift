import KeyValue

/// The beginning of a key as numbers, which nearly always decide the order, and where the key is.
struct KeyOrder {
    let high: UInt64
    let low: UInt64
    let start: UInt32
    let keyCount: UInt8
    var valueCount: UInt32 = 0

    init(_ key: RawSpan, at start: Int) {
        let count = key.byteCount
        if count >= 16 {
            high = key.bigEndian(at: 0)
            low = key.bigEndian(at: 8)
        } else {
            var halves: (high: UInt64, low: UInt64) = (0, 0)
            for offset in 0..<count {
                let byte = UInt64(key[byteAt: offset])
                if offset < 8 {
                    halves.high |= byte << UInt64(56 - 8 * offset)
                } else {
                    halves.low |= byte << UInt64(120 - 8 * offset)
                }
            }
            (high, low) = halves
        }
        self.start = UInt32(start)
        keyCount = UInt8(count)
    }

    /// Nil when the rest of the keys has to decide.
    func precedes(_ other: KeyOrder) -> Bool? {
        if high != other.high { return high < other.high }
        if low != other.low { return low < other.low }
        return nil
    }
}

/// A buffer of entries to sort, without an allocation for each.
struct EntryBuffer {
    private var items: [KeyOrder] = []
    private(set) var bytes: [UInt8] = []
    /// Whether the entries came in order so far.
    private var isSorted = true

    var count: Int { items.count }
    var byteCount: Int { items.count * MemoryLayout<KeyOrder>.stride + bytes.count }

    mutating func add(_ key: RawSpan, _ value: RawSpan) {
        var item = KeyOrder(key, at: bytes.count)
        item.valueCount = UInt32(value.byteCount)
        bytes.append(key)
        bytes.append(value)
        if isSorted, let last = items.last {
            isSorted = last.precedes(item) ?? !key.precedes(bytes.span.bytes.extracting(Self.keyRange(of: last)))
        }
        items.append(item)
    }

    mutating func sort() {
        guard !isSorted else { return }
        let bytes = bytes
        items.sort { first, second in
            if let precedes = first.precedes(second) { return precedes }
            let span = bytes.span.bytes
            let (left, right) = (span.extracting(Self.keyRange(of: first)), span.extracting(Self.keyRange(of: second)))
            if left.precedes(right) { return true }
            // In the order in which they came.
            return first.start < second.start && left.isEqual(to: right)
        }
        isSorted = true
    }

    func keyRange(at position: Int) -> Range<Int> { Self.keyRange(of: items[position]) }

    func valueRange(at position: Int) -> Range<Int> {
        let item = items[position]
        let start = Int(item.start) + Int(item.keyCount)
        return start..<(start + Int(item.valueCount))
    }

    private static func keyRange(of item: KeyOrder) -> Range<Int> {
        Int(item.start)..<(Int(item.start) + Int(item.keyCount))
    }

    mutating func removeAll() {
        // A single large record must not keep its memory allocated.
        bytes.removeAll(keepingCapacity: bytes.count < 32 << 20)
        items.removeAll(keepingCapacity: true)
        isSorted = true
    }
}
