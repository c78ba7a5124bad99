#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A page of one of LMDB's trees, in memory.
package struct TreePage: PageBytes {
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

    package static let headerSize = PageFormat.headerSize

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var byteCount: Int { bytes.count }

    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
        unsafe bytes.span.bytes.littleEndian(at: offset)
    }

    /// No other flag is ever written: one that LMDB uses in memory alone would have it change a page in place.
    package var isTree: Bool { pageFlags == PageFormat.branch || pageFlags == PageFormat.leaf }
    package var isBranch: Bool { pageFlags & PageFormat.branch != 0 }
    package var isMeta: Bool { pageFlags == PageFormat.meta }
    /// How many pages a large value has, on the first of them; nil for other pages.
    package var overflowPageCount: Int? { pageFlags == PageFormat.overflow ? Int(statedOverflowPages) : nil }

    /// Whether the nodes fill the page as LMDB writes them: see `hasValidNodes(isBranch:)`.
    package var hasValidLayout: Bool { hasValidNodes(isBranch: isBranch) }

    package func forEachNode(_ body: (Node) -> Void) { nodes.forEach(body) }

    var nodes: [Node] { isTree ? nodeOffsets.map(node) : [] }

    /// The numbers that the keys of a leaf are, in a table whose keys are numbers of the machine: the free list.
    var numericKeys: [UInt64] {
        guard isTree, !isBranch else { return [] }
        return nodeOffsets.map { $0 + PageFormat.nodeHeaderSize }.compactMap { key in
            key + 8 <= bytes.count ? load(key, as: UInt64.self) : nil
        }
    }

    /// Where the nodes begin, as far as their offsets are within the page.
    var nodeOffsets: [Int] {
        let end = min(lower, bytes.count)
        guard end > Self.headerSize else { return [] }
        return (0..<(end - Self.headerSize) / 2).map(nodeStart)
    }

    private func node(at start: Int) -> Node {
        guard hasNode(at: start) else { return .outside }
        if isBranch { return .child(child(at: start)) }
        let value = keyRange(at: start).upperBound
        let (flags, count) = (nodeFlags(at: start), valueCount(at: start))
        let isLong = flags & PageFormat.isOnOverflowPages != 0
        guard value + (isLong ? 8 : count) <= bytes.count else { return .outside }
        if isLong { return .overflow(first: load(value, as: UInt64.self), count: count) }
        guard flags & PageFormat.isTableHead != 0, count == TableHead.byteCount else {
            return .value(value..<(value + count))
        }
        return .table(unsafe TableHead(bytes.span.bytes, at: value))
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

    var pageCount: UInt64 { branchPages &+ leafPages &+ overflowPages }

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
        let code = errno
        byteCount = Self.length(of: descriptor)
        guard descriptor >= 0 else { throw .refused("open the data file", on: file, code: code) }
    }

    /// Opens the pages of a file that is open already.
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
        // A damaged length is compared before it takes memory. The last page may be cut short.
        guard number <= UInt64(byteCount / pageSize), count <= byteCount - Int(number) * pageSize else { return nil }
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
