#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A page of one of LMDB's trees.
///
/// Layout (lmdb 0.9 `mdb.c`, 64-bit): a page begins with number, padding, flags, and the end of the array of 2-byte
/// node offsets that follows (16 bytes); a node with 6 bytes of size or child page, of which a leaf takes the last two
/// for flags, the key's size, and the key. A large value is on overflow pages, the first of which has their number.
package struct TreePage {
    package enum Node {
        /// In a branch: the page below.
        case child(UInt64)
        /// In a leaf: the position of the value in the page.
        case value(Range<Int>)
        /// In a leaf: the head of a table.
        case table(TableHead)
        /// In a leaf: where a large value begins, and its size.
        case overflow(first: UInt64, count: Int)
        /// Not within the page.
        case outside
    }

    package static let headerSize = 16
    static let nodeHeaderSize = 8
    /// LMDB is built with keys of up to so many bytes.
    static let longestKey = 511
    private static let branch: UInt16 = 0x01
    private static let leaf: UInt16 = 0x02
    private static let overflow: UInt16 = 0x04
    private static let meta: UInt16 = 0x08
    static let isOnOverflowPages: UInt16 = 0x01
    static let isTableHead: UInt16 = 0x02
    /// A third flag is of tables whose keys have several values; LMDB would take the value for a page.
    static let nodeFlags: [UInt16] = [0, isOnOverflowPages, isTableHead]

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The page number in the page's header.
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

    /// Whether the nodes fill the page from the end of the free space on, without a gap, as LMDB writes them and assumes when
    /// it adds to a page. A damaged offset may lead into the middle of a node, where a shorter one seems to be.
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
            let flags = isBranch ? 0 : page.littleEndian(at: start + 4, as: UInt16.self)
            guard Self.nodeFlags.contains(flags) else { return false }
            let isLong = flags == Self.isOnOverflowPages
            let value = isBranch ? 0 : isLong ? 8 : Int(page.littleEndian(at: start, as: UInt32.self))
            // Nodes begin at even places.
            let end = start + (Self.nodeHeaderSize + key + value + 1) & ~1
            guard end <= bytes.count else { return false }
            extents.append(start..<end)
        }
        extents.sort { $0.lowerBound < $1.lowerBound }
        let borders = [upper] + extents.map(\.upperBound)
        return borders == extents.map(\.lowerBound) + [bytes.count]
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

/// LMDB's record of a table: its flags, depth, number of pages and entries, and its root page.
///
/// Layout (lmdb 0.9 `mdb.c`, 64-bit): 4 bytes that other kinds of tables use, 2 of flags, 2 of depth, then the numbers of
/// branch, leaf and overflow pages and of entries, and the first page, or all ones for a table without any.
package struct TableHead: Equatable {
    static let byteCount = 48
    package static let noPage = UInt64.max

    var flags: UInt16
    var depth: UInt16 = 0
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    var entries: UInt64 = 0
    package var root = noPage

    init(root: UInt64, flags: UInt16) {
        self.root = root
        self.flags = flags
    }

    init(_ bytes: RawSpan, at offset: Int) {
        flags = bytes.littleEndian(at: offset + 4)
        depth = bytes.littleEndian(at: offset + 6)
        branchPages = bytes.littleEndian(at: offset + 8)
        leafPages = bytes.littleEndian(at: offset + 16)
        overflowPages = bytes.littleEndian(at: offset + 24)
        entries = bytes.littleEndian(at: offset + 32)
        root = bytes.littleEndian(at: offset + 40)
    }
}

/// A data file that is read page by page and not through the map: where the file is truncated, or a page's number is
/// damaged, a read ends early, and the map would end the process.
struct PageFile: ~Copyable {
    private let descriptor: Int32
    let pageSize: Int
    /// The length of the file when it was opened.
    let byteCount: Int

    init(_ file: String, pageSize: Int) throws(KeyValueError) {
        self.pageSize = pageSize
        descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        byteCount = Self.length(of: descriptor)
        guard descriptor >= 0 else { throw .permissionDenied(path: file) }
    }

    /// The same for a file that is open already.
    init(duplicating other: Int32, pageSize: Int) throws(KeyValueError) {
        self.pageSize = pageSize
        descriptor = fcntl(other, F_DUPFD_CLOEXEC, 0)
        byteCount = Self.length(of: descriptor)
        guard descriptor >= 0 else { throw .refused("read the data file", code: errno) }
    }

    private static func length(of descriptor: Int32) -> Int {
        var information = stat()
        return unsafe fstat(descriptor, &information) == 0 ? Int(information.st_size) : 0
    }

    deinit {
        close(descriptor)
    }

    /// So many bytes from the beginning of a page; nil when the file does not have them.
    func bytes(at number: UInt64, count: Int) -> [UInt8]? {
        // A damaged length is compared before it takes memory.
        guard number < UInt64(byteCount / pageSize), count <= byteCount - Int(number) * pageSize else { return nil }
        let offset = off_t(number)
        var bytes = [UInt8](repeating: 0, count: count)
        let length = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, count, offset * off_t(pageSize))
        }
        return length == count ? bytes : nil
    }

    func page(_ number: UInt64) -> TreePage? {
        bytes(at: number, count: pageSize).map(TreePage.init)
    }

    /// A page of a file that may end within it: what is missing is zero.
    func paddedPage(_ number: UInt64) -> TreePage? {
        guard let offset = off_t(exactly: number), offset < off_t.max / off_t(pageSize) else { return nil }
        var bytes = [UInt8](repeating: 0, count: pageSize)
        let length = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, pageSize, offset * off_t(pageSize))
        }
        return length > 0 ? TreePage(bytes: bytes) : nil
    }
}
