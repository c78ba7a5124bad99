/// A position in a tree: the pages from the root to a leaf, and the node on each.
struct PagePath {
    private struct Level {
        var page = 0
        var index: Int32 = 0
        var nodeCount: Int32 = 0
    }

    private var levels = InlineArray<32, Level>(repeating: Level())
    /// The level of the leaf; negative when there is none.
    private var top = -1
    /// How many leaves may still be passed in one direction before there is a loop.
    private var leavesLeft: UInt64 = 0
    private var goesForward = true
    /// Whether the last search ended on the page of the one before: then the next one looks there first.
    private var isLocal = true

    var isOnLeaf: Bool { top >= 0 }

    /// The page and node of the position.
    var place: (page: Int, index: Int) { (levels[top].page, Int(levels[top].index)) }

    // MARK: Searching

    /// Moves to the key; false if the tree does not have it.
    mutating func find(
        _ key: UnsafeRawBufferPointer, from root: UInt64, in map: PageMap
    ) throws(PageDamage) -> Bool {
        try unsafe search(key, from: root, in: map)
    }

    /// Moves to the first key that is not before the given one; false if there is none.
    mutating func seek(
        _ key: UnsafeRawBufferPointer, from root: UInt64, in map: PageMap
    ) throws(PageDamage) -> Bool {
        if try unsafe search(key, from: root, in: map) || levels[top].index < levels[top].nodeCount { return true }
        // The key comes after all of the leaf.
        levels[top].index -= 1
        if try moveToNext(in: map) { return true }
        levels[top].index += 1
        return false
    }

    /// Moves to the place of a key, which may be behind the last node of a leaf.
    @inline(__always)
    private mutating func search(
        _ key: UnsafeRawBufferPointer, from root: UInt64, in map: PageMap
    ) throws(PageDamage) -> Bool {
        if isLocal, top >= 0, let isExact = try unsafe searchOnLeaf(key, in: map) { return isExact }
        let former = top >= 0 ? levels[top].page : -1
        begin(in: map)
        var number = root
        var level = 0
        while true {
            let page = try map.page(number)
            let (index, isExact) = try unsafe map.firstNode(notBefore: key, on: page)
            if !page.isBranch {
                put(page, index, at: level)
                top = level
                isLocal = page.offset == former
                return isExact
            }
            let node = isExact ? index : index - 1
            put(page, node, at: level)
            number = try map.child(node, of: page.offset)
            level = try below(level, root, in: map)
        }
    }

    /// The same on the present leaf alone; nil if the key is not between its first and its last.
    private mutating func searchOnLeaf(
        _ key: UnsafeRawBufferPointer, in map: PageMap
    ) throws(PageDamage) -> Bool? {
        let leaf = levels[top]
        let page = PageMap.Page(offset: leaf.page, nodeCount: Int(leaf.nodeCount), isBranch: false)
        guard unsafe map.order(of: try map.key(0, of: page.offset), comparedTo: key) <= 0,
            unsafe map.order(of: try map.key(page.nodeCount - 1, of: page.offset), comparedTo: key) >= 0
        else { return nil }
        let (index, isExact) = try unsafe map.firstNode(notBefore: key, on: page)
        levels[top].index = Int32(index)
        leavesLeft = map.pageCount
        return isExact
    }

    // MARK: Moving

    /// Moves to the first entry of a tree that has one.
    mutating func moveToFirst(from root: UInt64, in map: PageMap) throws(PageDamage) {
        begin(in: map)
        try descend(to: root, at: 0, from: root, isForward: true, in: map)
    }

    /// Moves to the last entry of a tree that has one.
    mutating func moveToLast(from root: UInt64, in map: PageMap) throws(PageDamage) {
        begin(in: map)
        try descend(to: root, at: 0, from: root, isForward: false, in: map)
    }

    /// Moves one entry forward; false at the end.
    @inline(__always)
    mutating func moveToNext(in map: PageMap) throws(PageDamage) -> Bool {
        let index = levels[top].index
        guard index + 1 < levels[top].nodeCount else { return try moveToNextLeaf(in: map) }
        levels[top].index = index + 1
        return true
    }

    /// Moves one entry back; false at the beginning.
    @inline(__always)
    mutating func moveToPrevious(in map: PageMap) throws(PageDamage) -> Bool {
        let index = levels[top].index
        guard index > 0 else { return try moveToPreviousLeaf(in: map) }
        levels[top].index = index - 1
        return true
    }

    private mutating func moveToNextLeaf(in map: PageMap) throws(PageDamage) -> Bool {
        var level = top - 1
        while level >= 0, levels[level].index + 1 >= levels[level].nodeCount { level -= 1 }
        guard level >= 0 else { return false }
        levels[level].index += 1
        try passLeaf(isForward: true, in: map)
        try descend(below: level, isForward: true, in: map)
        return true
    }

    private mutating func moveToPreviousLeaf(in map: PageMap) throws(PageDamage) -> Bool {
        var level = top - 1
        while level >= 0, levels[level].index == 0 { level -= 1 }
        guard level >= 0 else { return false }
        levels[level].index -= 1
        try passLeaf(isForward: false, in: map)
        try descend(below: level, isForward: false, in: map)
        return true
    }

    /// Branches that lead to the same pages again and again would make a walk endless, although each path is short.
    private mutating func passLeaf(isForward: Bool, in map: PageMap) throws(PageDamage) {
        if goesForward != isForward {
            goesForward = isForward
            leavesLeft = map.pageCount
        }
        guard leavesLeft > 0 || map.isLeftOut(.loops) else { throw loop(levels[0].page, in: map) }
        leavesLeft &-= 1
    }

    private mutating func descend(below level: Int, isForward: Bool, in map: PageMap) throws(PageDamage) {
        let root = UInt64(levels[0].page / map.pageSize)
        // Until the leaf is reached there is no position.
        top = -1
        let child = try map.child(Int(levels[level].index), of: levels[level].page)
        try descend(to: child, at: below(level, root, in: map), from: root, isForward: isForward, in: map)
    }

    private mutating func descend(
        to start: UInt64, at startLevel: Int, from root: UInt64, isForward: Bool, in map: PageMap
    ) throws(PageDamage) {
        var number = start
        var level = startLevel
        while true {
            let page = try map.page(number)
            let index = isForward ? 0 : page.nodeCount - 1
            put(page, index, at: level)
            if !page.isBranch {
                top = level
                return
            }
            number = try map.child(index, of: page.offset)
            level = try below(level, root, in: map)
        }
    }

    private mutating func begin(in map: PageMap) {
        top = -1
        leavesLeft = map.pageCount
    }

    private mutating func put(_ page: PageMap.Page, _ index: Int, at level: Int) {
        levels[level] = Level(page: page.offset, index: Int32(index), nodeCount: Int32(page.nodeCount))
    }

    private func below(_ level: Int, _ root: UInt64, in map: PageMap) throws(PageDamage) -> Int {
        guard level + 1 < PageFormat.depthLimit || map.isLeftOut(.loops) else { throw PageDamage(root, .isLoop) }
        return level + 1
    }

    private func loop(_ page: Int, in map: PageMap) -> PageDamage {
        PageDamage(UInt64(page / map.pageSize), .isLoop)
    }
}
