/// The pages of which LMDB may read anything in a write transaction, because they were verified, or it has written them itself.
///
/// A page is verified once while a store is open. Later ones of its number are LMDB's own work, of pages that were verified; so is
/// what is on a page that was free before the first write: only its place in the tree is verified.
struct VerifiedPages {
    /// The state that the write transaction follows.
    private(set) var map = PageMap.none
    /// A bit for each page that was verified.
    private var bits: [UInt64] = []
    /// A bit for each page that was free before the first write.
    private var freePages: [UInt64] = []
    /// The first page behind the file then.
    private var end = UInt64.max
    /// The state before the first write.
    private var firstState: UInt64 = 0
    /// Whether nothing has been written since.
    private var isFirst = true

    /// Begins with the state that a write transaction follows.
    mutating func begin(in map: PageMap, of number: UInt64) {
        self.map = map
        isFirst = number == firstState
        let words = Int(map.pageCount / 64) + 1
        if words > bits.count { bits += [UInt64](repeating: 0, count: words + words / 2 - bits.count) }
    }

    /// Notes which pages were free before the first write. What is on them in a later state, LMDB has written since.
    mutating func trust(_ freePages: [UInt64], end: UInt64, in state: UInt64) {
        (self.freePages, self.end, firstState) = (freePages, end, state)
    }

    /// A page of a tree, which is verified unless it was before.
    @inline(__always)
    mutating func page(
        _ number: UInt64, isBranch: Bool, within bounds: KeyBounds
    ) throws(PageDamage) -> PageMap.Page {
        let page = try map.page(number)
        let (word, bit) = (Int(number / 64), UInt64(1) << (number % 64))
        if bits[word] & bit != 0 {
            // It may be valid in another place: a damaged branch can lead to it a second time.
            try map.verifyPlace(of: page, within: bounds, isBranch: isBranch)
            return page
        }
        if isWritten(number) {
            guard !isFirst else { throw map.damage(page, .isFree) }
            try map.verifyPlace(of: page, within: bounds, isBranch: isBranch)
        } else {
            try map.verify(page, within: bounds, isBranch: isBranch)
        }
        bits[word] |= bit
        return page
    }

    /// Whether LMDB has written a page since the first write, if it is in use.
    private func isWritten(_ number: UInt64) -> Bool {
        let word = Int(number / 64)
        return number >= end || word < freePages.count && freePages[word] & 1 << (number % 64) != 0
    }
}

/// The keys between which those of a page must be; nil where there is no limit.
struct KeyBounds {
    var low: PageMap.Extent?
    var high: PageMap.Extent?
}

/// Whether a page is as LMDB writes it. Readers ask less: they check what they use. LMDB's code, which changes pages, moves
/// their nodes without looking at them.
extension PageMap {
    /// The page below a node of a branch, and the keys between which its own are.
    func child(_ index: Int, of page: Page, within bounds: KeyBounds) throws(PageDamage) -> (UInt64, KeyBounds) {
        var bounds = bounds
        if index > 0 { bounds.low = try key(index, of: page.offset) }
        if index + 1 < page.nodeCount { bounds.high = try key(index + 1, of: page.offset) }
        return (try child(index, of: page.offset), bounds)
    }

    /// Verifies a page of a tree whose header was checked: its nodes fill it, its keys ascend and are between those of the page
    /// above, its children differ, and they and its large values are in the file.
    ///
    /// - Parameter isBranch: whether the depth of the tree says that it is a branch.
    fileprivate func verify(_ page: Page, within bounds: KeyBounds, isBranch: Bool) throws(PageDamage) {
        guard page.isBranch == isBranch else { throw damage(page, .wrongDepth) }
        // LMDB ends the process at a branch with one child.
        guard bytes(at: page.offset).hasValidNodes(isBranch: isBranch), page.nodeCount > (isBranch ? 1 : 0) else {
            throw damage(page, .invalidNodes)
        }
        var last = bounds.low
        var children: Set<UInt64> = []
        for index in 0..<page.nodeCount {
            if isBranch {
                let child = try child(index, of: page.offset)
                // With one page below two nodes, what is on it later could pass for either of them.
                guard 2..<pageCount ~= child, children.insert(child).inserted else { throw damage(page, .invalidNodes) }
                // The first key of a branch stands for all that are smaller.
                if index == 0 { continue }
            } else {
                try verifyValue(index, of: page)
            }
            let key = try key(index, of: page.offset)
            guard 1...PageFormat.longestKey ~= key.count else { throw damage(page, .invalidNodes) }
            if let last {
                // A leaf may begin with the key that leads to it.
                let order = order(of: key, comparedTo: last)
                guard order > 0 || order == 0 && index == 0 else { throw damage(page, .outOfOrder) }
            }
            last = key
        }
        if let high = bounds.high, let last, order(of: last, comparedTo: high) >= 0 { throw damage(page, .outOfOrder) }
    }

    /// Verifies that a page belongs where it is, by its first and last keys alone.
    fileprivate func verifyPlace(of page: Page, within bounds: KeyBounds, isBranch: Bool) throws(PageDamage) {
        guard page.isBranch == isBranch, page.nodeCount > (isBranch ? 1 : 0) else { throw damage(page, .wrongDepth) }
        let (first, last) = (
            try key(isBranch ? 1 : 0, of: page.offset), try key(page.nodeCount - 1, of: page.offset)
        )
        if let low = bounds.low, order(of: first, comparedTo: low) < 0 { throw damage(page, .outOfOrder) }
        if let high = bounds.high, order(of: last, comparedTo: high) >= 0 { throw damage(page, .outOfOrder) }
    }

    /// The pages of a large value are not read: only whether they are in the file.
    private func verifyValue(_ index: Int, of page: Page) throws(PageDamage) {
        let bytes = bytes(at: page.offset)
        let flags = bytes.nodeFlags(at: bytes.nodeStart(index))
        guard flags & PageFormat.isTableHead == 0,
            flags & PageFormat.isOnOverflowPages == 0 || entry(index, of: page.offset).isLong
        else { throw damage(page, .invalidNodes) }
    }

    /// Verifies the overflow pages of a value, if it has any, before LMDB frees or replaces them.
    func verifyOverflow(_ index: Int, of page: Page) throws(PageDamage) {
        let entry = entry(index, of: page.offset)
        guard entry.isLong else { return }
        let header = entry.value.offset - PageFormat.headerSize
        let first = UInt64(header / pageSize)
        guard readableCount(ofLong: entry.value) == entry.value.count else { throw PageDamage(first, .wrongType) }
        let stated = UInt64(bytes(at: header).statedOverflowPages)
        guard stated <= pageCount - first else { throw PageDamage(first, .notInFile) }
        // LMDB keeps more pages than needed when a value is replaced twice in a transaction. They have no header then.
        let needed = UInt64(PageFormat.overflowPages(holding: entry.value.count, pageSize: pageSize))
        for number in first + needed..<first + stated {
            let surplus = bytes(at: Int(number) * pageSize)
            if surplus.number == number, PageFormat.isPageFlags(surplus.pageFlags) {
                throw PageDamage(first, .wrongType)
            }
        }
    }
}
