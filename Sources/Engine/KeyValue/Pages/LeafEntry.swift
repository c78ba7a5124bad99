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
        case .within(let value): (key.lowerBound - PageFormat.nodeHeaderSize)..<value.upperBound
        case .overflow: (key.lowerBound - PageFormat.nodeHeaderSize)..<(key.upperBound + 8)
        case .table: (key.lowerBound - PageFormat.nodeHeaderSize)..<(key.upperBound + TableHead.byteCount)
        }
    }
}

extension TreePage {
    /// The entries of a leaf in the order of its list; of a page that is not as LMDB writes it, those of its list that are possible,
    /// and every other one that could begin at any place between them, so that a damaged offset or length hides no entry but
    /// its own. The unused part of a page has former versions of entries, so what is not in the list may be outdated.
    ///
    /// - Parameter isValid: whether it is a leaf as LMDB writes it.
    func leafEntries(isValid: Bool) -> [LeafEntry] {
        if isValid { return nodeOffsets.compactMap(leafEntry) }
        let listed = likelyOffsets.compactMap(leafEntry)
        let taken = listed.map(\.range)
        // Nodes begin at even places.
        let others = stride(from: Self.headerSize, to: bytes.count - PageFormat.nodeHeaderSize, by: 2).compactMap(
            leafEntry
        )
        .filter { other in !taken.contains { $0.contains(other.key.lowerBound - PageFormat.nodeHeaderSize) } }
        return listed + others.map { LeafEntry(key: $0.key, value: $0.value, isListed: false) }
    }

    /// The list of entries of a damaged page: as long as its header says, or else as long as the keys ascend.
    private var likelyOffsets: [Int] {
        let (lower, upper) = (lower, upper)
        if lower > Self.headerSize, lower % 2 == 0, upper % 2 == 0, lower <= upper, upper < bytes.count {
            return nodeOffsets.filter { $0 >= upper && $0 % 2 == 0 }
        }
        var offsets: [Int] = []
        var last: ArraySlice<UInt8> = []
        for slot in stride(from: Self.headerSize, to: bytes.count - 1, by: 2) {
            let offset = Int(load(slot, as: UInt16.self))
            guard offset % 2 == 0, offset > slot, let entry = leafEntry(at: offset),
                last.lexicographicallyPrecedes(bytes[entry.key])
            else { break }
            last = bytes[entry.key]
            offsets.append(offset)
        }
        return offsets
    }

    /// Whether it is a leaf as LMDB writes it.
    var isValidLeaf: Bool { isTree && !isBranch && hasValidLayout }

    /// The keys of a valid branch, each with the page below that begins with it; the first key is empty.
    var branches: [(key: Range<Int>, child: UInt64)] { nodeOffsets.map { (keyRange(at: $0), child(at: $0)) } }

    private func leafEntry(at start: Int) -> LeafEntry? {
        guard hasNode(at: start) else { return nil }
        let key = keyRange(at: start)
        let (flags, count) = (nodeFlags(at: start), valueCount(at: start))
        let isLong = flags == PageFormat.isOnOverflowPages
        let end = key.upperBound + (isLong ? 8 : count)
        guard 1...PageFormat.longestKey ~= key.count, PageFormat.isNodeFlags(flags), end <= bytes.count else {
            return nil
        }
        if isLong {
            return LeafEntry(key: key, value: .overflow(first: load(key.upperBound, as: UInt64.self), count: count))
        }
        guard flags == PageFormat.isTableHead else { return LeafEntry(key: key, value: .within(key.upperBound..<end)) }
        guard count == TableHead.byteCount else { return nil }
        return LeafEntry(key: key, value: .table(unsafe TableHead(bytes.span.bytes, at: key.upperBound)))
    }
}

extension [LeafEntry] {
    /// Whether there are entries, and all of them are tables.
    var areTables: Bool {
        !isEmpty && allSatisfy { if case .table = $0.value { true } else { false } }
    }
}
