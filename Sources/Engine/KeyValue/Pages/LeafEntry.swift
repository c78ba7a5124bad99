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
}

extension TreePage {
    /// The entries of a leaf in the order of its offsets; for a page that is not as LMDB writes it, every one that could begin
    /// at any place of it, so that a damaged offset or length hides no entry but its own.
    var leafEntries: [LeafEntry] {
        hasValidLayout && isTree && !isBranch
            ? nodeOffsets.compactMap(leafEntry)
            // Nodes begin at even places.
            : stride(from: Self.headerSize, to: bytes.count - Self.nodeHeaderSize, by: 2).compactMap(leafEntry)
    }

    /// Whether it is a sound leaf that has nothing but tables on it.
    var isListOfTables: Bool {
        guard isTree, !isBranch, hasValidLayout else { return false }
        let entries = leafEntries
        return !entries.isEmpty && entries.allSatisfy { if case .table = $0.value { true } else { false } }
    }

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
        if isLong { return LeafEntry(key: key, value: .overflow(first: page.littleEndian(at: key.upperBound), count: count)) }
        guard flags == Self.isTableHead else { return LeafEntry(key: key, value: .within(key.upperBound..<end)) }
        guard count == TableHead.byteCount else { return nil }
        return LeafEntry(key: key, value: .table(TableHead(page, at: key.upperBound)))
    }
}
