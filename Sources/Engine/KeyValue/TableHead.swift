/// What LMDB notes of a table: how many pages and entries it has, and where it begins.
///
/// Layout (lmdb 0.9 `mdb.c`, 64-bit): 8 bytes of flags and depth, then the numbers of branch, leaf and overflow pages and
/// of entries, and the first page, or all ones for a table without any.
package struct TableHead: Equatable {
    static let byteCount = 48
    package static let noPage = UInt64.max

    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    var entries: UInt64 = 0
    package var root = noPage

    init(root: UInt64) {
        self.root = root
    }

    init(_ bytes: RawSpan, at offset: Int) {
        branchPages = bytes.littleEndian(at: offset + 8)
        leafPages = bytes.littleEndian(at: offset + 16)
        overflowPages = bytes.littleEndian(at: offset + 24)
        entries = bytes.littleEndian(at: offset + 32)
        root = bytes.littleEndian(at: offset + 40)
    }
}
