/// Searching the tables of the last commit.
extension WritePaths {
    /// The last level of the path.
    var leaf: Level { levels[levels.count - 1] }

    /// Checks the value of the node that a search has found.
    func checkValueOfLeaf() throws(PageDamage) {
        try map.checkOverflow(leaf.index, of: leaf.page)
    }

    /// Checks the pages from the root to the leaf of a key; returns whether the leaf has the key.
    mutating func search(_ key: RawSpan, _ tree: Tree) throws(PageDamage) -> Bool {
        let map = map
        return try unsafe key.withUnsafeBytes { key throws(PageDamage) in
            if let last = levels.last, !last.page.isBranch, unsafe map.isBetween(key, last.bounds) {
                let (index, isExact) = try unsafe map.firstNode(notBefore: key, on: last.page)
                levels[levels.count - 1].index = index
                return isExact
            }
            levels.removeAll(keepingCapacity: true)
            var isFound = false
            try descend(from: tree.root, within: KeyBounds(), tree) { page throws(PageDamage) in
                let (index, isExact) = try unsafe map.firstNode(notBefore: key, on: page)
                isFound = isExact
                return isExact || !page.isBranch ? index : index - 1
            }
            return isFound
        }
    }

    /// Checks a page and those below it on one path, which is added to the levels.
    mutating func descend(
        from start: UInt64, within limits: KeyBounds, _ tree: Tree,
        taking node: (PageMap.Page) throws(PageDamage) -> Int
    ) throws(PageDamage) {
        guard 1...PageFormat.depthLimit ~= tree.depth else { throw PageDamage(tree.root, .wrongDepth) }
        var (number, bounds) = (start, limits)
        while true {
            let page = try soundPage(number, at: levels.count, within: bounds, tree)
            let index = try node(page)
            levels.append(Level(page: page, index: index, bounds: bounds))
            guard page.isBranch else { return }
            (number, bounds) = try child(index, of: leaf)
        }
    }

    /// The page below a node of a branch, and the keys between which its own are.
    private func child(_ index: Int, of level: Level) throws(PageDamage) -> (UInt64, KeyBounds) {
        var bounds = level.bounds
        if index > 0 { bounds.low = try map.key(index, of: level.page.offset) }
        if index + 1 < level.page.nodeCount { bounds.high = try map.key(index + 1, of: level.page.offset) }
        return (try map.child(index, of: level.page.offset), bounds)
    }

    private mutating func soundPage(
        _ number: UInt64, at level: Int, within bounds: KeyBounds, _ tree: Tree
    ) throws(PageDamage) -> PageMap.Page {
        try verifiedPages.page(number, isBranch: level + 1 < tree.depth, within: bounds, in: map)
    }

    // MARK: Neighbors

    /// Checks what LMDB reads if it merges the leaf of the path.
    mutating func prepareMerge(_ paths: inout TablePaths) throws(PageDamage) {
        try prepareMerge(belowLevel: levels.count - 2, &paths)
    }

    /// Checks what LMDB reads if it merges the page of the path below a branch: the pages beside it, and those below them, on which it
    /// looks for their first keys.
    private mutating func prepareMerge(belowLevel level: Int, _ paths: inout TablePaths) throws(PageDamage) {
        // The root has no neighbor.
        guard level >= 0 else { return }
        let branch = levels[level]
        let count = paths.merges[branch.page.offset, default: 0] + 1
        paths.merges[branch.page.offset] = count
        if count == 1 {
            let beside = max(branch.index - 1, 0)...min(branch.index + 1, branch.page.nodeCount - 1)
            for index in beside { try checkChild(index, at: level, paths.tree) }
        } else {
            try checkChildren(at: level, &paths)
        }
        // Puts may have divided the branch; of the seven children that it has at least when it is full, three are left then.
        let isDivided = paths.puts * PageFormat.longestBranchNode > map.freeSpace(of: branch.page)
        // One less, since LMDB may have moved a child to a branch beside it instead of merging the two.
        if count + 1 >= (isDivided ? 3 : branch.page.nodeCount - 1) {
            try prepareMerge(belowLevel: level - 1, &paths)
        }
    }

    /// Checks all pages below a branch of the path.
    private mutating func checkChildren(at level: Int, _ paths: inout TablePaths) throws(PageDamage) {
        let branch = levels[level].page
        guard !paths.checkedBranches.contains(branch.offset) else { return }
        for index in 0..<branch.nodeCount { try checkChild(index, at: level, paths.tree) }
        paths.checkedBranches.insert(branch.offset)
    }

    private mutating func checkChild(_ index: Int, at level: Int, _ tree: Tree) throws(PageDamage) {
        let (number, bounds) = try child(index, of: levels[level])
        try checkTree(number, at: level + 1, within: bounds, tree)
    }

    /// Checks the leaf behind that of the path, or before it.
    mutating func checkNeighbors(_ paths: inout TablePaths, isForward: Bool) throws(PageDamage) {
        guard levels.count > 1 else { return }
        var level = levels.count - 2
        // Where leaves were merged, the next one may be any behind it.
        let branch = levels[level]
        if paths.merges[branch.page.offset] != nil {
            try checkChildren(at: level, &paths)
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
        let (number, bounds) = try child(levels[level].index, of: levels[level])
        try descend(from: number, within: bounds, paths.tree) { isForward ? 0 : $0.nodeCount - 1 }
    }

    // MARK: Whole tables

    mutating func checkWhole(_ paths: inout TablePaths) throws(PageDamage) {
        let tree = paths.tree
        guard 1...PageFormat.depthLimit ~= tree.depth else { throw PageDamage(tree.root, .wrongDepth) }
        try checkTree(tree.root, at: 0, within: KeyBounds(), tree, withValues: true)
        paths.isWhole = true
    }

    /// Keys between those of the page above are on one page only: so this ends.
    ///
    /// - Parameter checksValues: whether large values are checked as well.
    private mutating func checkTree(
        _ number: UInt64, at level: Int, within bounds: KeyBounds, _ tree: Tree, withValues checksValues: Bool = false
    ) throws(PageDamage) {
        let page = try soundPage(number, at: level, within: bounds, tree)
        let branch = Level(page: page, index: 0, bounds: bounds)
        for index in 0..<page.nodeCount {
            guard page.isBranch else {
                if checksValues { try map.checkOverflow(index, of: page) }
                continue
            }
            let (child, bounds) = try child(index, of: branch)
            try checkTree(child, at: level + 1, within: bounds, tree, withValues: checksValues)
        }
    }
}
