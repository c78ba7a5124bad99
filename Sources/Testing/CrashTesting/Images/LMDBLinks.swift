import KeyValue

/// The pages that a branch or leaf page of an LMDB data file names.
///
/// Layout: the end of the array of 2-byte node offsets is at 12, the array at 16. A node of a branch begins with 6 bytes
/// of page number; one of a leaf with 4 bytes of size and 2 of flags, 2 of the key's size, the key, the value. The flags
/// say whether the value is the number of an overflow page instead, or the record of a table, 48 bytes that end in its
/// root.
struct LMDBLinks: Sendable {
    /// A value on overflow pages.
    struct Run: Sendable {
        let first: Int
        let byteCount: Int
    }

    /// The roots of trees.
    private(set) var trees: [Int] = []
    private(set) var runs: [Run] = []

    static let tableRecordSize = 48
    private static let nodeHeaderSize = 8
    private static let isOverflow: UInt16 = 0x01
    private static let isTable: UInt16 = 0x02

    /// Nil when the page cannot be one.
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

    /// Nil for a table without entries.
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
