/// The bytes of one of LMDB's pages, in memory or in the map, and what they mean: the one place that decodes them.
///
/// Layout (lmdb 0.9 `mdb.c`, 64-bit): a page begins with number, padding, flags, and the ends of the array of 2-byte node
/// offsets that follows and of the free space behind it (16 bytes); a node with 6 bytes of size or child page, of which a
/// leaf takes the last two for flags, the key's size, and the key. A large value is on overflow pages, the first of which
/// has their number.
///
/// A damaged page states any number. So whoever takes an offset from it asks `hasNode(at:)` before using what is there, and
/// compares the end of a range with `byteCount`. Ranges are offsets in the page.
protocol PageBytes {
    /// The size of a page.
    var byteCount: Int { get }

    /// A little-endian integer at an offset within the page, which need not be aligned.
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value
}

/// The numbers of LMDB's format.
enum PageFormat {
    static let headerSize = 16
    static let nodeHeaderSize = 8
    /// LMDB is built with keys of up to so many bytes.
    static let longestKey = 511
    /// With the byte that makes its size even, and its offset.
    static let longestBranchNode = nodeHeaderSize + longestKey + 3
    /// A tree's levels at most. LMDB's cursors have room for as many.
    static let depthLimit = 32

    static let branch: UInt16 = 0x01
    static let leaf: UInt16 = 0x02
    static let overflow: UInt16 = 0x04
    static let meta: UInt16 = 0x08

    static let isOnOverflowPages: UInt16 = 0x01
    static let isTableHead: UInt16 = 0x02

    /// Whether LMDB writes such flags of a leaf's node. A third one is of tables whose keys have several values; LMDB would
    /// take the value for a page.
    static func isNodeFlags(_ flags: UInt16) -> Bool { flags <= isTableHead }

    /// Whether LMDB writes such flags of a page.
    static func isPageFlags(_ flags: UInt16) -> Bool { [branch, leaf, overflow, meta].contains(flags) }

    /// How many overflow pages a value takes.
    static func overflowPages(holding count: Int, pageSize: Int) -> Int { (headerSize - 1 + count) / pageSize + 1 }
}

extension PageBytes {
    // MARK: The header

    var number: UInt64 { load(0, as: UInt64.self) }
    var pageFlags: UInt16 { load(10, as: UInt16.self) }
    /// The end of the array of node offsets.
    var lower: Int { Int(load(12, as: UInt16.self)) }
    /// The end of the free space.
    var upper: Int { Int(load(14, as: UInt16.self)) }
    /// The number of overflow pages, in place of the two ends.
    var statedOverflowPages: UInt32 { load(12, as: UInt32.self) }

    // MARK: Nodes

    /// Where a node begins, of those whose offsets are within the page.
    @inline(__always)
    func nodeStart(_ index: Int) -> Int { Int(load(PageFormat.headerSize + 2 * index, as: UInt16.self)) }

    /// Whether a node that begins there has its sizes within the page.
    @inline(__always)
    func hasNode(at start: Int) -> Bool { start + PageFormat.nodeHeaderSize <= byteCount }

    /// The key of a node.
    @inline(__always)
    func keyRange(at start: Int) -> Range<Int> {
        let key = start + PageFormat.nodeHeaderSize
        return key..<key + Int(load(start + 6, as: UInt16.self))
    }

    /// The page below a node of a branch.
    @inline(__always)
    func child(at start: Int) -> UInt64 {
        UInt64(load(start, as: UInt32.self)) | UInt64(nodeFlags(at: start)) << 32
    }

    @inline(__always)
    func nodeFlags(at start: Int) -> UInt16 { load(start + 4, as: UInt16.self) }

    /// How many bytes the value of a leaf's node has.
    @inline(__always)
    func valueCount(at start: Int) -> Int { Int(load(start, as: UInt32.self)) }

    /// The end of a node and the byte that makes it even.
    private func nodeEnd(at start: Int, isBranch: Bool) -> Int? {
        let flags = isBranch ? 0 : nodeFlags(at: start)
        guard PageFormat.isNodeFlags(flags) else { return nil }
        let value = isBranch ? 0 : flags == PageFormat.isOnOverflowPages ? 8 : valueCount(at: start)
        let end = (keyRange(at: start).upperBound + value + 1) & ~1
        return end <= byteCount ? end : nil
    }

    // MARK: Layout

    /// Whether the nodes fill the page from the end of the free space on, without a gap, as LMDB writes them and assumes when
    /// it adds to a page. A damaged offset may lead into the middle of a node, where a shorter one seems to be.
    ///
    /// Cost: one pass over the nodes. Every place at which one begins, the end of the page included, has to be the place
    /// at which exactly one ends, the end of the free space included: then there is neither gap nor overlap.
    func hasValidNodes(isBranch: Bool) -> Bool {
        let (lower, upper) = (lower, upper)
        guard lower >= PageFormat.headerSize, lower % 2 == 0, upper % 2 == 0, lower <= upper, upper <= byteCount else {
            return false
        }
        let words = byteCount / 128 + 1
        return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * words) { memory in
            var places = unsafe PlaceSet(memory, wordCount: words)
            places.toggleEnd(at: upper)
            places.toggleEnd(at: byteCount)
            for index in 0..<(lower - PageFormat.headerSize) / 2 {
                let start = nodeStart(index)
                guard start >= upper, start % 2 == 0, hasNode(at: start), places.addStart(at: start),
                    let end = nodeEnd(at: start, isBranch: isBranch)
                else { return false }
                places.toggleEnd(at: start)
                places.toggleEnd(at: end)
            }
            return places.endsMatch
        }
    }
}

/// Places on a page: where nodes begin, and those at which an odd number of them begins or ends.
@safe private struct PlaceSet: ~Copyable {
    private let words: UnsafeMutableBufferPointer<UInt64>
    private let wordCount: Int

    init(_ memory: UnsafeMutableBufferPointer<UInt64>, wordCount: Int) {
        unsafe memory.initialize(repeating: 0)
        unsafe words = memory
        self.wordCount = wordCount
    }

    /// False if another node begins there.
    mutating func addStart(at place: Int) -> Bool {
        let (word, bit) = (wordCount + place / 128, UInt64(1) << UInt64(place / 2 % 64))
        guard unsafe words[word] & bit == 0 else { return false }
        unsafe words[word] |= bit
        return true
    }

    mutating func toggleEnd(at place: Int) {
        unsafe words[place / 128] ^= UInt64(1) << UInt64(place / 2 % 64)
    }

    var endsMatch: Bool {
        for word in 0..<wordCount where unsafe words[word] != 0 { return false }
        return true
    }
}
