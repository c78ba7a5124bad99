/// Walks the pages of a table in the last commit, as far as LMDB may read them in the write transaction that follows it, and verifies
/// each. What LMDB reads is near the path to the key there:
///
/// - A put reads the path alone. It may divide pages, which moves no key to another page of the last commit.
/// - A delete may merge the leaf with one beside it under the same branch, and reads the leaf behind it.
/// - After a merge a leaf has keys of its neighbors: from the second one on all leaves of the branch count as neighbors.
/// - Branches are merged in the same way when a single page is left below one. Then LMDB searches what is below the neighbors.
struct TablePath {
    /// Whether all of its pages were verified: nothing is left to do.
    private(set) var isVerified = false
    /// How often a path of it was verified.
    private var searches = 0
    /// Whether damage was found on a page that is on no path.
    private var hasDamage = false

    // MARK: In the present transaction

    /// Which one that is.
    private(set) var transaction = 0
    private var head = TableHead(root: TableHead.noPage, flags: 0)
    /// The path of the last search, down to its leaf: what is written where something was read needs no other one.
    private var levels: [Level] = []
    private var changes = Changes()

    private struct Level {
        let page: PageMap.Page
        var index: Int
        let bounds: KeyBounds
    }

    private struct Changes {
        var puts = 0
        /// The leaves in which something was written.
        var leaves: Set<Int> = []
        /// How many pages below a branch may have been merged.
        var merges: [Int: Int] = [:]
        /// The branches below which every page was verified.
        var verifiedBranches: Set<Int> = []
    }

    /// Begins a transaction in which the table has a head; nil if it is created there.
    mutating func begin(_ transaction: Int, at head: TableHead?) {
        self.transaction = transaction
        self.head = head ?? TableHead(root: TableHead.noPage, flags: 0)
        levels.removeAll(keepingCapacity: true)
        changes = Changes()
    }

    /// Verifies the pages that LMDB reads for an access.
    mutating func verify(
        _ access: TableAccess, to key: RawSpan, in pages: inout VerifiedPages, _ pace: TableCheckPace
    ) throws(PageDamage) {
        searches += 1
        guard head.root != TableHead.noPage else {
            isVerified = head.depth == 0
            return
        }
        guard 1...PageFormat.depthLimit ~= Int(head.depth) else { throw PageDamage(head.root, .wrongDepth) }
        if searches >= pace.searchesBefore, head.pageCount <= pace.pagesAtMost, !hasDamage { verifyRest(in: &pages) }
        guard !isVerified else { return }
        switch access {
        case .read: _ = try search(key, withValue: true, in: &pages)
        case .put:
            _ = try search(key, withValue: true, in: &pages)
            changes.puts += 1
            changes.leaves.insert(leaf.page.offset)
        case .delete: try verifyDelete(of: key, in: &pages)
        case .seek:
            _ = try search(key, in: &pages)
            if leaf.index == leaf.page.nodeCount || changes.leaves.contains(leaf.page.offset)
                || !changes.merges.isEmpty
            {
                try verifyNeighbors(isForward: true, in: &pages)
            }
        case .move(let isForward):
            _ = try search(key, in: &pages)
            try verifyNeighbors(isForward: isForward, in: &pages)
        case .moveToEnd(let isFirst):
            levels.removeAll(keepingCapacity: true)
            try descend(from: head.root, within: KeyBounds(), in: &pages) { isFirst ? 0 : $0.nodeCount - 1 }
        case .readAll: try verifyAll(in: &pages)
        }
    }

    private mutating func verifyDelete(of key: RawSpan, in pages: inout VerifiedPages) throws(PageDamage) {
        let isExact = try search(key, withValue: true, in: &pages)
        guard !pages.map.leftOut.contains(.siblings) else { return }
        let leaf = leaf
        let wasChanged = !changes.leaves.insert(leaf.page.offset).inserted
        guard wasChanged || isExact else { return }
        if pages.map.mayBeMerged(leaf.page, without: wasChanged ? nil : leaf.index) {
            try verifyMerge(belowLevel: levels.count - 2, in: &pages)
        }
        if wasChanged || leaf.index == leaf.page.nodeCount - 1 {
            try verifyNeighbors(isForward: true, in: &pages)
        }
    }

    // MARK: Searching

    /// The last level of the path.
    private var leaf: Level { levels[levels.count - 1] }

    /// Verifies the pages from the root to the leaf of a key; returns whether the leaf has the key.
    private mutating func search(
        _ key: RawSpan, withValue: Bool = false, in pages: inout VerifiedPages
    ) throws(PageDamage) -> Bool {
        let map = pages.map
        let isExact = try unsafe key.withUnsafeBytes { key throws(PageDamage) in
            if let last = levels.last, !last.page.isBranch, unsafe map.isBetween(key, last.bounds) {
                let (index, isExact) = try unsafe map.firstNode(notBefore: key, on: last.page)
                levels[levels.count - 1].index = index
                return isExact
            }
            levels.removeAll(keepingCapacity: true)
            var isFound = false
            try descend(from: head.root, within: KeyBounds(), in: &pages) { page throws(PageDamage) in
                let (index, isExact) = try unsafe map.firstNode(notBefore: key, on: page)
                isFound = isExact
                return isExact || !page.isBranch ? index : index - 1
            }
            return isFound
        }
        if isExact, withValue { try map.verifyOverflow(leaf.index, of: leaf.page) }
        return isExact
    }

    /// Verifies a page and those below it on one path, which is added to the levels.
    private mutating func descend(
        from start: UInt64, within limits: KeyBounds, in pages: inout VerifiedPages,
        taking node: (PageMap.Page) throws(PageDamage) -> Int
    ) throws(PageDamage) {
        var (number, bounds) = (start, limits)
        while true {
            let page = try pages.page(number, isBranch: levels.count + 1 < Int(head.depth), within: bounds)
            let index = try node(page)
            levels.append(Level(page: page, index: index, bounds: bounds))
            guard page.isBranch else { return }
            (number, bounds) = try pages.map.child(index, of: page, within: bounds)
        }
    }

    // MARK: Neighbors

    /// Verifies what LMDB reads if it merges the page of the path below a branch: the pages beside it, and those below them, on which
    /// it looks for their first keys.
    private mutating func verifyMerge(belowLevel level: Int, in pages: inout VerifiedPages) throws(PageDamage) {
        // The root has no neighbor.
        guard level >= 0 else { return }
        let branch = levels[level]
        let count = changes.merges[branch.page.offset, default: 0] + 1
        changes.merges[branch.page.offset] = count
        if count == 1 {
            let beside = max(branch.index - 1, 0)...min(branch.index + 1, branch.page.nodeCount - 1)
            for index in beside { try verifyChild(index, at: level, in: &pages) }
        } else {
            try verifyChildren(at: level, in: &pages)
        }
        // Puts may have divided the branch; of the seven children that it has at least when it is full, three are left then.
        let isDivided = changes.puts * PageFormat.longestBranchNode > pages.map.freeSpace(of: branch.page)
        // One less, since LMDB may have moved a child to a branch beside it instead of merging the two.
        if count + 1 >= (isDivided ? 3 : branch.page.nodeCount - 1) {
            try verifyMerge(belowLevel: level - 1, in: &pages)
        }
    }

    /// Verifies the leaf behind that of the path, or before it.
    private mutating func verifyNeighbors(isForward: Bool, in pages: inout VerifiedPages) throws(PageDamage) {
        guard levels.count > 1 else { return }
        var level = levels.count - 2
        // Where leaves were merged, the next one may be any behind it.
        if changes.merges[levels[level].page.offset] != nil {
            try verifyChildren(at: level, in: &pages)
            level -= 1
        }
        while level >= 0 {
            let branch = levels[level]
            if isForward ? branch.index + 1 < branch.page.nodeCount : branch.index > 0 { break }
            level -= 1
        }
        guard level >= 0 else { return }
        levels.removeLast(levels.count - 1 - level)
        levels[level].index += isForward ? 1 : -1
        let (number, bounds) = try pages.map.child(leaf.index, of: leaf.page, within: leaf.bounds)
        try descend(from: number, within: bounds, in: &pages) { isForward ? 0 : $0.nodeCount - 1 }
    }

    /// Verifies all pages below a branch of the path.
    private mutating func verifyChildren(at level: Int, in pages: inout VerifiedPages) throws(PageDamage) {
        let branch = levels[level].page
        guard !changes.verifiedBranches.contains(branch.offset) else { return }
        for index in 0..<branch.nodeCount { try verifyChild(index, at: level, in: &pages) }
        changes.verifiedBranches.insert(branch.offset)
    }

    private func verifyChild(_ index: Int, at level: Int, in pages: inout VerifiedPages) throws(PageDamage) {
        let (number, bounds) = try pages.map.child(index, of: levels[level].page, within: levels[level].bounds)
        try verifyTree(number, at: level + 1, within: bounds, in: &pages)
    }

    // MARK: Whole tables

    /// Verifies the pages that are on no path. Damage there is no reason to refuse a write.
    private mutating func verifyRest(in pages: inout VerifiedPages) {
        do throws(PageDamage) {
            if pages.map.leftOut.contains(.rest) { isVerified = true } else { try verifyAll(in: &pages) }
        } catch {
            hasDamage = true
        }
    }

    private mutating func verifyAll(in pages: inout VerifiedPages) throws(PageDamage) {
        try verifyTree(head.root, at: 0, within: KeyBounds(), withValues: true, in: &pages)
        isVerified = true
    }

    /// Keys between those of the page above are on one page only: so this ends.
    ///
    /// - Parameter withValues: whether large values are verified as well.
    private func verifyTree(
        _ number: UInt64, at level: Int, within bounds: KeyBounds, withValues: Bool = false,
        in pages: inout VerifiedPages
    ) throws(PageDamage) {
        let page = try pages.page(number, isBranch: level + 1 < Int(head.depth), within: bounds)
        for index in 0..<page.nodeCount {
            if page.isBranch {
                let (child, bounds) = try pages.map.child(index, of: page, within: bounds)
                try verifyTree(child, at: level + 1, within: bounds, withValues: withValues, in: &pages)
            } else if withValues {
                try pages.map.verifyOverflow(index, of: page)
            }
        }
    }
}

/// What LMDB does with a page.
extension PageMap {
    /// Whether LMDB merges a leaf with one beside it when a node is removed.
    ///
    /// - Parameter node: nil if the leaf has been changed.
    fileprivate func mayBeMerged(_ page: Page, without node: Int?) -> Bool {
        guard let node, page.nodeCount > 1 else { return true }
        let (bytes, room) = (bytes(at: page.offset), pageSize - PageFormat.headerSize)
        let start = bytes.nodeStart(node)
        let isLong = bytes.nodeFlags(at: start) & PageFormat.isOnOverflowPages != 0
        let end = bytes.keyRange(at: start).upperBound + (isLong ? 8 : bytes.valueCount(at: start))
        // Two bytes of its offset, and perhaps one that makes its size even.
        let left = room - freeSpace(of: page) - (end - start + 3)
        return left * 4 < room
    }

    fileprivate func freeSpace(of page: Page) -> Int {
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
}
