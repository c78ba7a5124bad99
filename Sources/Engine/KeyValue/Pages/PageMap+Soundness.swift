/// The keys between which those of a page must be; nil where there is no limit.
struct KeyBounds {
    var low: PageMap.Extent?
    var high: PageMap.Extent?
}

/// Whether a page is as LMDB writes it. Readers ask less: they check what they use. LMDB's code, which changes pages, moves
/// their nodes without looking at them.
extension PageMap {
    /// Checks a page of a tree whose header was checked: its nodes fill it, its keys ascend and are between those of the page
    /// above, its children differ, and they and its large values are in the file.
    ///
    /// - Parameter isBranch: whether the depth of the tree says that it is a branch.
    func checkSoundness(of page: Page, within bounds: KeyBounds, isBranch: Bool) throws(PageDamage) {
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
                try checkValue(index, of: page)
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

    /// The pages of a large value are not read: only whether they are in the file.
    private func checkValue(_ index: Int, of page: Page) throws(PageDamage) {
        let bytes = bytes(at: page.offset)
        let flags = bytes.nodeFlags(at: bytes.nodeStart(index))
        guard flags & PageFormat.isTableHead == 0,
            flags & PageFormat.isOnOverflowPages == 0 || entry(index, of: page.offset).isLong
        else { throw damage(page, .invalidNodes) }
    }

    /// Checks the pages of a value before LMDB frees or replaces them, if it is on pages of its own.
    func checkOverflow(_ index: Int, of page: Page) throws(PageDamage) {
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

    /// Whether LMDB merges a leaf with one beside it when a node is removed.
    ///
    /// - Parameter node: nil if the leaf has been changed.
    func mayBeMerged(_ page: Page, without node: Int?) -> Bool {
        guard let node, page.nodeCount > 1 else { return true }
        let (bytes, room) = (bytes(at: page.offset), pageSize - PageFormat.headerSize)
        let start = bytes.nodeStart(node)
        let isLong = bytes.nodeFlags(at: start) & PageFormat.isOnOverflowPages != 0
        let end = bytes.keyRange(at: start).upperBound + (isLong ? 8 : bytes.valueCount(at: start))
        // Two bytes of its offset, and perhaps one that makes its size even.
        let left = room - freeSpace(of: page) - (end - start + 3)
        return left * 4 < room
    }

    func freeSpace(of page: Page) -> Int {
        let bytes = bytes(at: page.offset)
        return bytes.upper - bytes.lower
    }

    /// Whether there is an entry beside the one whose key is at an offset, on the same page.
    func hasEntry(besideKeyAt offset: Int, isForward: Bool) -> Bool {
        let page = offset & ~(pageSize - 1)
        let bytes = bytes(at: page)
        let last = isForward ? (bytes.lower - PageFormat.headerSize) / 2 - 1 : 0
        return page + bytes.nodeStart(last) + PageFormat.nodeHeaderSize != offset
    }

    /// Checks that a page belongs where it is, by its first and last keys alone.
    func checkPlace(of page: Page, within bounds: KeyBounds, isBranch: Bool) throws(PageDamage) {
        guard page.isBranch == isBranch, page.nodeCount > (isBranch ? 1 : 0) else { throw damage(page, .wrongDepth) }
        let (first, last) = (
            try key(isBranch ? 1 : 0, of: page.offset), try key(page.nodeCount - 1, of: page.offset)
        )
        if let low = bounds.low, order(of: first, comparedTo: low) < 0 { throw damage(page, .outOfOrder) }
        if let high = bounds.high, order(of: last, comparedTo: high) >= 0 { throw damage(page, .outOfOrder) }
    }

    func order(of key: Extent, comparedTo other: Extent) -> Int {
        let bytes = unsafe UnsafeRawBufferPointer(start: base + other.offset, count: other.count)
        return unsafe order(of: key, comparedTo: bytes)
    }

    func damage(_ page: Page, _ kind: PageDamage.Kind) -> PageDamage {
        PageDamage(UInt64(page.offset / pageSize), kind)
    }
}
