/// A page of one of LMDB's trees.
///
/// Layout (lmdb 0.9 `mdb.c`, 64-bit): a page begins with number, padding, flags, and the end of the array of 2-byte node
/// offsets that follows (16 bytes); a node with 6 bytes of size or child page, of which a leaf takes the last two for
/// flags, the key's size, and the key. A value that is large stands on overflow pages, whose first one counts them.
package struct TreePage {
    package enum Node {
        /// In a branch: the page below.
        case child(UInt64)
        /// In a leaf: where the value stands in the page.
        case value(Range<Int>)
        /// In a leaf: the head of a table.
        case table(TableHead)
        /// In a leaf: where a large value begins, and its size.
        case overflow(first: UInt64, count: Int)
        /// Not within the page.
        case outside
    }

    package static let headerSize = 16
    private static let nodeHeaderSize = 8
    private static let branch: UInt16 = 0x01
    private static let leaf: UInt16 = 0x02
    private static let overflow: UInt16 = 0x04
    private static let meta: UInt16 = 0x08
    private static let isOnOverflowPages: UInt16 = 0x01
    private static let isTableHead: UInt16 = 0x02

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The page's number by its own account.
    var number: UInt64 { unsafe bytes.span.bytes.littleEndian(at: 0) }
    /// No other flag is ever written: one that LMDB uses in memory alone would have it change a page in place.
    package var isTree: Bool { flags == Self.branch || flags == Self.leaf }
    package var isBranch: Bool { flags & Self.branch != 0 }
    package var isMeta: Bool { flags == Self.meta }
    /// How many pages a large value has, on the first of them; nil for other pages.
    package var overflowPageCount: Int? {
        flags == Self.overflow ? unsafe Int(bytes.span.bytes.littleEndian(at: 12, as: UInt32.self)) : nil
    }
    private var flags: UInt16 { unsafe bytes.span.bytes.littleEndian(at: 10) }

    /// Whether nodes and free space lie side by side, as LMDB takes for granted when it adds to a page.
    package var hasValidLayout: Bool {
        let page = unsafe bytes.span.bytes
        let lower = Int(page.littleEndian(at: 12, as: UInt16.self))
        let upper = Int(page.littleEndian(at: 14, as: UInt16.self))
        guard lower >= Self.headerSize, lower % 2 == 0, lower <= upper, upper <= bytes.count else { return false }
        var extents: [Range<Int>] = []
        for slot in stride(from: Self.headerSize, to: lower, by: 2) {
            let start = Int(page.littleEndian(at: slot, as: UInt16.self))
            guard start >= upper, start + Self.nodeHeaderSize <= bytes.count else { return false }
            let key = Int(page.littleEndian(at: start + 6, as: UInt16.self))
            let isLong = page.littleEndian(at: start + 4, as: UInt16.self) & Self.isOnOverflowPages != 0
            let value = isBranch ? 0 : isLong ? 8 : Int(page.littleEndian(at: start, as: UInt32.self))
            // Nodes begin at even places.
            let end = start + (Self.nodeHeaderSize + key + value + 1) & ~1
            guard end <= bytes.count else { return false }
            extents.append(start..<end)
        }
        extents.sort { $0.lowerBound < $1.lowerBound }
        return zip(extents, extents.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    }

    package func forEachNode(_ body: (Node) -> Void) {
        let page = unsafe bytes.span.bytes
        let end = min(Int(page.littleEndian(at: 12, as: UInt16.self)), bytes.count)
        guard end > Self.headerSize, isTree else { return }
        for slot in stride(from: Self.headerSize, to: end - 1, by: 2) {
            body(node(at: Int(page.littleEndian(at: slot, as: UInt16.self)), in: page))
        }
    }

    /// The numbers that the keys of a leaf are, in a table whose keys are numbers of the machine: the free list.
    var numericKeys: [UInt64] {
        let page = unsafe bytes.span.bytes
        let end = min(Int(page.littleEndian(at: 12, as: UInt16.self)), bytes.count)
        guard end > Self.headerSize, isTree, !isBranch else { return [] }
        return stride(from: Self.headerSize, to: end - 1, by: 2).compactMap { slot in
            let start = Int(page.littleEndian(at: slot, as: UInt16.self)) + Self.nodeHeaderSize
            return start + 8 <= bytes.count ? page.littleEndian(at: start, as: UInt64.self) : nil
        }
    }

    private func node(at offset: Int, in page: RawSpan) -> Node {
        guard offset + Self.nodeHeaderSize <= bytes.count else { return .outside }
        let low: UInt32 = page.littleEndian(at: offset)
        let high: UInt16 = page.littleEndian(at: offset + 4)
        if isBranch { return .child(UInt64(low) | UInt64(high) << 32) }
        let start = offset + Self.nodeHeaderSize + Int(page.littleEndian(at: offset + 6, as: UInt16.self))
        let count = high & Self.isOnOverflowPages != 0 ? 8 : Int(low)
        guard start + count <= bytes.count else { return .outside }
        if high & Self.isOnOverflowPages != 0 { return .overflow(first: page.littleEndian(at: start), count: Int(low)) }
        guard high & Self.isTableHead != 0, count == TableHead.byteCount else { return .value(start..<(start + count)) }
        return .table(TableHead(page, at: start))
    }
}
