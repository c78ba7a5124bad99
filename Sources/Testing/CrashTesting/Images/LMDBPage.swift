import KeyValue

/// A page of an LMDB data file, as far as it refers to other pages.
///
/// Layout (lmdb 0.9 `mdb.c`, 64-bit): number, padding, flags at 10. The first page of an overflow run has the number of
/// its pages at 12. A meta page continues at 16 with magic, version, address and map size, then the records of the free
/// list (which begins with the page size) and of the main table, last page and transaction.
final class LMDBPage: Sendable {
    enum Kind: Sendable {
        case meta(roots: [Int], lastPage: Int, transaction: UInt64)
        case tree(LMDBLinks)
        case overflow(pages: Int)
        case other
    }

    static let headerSize = 16

    let kind: Kind

    init(_ bytes: RawSpan) {
        // Leaves without nodes and sub-pages belong to features that are not used here.
        switch bytes.littleEndian(at: 10, as: UInt16.self) {
        case 0x01: kind = LMDBLinks(branch: bytes).map(Kind.tree) ?? .other
        case 0x02: kind = LMDBLinks(leaf: bytes).map(Kind.tree) ?? .other
        case 0x04: kind = .overflow(pages: Int(bytes.littleEndian(at: 12, as: UInt32.self)))
        case 0x08: kind = Self.meta(bytes)
        default: kind = .other
        }
    }

    private static func meta(_ bytes: RawSpan) -> Kind {
        let freeList = headerSize + 24
        let mainTable = freeList + LMDBLinks.tableRecordSize
        let end = mainTable + LMDBLinks.tableRecordSize
        guard bytes.littleEndian(at: headerSize, as: UInt32.self) == 0xBEEF_C0DE,
            bytes.littleEndian(at: freeList, as: UInt32.self) == UInt32(Page.size),
            let lastPage = LMDBLinks.pageNumber(bytes, at: end)
        else { return .other }
        let roots = [freeList, mainTable].compactMap { LMDBLinks.root(ofTableRecord: bytes, at: $0) }
        return .meta(roots: roots, lastPage: lastPage, transaction: bytes.littleEndian(at: end + 8))
    }
}

/// The page references of a branch or leaf page.
///
/// Layout: the end of the array of 2-byte node offsets is at 12, the array at 16. A node of a branch begins with 6
/// bytes of page number; one of a leaf with 4 bytes of size, 2 of flags, 2 of key size, then key and value. The flags
/// tell whether the value is the number of an overflow page, or the 48-byte record of a table, which ends in its root.
struct LMDBLinks: Sendable {
    /// A value on overflow pages.
    struct Run: Sendable {
        let first: Int
        let byteCount: Int
    }

    /// The roots of subtrees.
    private(set) var trees: [Int] = []
    private(set) var runs: [Run] = []

    static let tableRecordSize = 48
    private static let nodeHeaderSize = 8
    private static let isOverflow: UInt16 = 0x01
    private static let isTable: UInt16 = 0x02

    /// Returns nil if the page is invalid.
    init?(branch bytes: RawSpan) {
        guard let nodes = Self.nodes(of: bytes) else { return nil }
        for node in nodes {
            let low = bytes.littleEndian(at: node, as: UInt32.self)
            let high = bytes.littleEndian(at: node + 4, as: UInt16.self)
            trees.append(Int(low) | Int(high) << 32)
        }
    }

    init?(leaf bytes: RawSpan) {
        guard let nodes = Self.nodes(of: bytes) else { return nil }
        for node in nodes {
            let flags = bytes.littleEndian(at: node + 4, as: UInt16.self)
            guard flags & (Self.isOverflow | Self.isTable) != 0 else { continue }
            let byteCount = Int(bytes.littleEndian(at: node, as: UInt32.self))
            let value = node + Self.nodeHeaderSize + Int(bytes.littleEndian(at: node + 6, as: UInt16.self))
            if flags & Self.isOverflow != 0 {
                guard value + 8 <= bytes.byteCount, let first = Self.pageNumber(bytes, at: value) else { return nil }
                runs.append(Run(first: first, byteCount: byteCount))
            } else {
                guard byteCount == Self.tableRecordSize, value + byteCount <= bytes.byteCount else { return nil }
                if let root = Self.root(ofTableRecord: bytes, at: value) { trees.append(root) }
            }
        }
    }

    /// Returns nil for an empty table.
    static func root(ofTableRecord bytes: RawSpan, at offset: Int) -> Int? {
        pageNumber(bytes, at: offset + tableRecordSize - 8)
    }

    static func pageNumber(_ bytes: RawSpan, at offset: Int) -> Int? {
        Int(exactly: bytes.littleEndian(at: offset, as: UInt64.self))
    }

    private static func nodes(of bytes: RawSpan) -> [Int]? {
        let end = Int(bytes.littleEndian(at: 12, as: UInt16.self))
        guard end >= LMDBPage.headerSize, end <= bytes.byteCount, end % 2 == 0 else { return nil }
        var nodes: [Int] = []
        for slot in stride(from: LMDBPage.headerSize, to: end, by: 2) {
            let node = Int(bytes.littleEndian(at: slot, as: UInt16.self))
            guard node >= end, node + nodeHeaderSize <= bytes.byteCount else { return nil }
            nodes.append(node)
        }
        return nodes
    }
}
