/// A position in a tree: the branches from the root on with the node taken on each, and the node on the leaf.
struct PagePath {
    private struct Level {
        var page = 0
        var index: Int32 = 0
        var nodeCount: Int32 = 0
    }

    /// Only read and written through spans: an access by index copies all of it.
    private var branches = InlineArray<32, Level>(repeating: Level())
    /// How many branches are above the leaf.
    private var depth = 0
    /// Where the leaf is in the map; negative when there is none.
    private(set) var leaf = -1
    /// The node on the leaf, which may be the one behind the last.
    private(set) var index = 0
    private var nodeCount = 0
    /// The first page of the tree.
    private let root: UInt64
    /// How many leaves may still be passed in one direction before there is a loop.
    private var leavesLeft: UInt64 = 0
    private var goesForward = true
    /// Whether the last search ended on the page of the one before: then the next one looks there first.
    private var isLocal = true
    /// Whether it has not been searched yet: it is before the first entry and behind the last one.
    private var isNew = true

    init(from root: UInt64) {
        self.root = root
    }

    // MARK: Searching

    /// Moves to the key; false if the tree does not have it.
    mutating func find(_ key: UnsafeRawBufferPointer, in map: PageMap) throws(PageDamage) -> Bool {
        try unsafe search(key, in: map)
    }

    /// Moves to the first key that is not before the given one; false if there is none.
    mutating func seek(_ key: UnsafeRawBufferPointer, in map: PageMap) throws(PageDamage) -> Bool {
        if try unsafe search(key, in: map) || index < nodeCount { return true }
        // The key comes after all of the leaf.
        index -= 1
        if try moveToNext(in: map) { return true }
        index += 1
        return false
    }

    /// Moves to the place of a key, which may be behind the last node of a leaf.
    @inline(__always)
    private mutating func search(_ key: UnsafeRawBufferPointer, in map: PageMap) throws(PageDamage) -> Bool {
        if isLocal, leaf >= 0, let isExact = try unsafe searchOnLeaf(key, in: map) { return isExact }
        let former = leaf
        guard begin(in: map) else { return false }
        var number = root
        var level = 0
        while true {
            let page = try map.page(number)
            let (index, isExact) = try unsafe map.firstNode(notBefore: key, on: page)
            if !page.isBranch {
                take(page, index, below: level)
                isLocal = page.offset == former
                return isExact
            }
            let node = isExact ? index : index - 1
            try put(page, node, at: level, in: map)
            number = try map.child(node, of: page.offset)
            level = next(level)
        }
    }

    /// Searches the present leaf alone; nil if the key is not between its first and its last.
    private mutating func searchOnLeaf(
        _ key: UnsafeRawBufferPointer, in map: PageMap
    ) throws(PageDamage) -> Bool? {
        let page = PageMap.Page(offset: leaf, nodeCount: nodeCount, isBranch: false)
        guard unsafe map.order(of: try map.key(0, of: leaf), comparedTo: key) <= 0,
            unsafe map.order(of: try map.key(nodeCount - 1, of: leaf), comparedTo: key) >= 0
        else { return nil }
        let (index, isExact) = try unsafe map.firstNode(notBefore: key, on: page)
        self.index = index
        leavesLeft = map.pageCount
        return isExact
    }

    // MARK: Moving

    /// Moves to the first entry or to the last one; false if the tree has no pages.
    mutating func moveToEnd(isFirst: Bool, in map: PageMap) throws(PageDamage) -> Bool {
        guard begin(in: map) else { return false }
        try descend(to: root, at: 0, isForward: isFirst, in: map)
        return true
    }

    /// Moves one entry forward; false at the end.
    @inline(__always)
    mutating func moveToNext(in map: PageMap) throws(PageDamage) -> Bool {
        guard leaf >= 0 else { return isNew ? try moveToEnd(isFirst: true, in: map) : false }
        guard index + 1 < nodeCount else { return try moveToLeaf(isForward: true, in: map) }
        index += 1
        return true
    }

    /// Moves one entry back; false at the beginning.
    @inline(__always)
    mutating func moveToPrevious(in map: PageMap) throws(PageDamage) -> Bool {
        guard leaf >= 0 else { return isNew ? try moveToEnd(isFirst: false, in: map) : false }
        guard index > 0 else { return try moveToLeaf(isForward: false, in: map) }
        index -= 1
        return true
    }

    /// Moves to the first entry of the next leaf, or to the last one of the leaf before.
    @inline(never)
    private mutating func moveToLeaf(isForward: Bool, in map: PageMap) throws(PageDamage) -> Bool {
        var level = depth - 1
        while level >= 0 {
            let branch = branches.span[level]
            if isForward ? branch.index + 1 < branch.nodeCount : branch.index > 0 { break }
            level -= 1
        }
        guard level >= 0 else { return false }
        var branch = branches.span[level]
        branch.index += isForward ? 1 : -1
        set(branch, at: level)
        try passLeaf(isForward: isForward, in: map)
        // Until the leaf is reached there is no position.
        leaf = -1
        let child = try map.child(Int(branch.index), of: branch.page)
        try descend(to: child, at: next(level), isForward: isForward, in: map)
        return true
    }

    /// Branches that lead to the same pages again and again would make a walk endless, although each path is short.
    private mutating func passLeaf(isForward: Bool, in map: PageMap) throws(PageDamage) {
        if goesForward != isForward {
            goesForward = isForward
            leavesLeft = map.pageCount
        }
        guard leavesLeft > 0 || map.isLeftOut(.loops) else { throw PageDamage(root, .isLoop) }
        leavesLeft &-= 1
    }

    private mutating func descend(
        to start: UInt64, at startLevel: Int, isForward: Bool, in map: PageMap
    ) throws(PageDamage) {
        var number = start
        var level = startLevel
        while true {
            let page = try map.page(number)
            let index = isForward ? 0 : page.nodeCount - 1
            if !page.isBranch { return take(page, index, below: level) }
            try put(page, index, at: level, in: map)
            number = try map.child(index, of: page.offset)
            level = next(level)
        }
    }

    /// Leaves the present leaf; false if the tree has no pages.
    private mutating func begin(in map: PageMap) -> Bool {
        leaf = -1
        isNew = false
        leavesLeft = map.pageCount
        return root != TableHead.noPage
    }

    private mutating func take(_ page: PageMap.Page, _ index: Int, below level: Int) {
        leaf = page.offset
        self.index = index
        nodeCount = page.nodeCount
        depth = level
    }

    // MARK: Branches

    private func next(_ level: Int) -> Int { min(level + 1, PageFormat.depthLimit - 1) }

    /// A path with as many branches as there is room for has no place for a leaf: the check that is left out in a test lets it
    /// go round on the last level.
    private mutating func put(
        _ page: PageMap.Page, _ index: Int, at level: Int, in map: PageMap
    ) throws(PageDamage) {
        guard level + 1 < PageFormat.depthLimit || map.isLeftOut(.loops) else { throw PageDamage(root, .isLoop) }
        set(Level(page: page.offset, index: Int32(index), nodeCount: Int32(page.nodeCount)), at: level)
    }

    private mutating func set(_ branch: Level, at level: Int) {
        var levels = branches.mutableSpan
        levels[level] = branch
    }
}
