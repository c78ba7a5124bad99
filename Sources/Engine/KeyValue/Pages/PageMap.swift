/// The pages of LMDB's map as one read transaction sees them. Nothing on a page is used before it was checked: numbers of
/// pages against the length of the file, places and lengths against the page. So no byte of a file ends the process.
///
/// Positions are offsets in the map. Each number is loaded once and used as it was checked: where a damaged free list
/// makes a writer overwrite pages that are being read, the bytes may change in between.
@safe struct PageMap: @unchecked Sendable {  // it is as fixed as the map, which the gate guards
    /// Where LMDB has mapped the file.
    let base: UnsafeRawPointer
    let pageSize: Int
    private let pageShift: Int
    /// How many pages both the file and the transaction's state have. Beyond them the map has no bytes.
    let pageCount: UInt64
    let leftOut: PageChecks

    /// - Parameter pageSize: a power of two.
    init(base: UnsafeRawPointer, pageSize: Int, pageCount: UInt64, leavingOut leftOut: PageChecks) {
        unsafe self.base = base
        self.pageSize = pageSize
        pageShift = pageSize.trailingZeroBitCount
        self.pageCount = pageCount
        self.leftOut = leftOut
    }

    /// A map without a page.
    static let none = unsafe PageMap(
        base: UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8), pageSize: 4096, pageCount: 0, leavingOut: []
    )

    /// A page of a tree whose header was checked.
    struct Page {
        let offset: Int
        let nodeCount: Int
        let isBranch: Bool
    }

    /// Some bytes of the map.
    struct Extent {
        var offset: Int
        var count: Int
    }

    /// A node of a leaf.
    struct Entry {
        var key: Extent
        var value: Extent
        /// Whether the value is on overflow pages, whose header has not been checked: see `readableCount(ofLong:)`.
        var isLong = false
    }

    // MARK: Pages

    /// Checks the header of a page of a tree.
    @inline(__always)
    func page(_ number: UInt64) throws(PageDamage) -> Page {
        guard number < pageCount || isLeftOut(.file) else { throw PageDamage(number, .notInFile) }
        let offset = Int(truncatingIfNeeded: number << UInt64(pageShift))
        let bytes = bytes(at: offset)
        let stated = bytes.number
        guard stated == number || isLeftOut(.number) else { throw PageDamage(number, .hasNumber(stated)) }
        let flags = bytes.pageFlags
        // LMDB writes no other flags.
        guard flags == PageFormat.branch || flags == PageFormat.leaf else { throw PageDamage(number, .wrongType) }
        let end = bytes.lower
        guard end > PageFormat.headerSize, end <= pageSize, end & 1 == 0 else {
            throw PageDamage(number, .invalidLayout)
        }
        return Page(
            offset: offset, nodeCount: (end - PageFormat.headerSize) >> 1, isBranch: flags == PageFormat.branch)
    }

    /// The page below a node of a branch.
    @inline(__always)
    func child(_ index: Int, of page: Int) throws(PageDamage) -> UInt64 {
        let bytes = bytes(at: page)
        let start = bytes.nodeStart(index)
        guard bytes.hasNode(at: start) || isLeftOut(.bounds) else { throw invalidLayout(page) }
        return bytes.child(at: start)
    }

    /// The key of a node.
    @inline(__always)
    func key(_ index: Int, of page: Int) throws(PageDamage) -> Extent {
        let bytes = bytes(at: page)
        let start = bytes.nodeStart(index)
        guard bytes.hasNode(at: start) || isLeftOut(.bounds) else { throw invalidLayout(page) }
        let key = bytes.keyRange(at: start)
        guard key.upperBound <= pageSize || isLeftOut(.bounds) else { throw invalidLayout(page) }
        return Extent(offset: page + key.lowerBound, count: key.count)
    }

    /// A node of a leaf. One that is not within its page has an empty key and an empty value; a value that is not has no
    /// bytes, which fail their checksum: so a walk passes it and finds the entries behind it.
    @inline(__always)
    func entry(_ index: Int, of page: Int) -> Entry {
        let bytes = bytes(at: page)
        let start = bytes.nodeStart(index)
        guard bytes.hasNode(at: start) || isLeftOut(.bounds) else { return noEntry(on: page) }
        let key = bytes.keyRange(at: start)
        guard key.upperBound <= pageSize || isLeftOut(.bounds) else { return noEntry(on: page) }
        let extent = Extent(offset: page + key.lowerBound, count: key.count)
        let count = bytes.valueCount(at: start)
        let place = page + key.upperBound
        if bytes.nodeFlags(at: start) & PageFormat.isOnOverflowPages != 0 {
            return longEntry(extent, count, at: place, end: page + pageSize)
        }
        let isWithin = key.upperBound + count <= pageSize || isLeftOut(.values)
        return Entry(key: extent, value: Extent(offset: place, count: isWithin ? count : 0))
    }

    /// Whether a node of a leaf, which is within its page, is marked as a table.
    func isTableHead(_ index: Int, of page: Int) -> Bool {
        let bytes = bytes(at: page)
        let start = bytes.nodeStart(index)
        return bytes.hasNode(at: start) && bytes.nodeFlags(at: start) == PageFormat.isTableHead
    }

    private func noEntry(on page: Int) -> Entry {
        let nothing = Extent(offset: page + PageFormat.headerSize, count: 0)
        return Entry(key: nothing, value: nothing)
    }

    /// An entry whose value begins behind the header of an overflow page, the number of which is in its place.
    private func longEntry(_ key: Extent, _ count: Int, at place: Int, end: Int) -> Entry {
        guard place + 8 <= end || isLeftOut(.bounds) else {
            return Entry(key: key, value: Extent(offset: place, count: 0))
        }
        let first = bytes(at: place).load(0, as: UInt64.self)
        let pages = neededPages(count)
        guard first < pageCount && pages <= pageCount - first || isLeftOut(.values) else {
            return Entry(key: key, value: Extent(offset: place, count: 0))
        }
        let offset = Int(truncatingIfNeeded: first << UInt64(pageShift)) &+ PageFormat.headerSize
        return Entry(key: key, value: Extent(offset: offset, count: count), isLong: true)
    }

    /// How many bytes of a value on overflow pages can be read: none when their header is not that of such pages.
    func readableCount(ofLong value: Extent) -> Int {
        let header = value.offset - PageFormat.headerSize
        let bytes = bytes(at: header)
        // LMDB keeps more pages than needed when a value is replaced twice in a transaction.
        let isOverflow =
            bytes.number == UInt64(header >> pageShift) && bytes.pageFlags == PageFormat.overflow
            && UInt64(bytes.statedOverflowPages) >= neededPages(value.count)
        return isOverflow ? value.count : 0
    }

    private func neededPages(_ count: Int) -> UInt64 {
        UInt64(PageFormat.overflowPages(holding: count, pageSize: pageSize))
    }

    // MARK: Bytes

    @inline(__always)
    func bytes(at offset: Int) -> MappedPage { unsafe MappedPage(start: base + offset, byteCount: pageSize) }

    /// The first byte of an extent.
    @inline(__always)
    func pointer(_ extent: Extent) -> UnsafeMutableRawPointer {
        // LMDB's own type for bytes is mutable; nothing writes through it.
        unsafe UnsafeMutableRawPointer(mutating: base + extent.offset)
    }

    /// Passes the bytes of an extent to a closure.
    func withBytes<Result>(_ extent: Extent, _ body: (RawSpan) throws -> Result) rethrows -> Result {
        try unsafe body(RawSpan(_unsafeStart: base + extent.offset, byteCount: extent.count))
    }

    /// A table's record at an offset that was checked.
    func head(at offset: Int) -> TableHead {
        unsafe TableHead(RawSpan(_unsafeStart: base + offset, byteCount: TableHead.byteCount), at: 0)
    }

    /// A meta page: 0, which even transactions take, or 1.
    func meta(_ page: Int) -> MetaPage? {
        unsafe MetaPage(RawSpan(_unsafeStart: base + page * pageSize, byteCount: pageSize))
    }

    /// The number of the transaction of a meta page.
    func transaction(ofMeta page: Int) -> UInt64 {
        bytes(at: page * pageSize).load(
            MetaPage.range.lowerBound + MetaPage.transactionRange.lowerBound, as: UInt64.self)
    }

    // MARK: Damage

    func invalidLayout(_ page: Int) -> PageDamage { PageDamage(UInt64(page >> pageShift), .invalidLayout) }

    func damage(_ page: Page, _ kind: PageDamage.Kind) -> PageDamage {
        PageDamage(UInt64(page.offset >> pageShift), kind)
    }

    /// Only asked where a check has failed, so that it costs nothing otherwise.
    @inline(never)
    func isLeftOut(_ check: PageChecks) -> Bool { leftOut.contains(check) }
}

/// A page of the map. Its offsets are not checked: see `PageBytes`.
@safe struct MappedPage: PageBytes {
    let start: UnsafeRawPointer
    let byteCount: Int

    @inline(__always)
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
        unsafe Value(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: type))
    }
}

/// What is wrong with a page.
struct PageDamage: Error {
    enum Kind {
        case notInFile
        case hasNumber(UInt64)
        case wrongType
        /// An entry is not within it.
        case invalidLayout
        /// Its entries do not fill it: see `PageBytes.hasValidNodes(isBranch:)`.
        case invalidNodes
        case isLoop
        case outOfOrder
        case wrongDepth
        case isFree
    }

    let page: UInt64
    let kind: Kind

    init(_ page: UInt64, _ kind: Kind) {
        self.page = page
        self.kind = kind
    }

    /// The page and the problem, in the words of `PageCensus`.
    var detail: String {
        switch kind {
        case .notInFile: "page \(page): not in the file"
        case .hasNumber(let number): "page \(page): has the number \(number)"
        case .wrongType: "page \(page): has the wrong type"
        case .invalidLayout: "page \(page): its entries are not within the page"
        case .invalidNodes: "page \(page): its entries overlap, leave a gap or have invalid flags"
        case .isLoop: "page \(page): its tree has a loop"
        case .outOfOrder: "page \(page): its keys are out of order"
        case .isFree: "page \(page): both in use and free"
        case .wrongDepth: "page \(page): the depth of its tree differs from its head"
        }
    }
}

/// The checks of the page reader. Tests leave one out to prove that they would notice (negative controls).
package struct PageChecks: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// That a page is in the file.
    package static let file = Self(rawValue: 1)
    /// That a page has the number of its position.
    package static let number = Self(rawValue: 2)
    /// That a node and its key are within the page.
    package static let bounds = Self(rawValue: 4)
    /// That a value is within its page, or its overflow pages within the file.
    package static let values = Self(rawValue: 8)
    /// That a tree ends.
    package static let loops = Self(rawValue: 16)
    /// That LMDB's list of free pages and its list of tables are valid, before the first write.
    package static let lists = Self(rawValue: 32)
    /// That the pages which a write reads are valid.
    package static let paths = Self(rawValue: 64)
    /// That the pages are valid with which a delete may merge a leaf.
    package static let siblings = Self(rawValue: 128)
    /// That the rest of a table is valid, before its pages are verified no more.
    package static let rest = Self(rawValue: 256)
}
