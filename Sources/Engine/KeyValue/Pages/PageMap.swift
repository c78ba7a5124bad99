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
    private let leftOut: PageChecks

    /// A tree's levels at most, as in LMDB.
    static let depthLimit = 32
    /// Page number, padding, flags, and the end of the array of nodes that follows.
    static let headerSize = 16
    private static let nodeHeaderSize = 8

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
        let stated = load(offset, as: UInt64.self)
        guard stated == number || isLeftOut(.number) else { throw PageDamage(number, .hasNumber(stated)) }
        let flags = load(offset + 10, as: UInt16.self)
        // LMDB writes no other flags.
        guard flags == 1 || flags == 2 else { throw PageDamage(number, .wrongType) }
        let end = Int(load(offset + 12, as: UInt16.self))
        guard end > Self.headerSize, end <= pageSize, end & 1 == 0 else { throw PageDamage(number, .invalidLayout) }
        return Page(offset: offset, nodeCount: (end - Self.headerSize) >> 1, isBranch: flags == 1)
    }

    /// The page below a node of a branch.
    @inline(__always)
    func child(_ index: Int, of page: Int) throws(PageDamage) -> UInt64 {
        let start = nodeStart(index, of: page)
        guard start + Self.nodeHeaderSize <= pageSize || isLeftOut(.bounds) else { throw invalidLayout(page) }
        let low = load(page + start, as: UInt32.self)
        return UInt64(low) | UInt64(load(page + start + 4, as: UInt16.self)) << 32
    }

    /// The key of a node.
    @inline(__always)
    func key(_ index: Int, of page: Int) throws(PageDamage) -> Extent {
        let start = nodeStart(index, of: page)
        guard start + Self.nodeHeaderSize <= pageSize || isLeftOut(.bounds) else { throw invalidLayout(page) }
        let count = Int(load(page + start + 6, as: UInt16.self))
        let keyStart = start + Self.nodeHeaderSize
        guard keyStart + count <= pageSize || isLeftOut(.bounds) else { throw invalidLayout(page) }
        return Extent(offset: page + keyStart, count: count)
    }

    /// A node of a leaf. One that is not within its page has an empty key and an empty value; a value that is not has no
    /// bytes, which fail their checksum: so a walk passes it and finds the entries behind it.
    @inline(__always)
    func entry(_ index: Int, of page: Int) -> Entry {
        let nothing = Extent(offset: page + Self.headerSize, count: 0)
        let start = nodeStart(index, of: page)
        guard start + Self.nodeHeaderSize <= pageSize || isLeftOut(.bounds) else {
            return Entry(key: nothing, value: nothing)
        }
        let count = Int(load(page + start, as: UInt32.self))
        let isLong = load(page + start + 4, as: UInt16.self) & 1 != 0
        let keyStart = start + Self.nodeHeaderSize
        let keyCount = Int(load(page + start + 6, as: UInt16.self))
        let valueStart = keyStart + keyCount
        guard valueStart <= pageSize || isLeftOut(.bounds) else { return Entry(key: nothing, value: nothing) }
        let key = Extent(offset: page + keyStart, count: keyCount)
        if isLong { return longEntry(key, count, at: page + valueStart, end: page + pageSize) }
        guard valueStart + count <= pageSize || isLeftOut(.values) else { return Entry(key: key, value: nothing) }
        return Entry(key: key, value: Extent(offset: page + valueStart, count: count))
    }

    /// An entry whose value begins behind the header of an overflow page, the number of which is in its place.
    private func longEntry(_ key: Extent, _ count: Int, at place: Int, end: Int) -> Entry {
        guard place + 8 <= end || isLeftOut(.bounds) else {
            return Entry(key: key, value: Extent(offset: place, count: 0))
        }
        let first = load(place, as: UInt64.self)
        let pages = neededPages(count)
        guard first < pageCount && pages <= pageCount - first || isLeftOut(.values) else {
            return Entry(key: key, value: Extent(offset: place, count: 0))
        }
        let offset = Int(truncatingIfNeeded: first << UInt64(pageShift)) &+ Self.headerSize
        return Entry(key: key, value: Extent(offset: offset, count: count), isLong: true)
    }

    /// How many bytes of a value on overflow pages can be read: none when their header is not that of such pages.
    func readableCount(ofLong value: Extent) -> Int {
        let header = value.offset - Self.headerSize
        let number = UInt64(header >> pageShift)
        // LMDB keeps more pages than needed when a value is replaced twice in a transaction.
        let isOverflow =
            load(header, as: UInt64.self) == number && load(header + 10, as: UInt16.self) == 4
            && UInt64(load(header + 12, as: UInt32.self)) >= neededPages(value.count)
        return isOverflow ? value.count : 0
    }

    private func neededPages(_ count: Int) -> UInt64 { UInt64((Self.headerSize - 1 + count) >> pageShift + 1) }

    @inline(__always)
    private func nodeStart(_ index: Int, of page: Int) -> Int {
        Int(load(page + Self.headerSize + 2 * index, as: UInt16.self))
    }

    // MARK: Bytes

    @inline(__always)
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
        unsafe Value(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// The first byte of an extent.
    @inline(__always)
    func pointer(_ extent: Extent) -> UnsafeMutableRawPointer {
        // LMDB's own type for bytes is mutable; nothing writes through it.
        unsafe UnsafeMutableRawPointer(mutating: base + extent.offset)
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
        load(page * pageSize + MetaPage.range.lowerBound + MetaPage.transactionRange.lowerBound, as: UInt64.self)
    }

    // MARK: Damage

    func invalidLayout(_ page: Int) -> PageDamage { PageDamage(UInt64(page >> pageShift), .invalidLayout) }

    /// Only asked where a check has failed, so that it costs nothing otherwise.
    @inline(never)
    func isLeftOut(_ check: PageChecks) -> Bool { leftOut.contains(check) }
}

/// What is wrong with a page.
struct PageDamage: Error {
    enum Kind {
        case notInFile
        case hasNumber(UInt64)
        case wrongType
        case invalidLayout
        case isLoop
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
        case .invalidLayout: "page \(page): its entries overlap or are not within the page"
        case .isLoop: "page \(page): its tree has a loop"
        }
    }
}

/// The checks of the page reader. Tests leave one out to prove that they would notice (negative controls).
package struct PageChecks: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
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
}
