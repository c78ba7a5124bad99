/// The pages that LMDB's code is about to read and change in a write transaction: they are checked before, so that no byte of
/// a file ends the process.
///
/// LMDB copies a page before it changes it, so the pages of the last commit stay as they are until the transaction ends, and
/// every copy is of a page that was checked. They are searched here as readers search them, from the roots of that commit.
/// What LMDB reads is near the path to the key there:
///
/// - A put reads the path alone. It may divide pages, which moves no key to another page of the last commit.
/// - A delete may merge the leaf with one beside it under the same branch, and reads the leaf behind it.
/// - After a merge a leaf has keys of its neighbors: from the second one on all leaves of the branch count as neighbors.
/// - Branches are merged only when a single leaf is left below one: then the table is checked whole.
///
/// A page is checked once while a store is open. Later ones of its number are LMDB's own work, of pages that were checked; so is
/// what is on a page that was free before the first write: only its place in the tree is checked.
///
/// Only the one write transaction uses it.
@safe final class WritePaths {
    /// The state of the last commit.
    private var snapshot: ReadSnapshot?
    private var map = PageMap.none
    private var mapSize = 0
    private let leftOut: PageChecks
    /// A bit for each page that is sound.
    private var soundPages: [UInt64] = []
    /// A bit for each page that was free before the first write.
    private var freePages: [UInt64] = []
    /// The first page behind the file then.
    private var end = UInt64.max
    /// The state before the first write.
    private var firstState: UInt64 = 0
    /// Whether nothing has been written since.
    private var isFirst = true
    /// By the tables' handles.
    private var histories: [TableHistory] = []
    private var tables: [TablePaths?] = []
    /// The path of the last search, down to its leaf.
    private var levels: [Level] = []

    private struct Level {
        let page: PageMap.Page
        var index: Int
        let bounds: KeyBounds
    }

    private struct Tree {
        let root: UInt64
        let depth: Int
    }

    /// A table since the store was opened.
    private struct TableHistory {
        /// Whether all of its pages are sound: nothing is left to check.
        var isWhole = false
        /// How often a path of it was checked.
        var searches = 0
    }

    /// A table in the present transaction.
    private struct TablePaths {
        let tree: Tree
        /// How many pages it has, if its head is right.
        let pageCount: UInt64
        var isWhole = false
        var puts = 0
        /// The leaves in which something was written.
        var changedLeaves: Set<Int> = []
        /// How many leaves below a branch may have been merged.
        var merges: [Int: Int] = [:]
    }

    init(leavingOut leftOut: PageChecks) {
        self.leftOut = leftOut
    }

    /// Begins with the state that a write transaction follows.
    ///
    /// - Parameters:
    ///   - number: the state's transaction.
    ///   - mapSize: of LMDB's map, which may be larger than the file.
    func begin(in snapshot: ReadSnapshot, of number: UInt64, mapSize: Int) {
        isFirst = number == firstState
        self.snapshot = snapshot
        self.mapSize = mapSize
        map = snapshot.map
        tables.removeAll(keepingCapacity: true)
        let words = Int(map.pageCount / 64) + 1
        if words > soundPages.count {
            soundPages += [UInt64](repeating: 0, count: words + words / 2 - soundPages.count)
        }
    }

    /// Notes which pages were free before the first write. What is on them in a later state, LMDB has written since.
    ///
    /// - Parameters:
    ///   - freePages: a bit for each page.
    ///   - end: the first page that the file did not have.
    ///   - state: the transaction of that state.
    func trust(_ freePages: [UInt64], end: UInt64, in state: UInt64) {
        (self.freePages, self.end, firstState) = (freePages, end, state)
    }

    /// Whether LMDB has written a page since the first write, if it is in use.
    private func isWritten(_ number: UInt64) -> Bool {
        let word = Int(number / 64)
        return number >= end || word < freePages.count && freePages[word] & 1 << (number % 64) != 0
    }

    /// Forgets everything: the file may be another one.
    func forget() {
        snapshot = nil
        (soundPages, freePages, end) = ([], [], .max)
        histories = []
    }

    // MARK: Before LMDB reads

    /// Before the value of a key is read.
    func willRead(_ key: RawSpan, in table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { paths throws(PageDamage) in
            let isExact = try search(key, paths.tree)
            if isExact { try map.checkOverflow(leaf.index, of: leaf.page) }
        }
    }

    func willPut(_ key: RawSpan, in table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { paths throws(PageDamage) in
            let isExact = try search(key, paths.tree)
            if isExact { try map.checkOverflow(leaf.index, of: leaf.page) }
            paths.puts += 1
            paths.changedLeaves.insert(leaf.page.offset)
        }
    }

    func willDelete(_ key: RawSpan, in table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { paths throws(PageDamage) in
            let isExact = try search(key, paths.tree)
            if isExact { try map.checkOverflow(leaf.index, of: leaf.page) }
            guard !leftOut.contains(.siblings) else { return }
            let wasChanged = !paths.changedLeaves.insert(leaf.page.offset).inserted
            guard wasChanged || isExact else { return }
            let node = wasChanged ? nil : leaf.index
            if map.mayBeMerged(leaf.page, without: node) { try prepareMerge(&paths) }
            if wasChanged || leaf.index == leaf.page.nodeCount - 1 { try checkNeighbors(&paths, isForward: true) }
        }
    }

    /// Before a cursor moves to the first entry that is not before a key.
    func willSeek(_ key: RawSpan, in table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { paths throws(PageDamage) in
            _ = try search(key, paths.tree)
            if leaf.index == leaf.page.nodeCount || paths.changedLeaves.contains(leaf.page.offset)
                || !paths.merges.isEmpty
            {
                try checkNeighbors(&paths, isForward: true)
            }
        }
    }

    /// Before a cursor moves on from a key to another page.
    func willMove(
        from key: RawSpan, isForward: Bool, in table: Table, of store: EnvironmentHandle
    ) throws(KeyValueError) {
        try check(table, of: store) { paths throws(PageDamage) in
            _ = try search(key, paths.tree)
            try checkNeighbors(&paths, isForward: isForward)
        }
    }

    func willMoveToEnd(isFirst: Bool, in table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { paths throws(PageDamage) in
            levels.removeAll(keepingCapacity: true)
            try descend(from: paths.tree.root, within: KeyBounds(), paths.tree) { isFirst ? 0 : $0.nodeCount - 1 }
        }
    }

    /// Before all pages of a table are freed, or a cursor moves from an unknown place.
    func willReadAll(of table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { paths throws(PageDamage) in try checkWhole(&paths) }
    }

    /// Whether LMDB stays on the page of an entry of its own when it moves on: nothing is read then that was not read before.
    func staysOnPage(_ key: UnsafeRawPointer?, isForward: Bool) -> Bool {
        guard let key = unsafe key else { return false }
        let offset = unsafe Int(bitPattern: key) - Int(bitPattern: map.base)
        return 0..<mapSize ~= offset && map.hasEntry(besideKeyAt: offset, isForward: isForward)
    }

    private func check(
        _ table: Table, of store: EnvironmentHandle, _ body: (inout TablePaths) throws(PageDamage) -> Void
    ) throws(KeyValueError) {
        // The list of tables was checked whole: see `EnvironmentHandle.checkLists(before:)`.
        guard let snapshot, table.handle > EnvironmentHandle.tableList else { return }
        let handle = Int(table.handle)
        while histories.count <= handle { histories.append(TableHistory()) }
        if histories[handle].isWhole { return }
        histories[handle].searches += 1
        while tables.count <= handle { tables.append(nil) }
        var paths: TablePaths
        if let known = tables[handle] {
            paths = known
        } else {
            let head = try snapshot.headIfPresent(of: table, in: store)
            paths = TablePaths(
                tree: Tree(root: head?.root ?? TableHead.noPage, depth: Int(head?.depth ?? 0)),
                pageCount: (head?.branchPages ?? 0) &+ (head?.leafPages ?? 0) &+ (head?.overflowPages ?? 0))
        }
        // So that its sets are not copied.
        tables[handle] = nil
        defer { tables[handle] = paths }
        guard paths.tree.root != TableHead.noPage else { return }
        if histories[handle].searches == Self.searchesOfSmall, paths.pageCount <= Self.pagesOfSmall {
            // Damage elsewhere in it is no reason to refuse this write.
            try? checkWhole(&paths)
        }
        do throws(PageDamage) {
            if !paths.isWhole { try body(&paths) }
        } catch {
            throw store.damage(error)
        }
        histories[handle].isWhole = paths.isWhole
    }

    // MARK: Searching

    /// The last level of the path.
    private var leaf: Level { levels[levels.count - 1] }

    /// Checks the pages from the root to the leaf of a key; returns whether the leaf has the key.
    private func search(_ key: RawSpan, _ tree: Tree) throws(PageDamage) -> Bool {
        levels.removeAll(keepingCapacity: true)
        return try unsafe key.withUnsafeBytes { key throws(PageDamage) in
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
    private func descend(
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

    @inline(__always)
    private func soundPage(
        _ number: UInt64, at level: Int, within bounds: KeyBounds, _ tree: Tree
    ) throws(PageDamage) -> PageMap.Page {
        let page = try map.page(number)
        let (word, bit) = (Int(number / 64), UInt64(1) << (number % 64))
        let isBranch = level + 1 < tree.depth
        if soundPages[word] & bit != 0, page.isBranch == isBranch { return page }
        if isWritten(number) {
            guard !isFirst else { throw map.damage(page, .isFree) }
            try map.checkPlace(of: page, within: bounds, isBranch: isBranch)
        } else {
            try map.checkSoundness(of: page, within: bounds, isBranch: isBranch)
        }
        soundPages[word] |= bit
        return page
    }

    // MARK: Neighbors

    /// Checks what LMDB reads if it merges the leaf of the path.
    private func prepareMerge(_ paths: inout TablePaths) throws(PageDamage) {
        // The only leaf has no neighbor.
        guard levels.count > 1 else { return }
        let level = levels.count - 2
        let branch = levels[level]
        let count = paths.merges[branch.page.offset, default: 0] + 1
        paths.merges[branch.page.offset] = count
        let beside = max(branch.index - 1, 0)...min(branch.index + 1, branch.page.nodeCount - 1)
        try checkChildren(count == 1 ? beside : 0...branch.page.nodeCount - 1, at: level, paths.tree)
        guard level > 0 else { return }
        // Puts may have divided the branch; of the seven children that it has at least when it is full, three are left then.
        let isDivided = paths.puts * PageFormat.longestBranchNode > map.freeSpace(of: branch.page)
        if count + 1 >= (isDivided ? 3 : branch.page.nodeCount - 1) { try checkWhole(&paths) }
    }

    private func checkChildren(
        _ indexes: ClosedRange<Int>, at level: Int, _ tree: Tree
    ) throws(PageDamage) {
        for index in indexes {
            let (number, bounds) = try child(index, of: levels[level])
            _ = try soundPage(number, at: level + 1, within: bounds, tree)
        }
    }

    /// Checks the leaf behind that of the path, or before it.
    private func checkNeighbors(_ paths: inout TablePaths, isForward: Bool) throws(PageDamage) {
        guard levels.count > 1 else { return }
        var level = levels.count - 2
        // Where leaves were merged, the next one may be any behind it.
        let branch = levels[level]
        if paths.merges[branch.page.offset] != nil {
            try checkChildren(0...branch.page.nodeCount - 1, at: level, paths.tree)
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

    /// After so many searches a small table is checked whole, since that costs less than the searches that are to come. A large
    /// one would make a write wait, and a search is a smaller part of what a write of it costs.
    private static let searchesOfSmall = 64
    private static let pagesOfSmall: UInt64 = 64

    private func checkWhole(_ paths: inout TablePaths) throws(PageDamage) {
        let tree = paths.tree
        guard 1...PageFormat.depthLimit ~= tree.depth else { throw PageDamage(tree.root, .wrongDepth) }
        try checkTree(tree.root, at: 0, within: KeyBounds(), tree)
        paths.isWhole = true
    }

    /// Keys between those of the page above are on one page only: so this ends.
    private func checkTree(
        _ number: UInt64, at level: Int, within bounds: KeyBounds, _ tree: Tree
    ) throws(PageDamage) {
        let page = try map.page(number)
        try map.checkSoundness(of: page, within: bounds, isBranch: level + 1 < tree.depth)
        let branch = Level(page: page, index: 0, bounds: bounds)
        for index in 0..<page.nodeCount {
            guard page.isBranch else {
                try map.checkOverflow(index, of: page)
                continue
            }
            let (child, bounds) = try child(index, of: branch)
            try checkTree(child, at: level + 1, within: bounds, tree)
        }
    }
}
