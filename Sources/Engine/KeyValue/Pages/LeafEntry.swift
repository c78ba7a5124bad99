/// An entry on a page, as far as its own bytes are possible: that they were ever written as one shows only in its checksum.
struct LeafEntry {
    enum Value {
        /// The position of the value in the page.
        case within(Range<Int>)
        /// Where a large value begins, and its size.
        case overflow(first: UInt64, count: Int)
        case table(TableHead)
    }

    let key: Range<Int>
    let value: Value
    /// Whether the page's list of entries has it. Others were removed from the page, or their place in the list is damaged.
    var isListed = true

    /// All of its bytes on the page.
    var range: Range<Int> {
        switch value {
        case .within(let value): (key.lowerBound - TreePage.nodeHeaderSize)..<value.upperBound
        case .overflow: (key.lowerBound - TreePage.nodeHeaderSize)..<(key.upperBound + 8)
        case .table: (key.lowerBound - TreePage.nodeHeaderSize)..<(key.upperBound + TableHead.byteCount)
        }
    }
}

extension TreePage {
    /// The entries of a leaf in the order of its list; of a page that is not as LMDB writes it, those of its list that are possible,
    /// and every other one that could begin at any place between them, so that a damaged offset or length hides no entry but
    /// its own. The unused part of a page has former versions of entries, so what is not in the list may be outdated.
    ///
    /// - Parameter isSound: whether it is a leaf as LMDB writes it.
    func leafEntries(isSound: Bool) -> [LeafEntry] {
        if isSound { return nodeOffsets.compactMap(leafEntry) }
        let listed = likelyOffsets.compactMap(leafEntry)
        let taken = listed.map(\.range)
        // Nodes begin at even places.
        let others = stride(from: Self.headerSize, to: bytes.count - Self.nodeHeaderSize, by: 2).compactMap(leafEntry)
            .filter { other in !taken.contains { $0.contains(other.key.lowerBound - Self.nodeHeaderSize) } }
        return listed + others.map { LeafEntry(key: $0.key, value: $0.value, isListed: false) }
    }

    /// The list of entries of a damaged page: as long as its header says, or else as long as the keys ascend.
    private var likelyOffsets: [Int] {
        let page = unsafe bytes.span.bytes
        let lower = Int(page.littleEndian(at: 12, as: UInt16.self))
        let upper = Int(page.littleEndian(at: 14, as: UInt16.self))
        if lower > Self.headerSize, lower % 2 == 0, upper % 2 == 0, lower <= upper, upper < bytes.count {
            return nodeOffsets.filter { $0 >= upper && $0 % 2 == 0 }
        }
        var offsets: [Int] = []
        var last: ArraySlice<UInt8> = []
        for slot in stride(from: Self.headerSize, to: bytes.count - 1, by: 2) {
            let offset = Int(page.littleEndian(at: slot, as: UInt16.self))
            guard offset % 2 == 0, offset > slot, let entry = leafEntry(at: offset),
                last.lexicographicallyPrecedes(bytes[entry.key])
            else { break }
            last = bytes[entry.key]
            offsets.append(offset)
        }
        return offsets
    }

    /// Whether it is a leaf as LMDB writes it.
    var isSoundLeaf: Bool { isTree && !isBranch && hasValidLayout }

    /// The keys of a sound branch, each with the page below that begins with it; the first key is empty.
    var branches: [(key: Range<Int>, child: UInt64)] {
        let page = unsafe bytes.span.bytes
        return nodeOffsets.compactMap { offset in
            guard let key = keyRange(at: offset) else { return nil }
            let low: UInt32 = page.littleEndian(at: offset)
            let high: UInt16 = page.littleEndian(at: offset + 4)
            return (key, UInt64(low) | UInt64(high) << 32)
        }
    }

    private var nodeOffsets: [Int] {
        let page = unsafe bytes.span.bytes
        let end = min(Int(page.littleEndian(at: 12, as: UInt16.self)), bytes.count)
        guard end > Self.headerSize else { return [] }
        return stride(from: Self.headerSize, to: end - 1, by: 2).map { Int(page.littleEndian(at: $0, as: UInt16.self)) }
    }

    private func keyRange(at offset: Int) -> Range<Int>? {
        guard offset + Self.nodeHeaderSize <= bytes.count else { return nil }
        let start = offset + Self.nodeHeaderSize
        let end = unsafe start + Int(bytes.span.bytes.littleEndian(at: offset + 6, as: UInt16.self))
        return end <= bytes.count ? start..<end : nil
    }

    private func leafEntry(at offset: Int) -> LeafEntry? {
        guard let key = keyRange(at: offset), 1...Self.longestKey ~= key.count else { return nil }
        let page = unsafe bytes.span.bytes
        let count = Int(page.littleEndian(at: offset, as: UInt32.self))
        let flags: UInt16 = page.littleEndian(at: offset + 4)
        let isLong = flags == Self.isOnOverflowPages
        let end = key.upperBound + (isLong ? 8 : count)
        guard Self.nodeFlags.contains(flags), end <= bytes.count else { return nil }
        if isLong {
            return LeafEntry(key: key, value: .overflow(first: page.littleEndian(at: key.upperBound), count: count))
        }
        guard flags == Self.isTableHead else { return LeafEntry(key: key, value: .within(key.upperBound..<end)) }
        guard count == TableHead.byteCount else { return nil }
        return LeafEntry(key: key, value: .table(TableHead(page, at: key.upperBound)))
    }
}

extension [LeafEntry] {
    /// Whether there are entries, and all of them are tables.
    var areTables: Bool {
        !isEmpty && allSatisfy { if case .table = $0.value { true } else { false } }
    }
}
