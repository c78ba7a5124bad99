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
/// - Branches are merged in the same way when a single page is left below one. Then LMDB searches what is below the neighbors.
///
/// A page is checked once while a store is open. Later ones of its number are LMDB's own work, of pages that were checked; so is
/// what is on a page that was free before the first write: only its place in the tree is checked.
///
/// A table that is empty when it is first looked at has no page to check: LMDB writes all of them. Searching once more takes as long
/// as LMDB's own search, so a store that writes for longer checks the rest of its small tables and searches these no more.
///
/// Only the one write transaction uses it. A structure: were its properties those of a class, the runtime would look for
/// conflicting accesses at each of them, which took a third of a search.
@safe struct WritePaths {
    /// The state of the last commit.
    private var snapshot: ReadSnapshot?
    var map = PageMap.none
    private var mapSize = 0
    let leftOut: PageChecks
    let pace: TableCheckPace
    var verifiedPages = VerifiedPages()
    /// By the tables' numbers.
    private var histories: [TableHistory] = []
    private var tables: [TablePaths?] = []
    /// The path of the last search in the table that is looked at, down to its leaf.
    var levels: [Level] = []
    /// The transaction of the state.
    private var state: UInt64 = 0

    struct Level {
        let page: PageMap.Page
        var index: Int
        let bounds: KeyBounds
    }

    struct Tree {
        let root: UInt64
        let depth: Int
    }

    /// A table since the store was opened.
    private struct TableHistory {
        /// Whether all of its pages are sound: nothing is left to check.
        var isWhole = false
        /// How often a path of it was checked.
        var searches = 0
        /// Whether damage was found where no path has led to.
        var hasDamage = false
        /// The path of the last search, and the state of its pages: what is written where something was read needs no other path.
        var levels: [Level] = []
        var stateOfLevels: UInt64 = 0
    }

    /// A table in the present transaction.
    struct TablePaths {
        let tree: Tree
        /// How many pages it has, if its head is right.
        let pageCount: UInt64
        var isWhole = false
        var puts = 0
        /// The leaves in which something was written.
        var changedLeaves: Set<Int> = []
        /// How many pages below a branch may have been merged.
        var merges: [Int: Int] = [:]
        /// The branches below which every page was checked.
        var checkedBranches: Set<Int> = []
    }

    init(leavingOut leftOut: PageChecks, pace: TableCheckPace) {
        self.leftOut = leftOut
        self.pace = pace
    }

    /// Begins with the state that a write transaction follows.
    ///
    /// - Parameters:
    ///   - number: the state's transaction.
    ///   - mapSize: of LMDB's map, which may be larger than the file.
    mutating func begin(in snapshot: ReadSnapshot, of number: UInt64, mapSize: Int) {
        self.snapshot = snapshot
        state = number
        self.mapSize = mapSize
        map = snapshot.map
        tables.removeAll(keepingCapacity: true)
        verifiedPages.begin(in: map, of: number)
    }

    /// Notes which pages were free before the first write.
    ///
    /// - Parameters:
    ///   - freePages: a bit for each page.
    ///   - end: the first page that the file did not have.
    ///   - state: the transaction of that state.
    mutating func trust(_ freePages: [UInt64], end: UInt64, in state: UInt64) {
        verifiedPages.trust(freePages, end: end, in: state)
    }

    /// Forgets everything: the file may be another one.
    mutating func forget() {
        snapshot = nil
        levels = []
        verifiedPages = VerifiedPages()
        histories = []
    }

    // MARK: Before LMDB reads

    /// Before the value of a key is read.
    mutating func willRead(_ key: RawSpan, in table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { checks, paths throws(PageDamage) in
            let isExact = try checks.search(key, paths.tree)
            if isExact { try checks.checkValueOfLeaf() }
        }
    }

    mutating func willPut(_ key: RawSpan, in table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { checks, paths throws(PageDamage) in
            let isExact = try checks.search(key, paths.tree)
            if isExact { try checks.checkValueOfLeaf() }
            paths.puts += 1
            paths.changedLeaves.insert(checks.leaf.page.offset)
        }
    }

    mutating func willDelete(_ key: RawSpan, in table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { checks, paths throws(PageDamage) in
            let isExact = try checks.search(key, paths.tree)
            if isExact { try checks.checkValueOfLeaf() }
            guard !checks.leftOut.contains(.siblings) else { return }
            let wasChanged = !paths.changedLeaves.insert(checks.leaf.page.offset).inserted
            guard wasChanged || isExact else { return }
            let leaf = checks.leaf
            let node = wasChanged ? nil : leaf.index
            if checks.map.mayBeMerged(leaf.page, without: node) { try checks.prepareMerge(&paths) }
            if wasChanged || leaf.index == leaf.page.nodeCount - 1 {
                try checks.checkNeighbors(&paths, isForward: true)
            }
        }
    }

    /// Before a cursor moves to the first entry that is not before a key.
    mutating func willSeek(_ key: RawSpan, in table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { checks, paths throws(PageDamage) in
            _ = try checks.search(key, paths.tree)
            let leaf = checks.leaf
            if leaf.index == leaf.page.nodeCount || paths.changedLeaves.contains(leaf.page.offset)
                || !paths.merges.isEmpty
            {
                try checks.checkNeighbors(&paths, isForward: true)
            }
        }
    }

    /// Before a cursor moves on from a key to another page.
    mutating func willMove(
        from key: RawSpan, isForward: Bool, in table: Table, of store: EnvironmentHandle
    ) throws(KeyValueError) {
        try check(table, of: store) { checks, paths throws(PageDamage) in
            _ = try checks.search(key, paths.tree)
            try checks.checkNeighbors(&paths, isForward: isForward)
        }
    }

    mutating func willMoveToEnd(isFirst: Bool, in table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { checks, paths throws(PageDamage) in
            checks.levels.removeAll(keepingCapacity: true)
            try checks.descend(from: paths.tree.root, within: KeyBounds(), paths.tree) {
                isFirst ? 0 : $0.nodeCount - 1
            }
        }
    }

    /// Before all pages of a table are freed, or a cursor moves from an unknown place.
    mutating func willReadAll(of table: Table, of store: EnvironmentHandle) throws(KeyValueError) {
        try check(table, of: store) { checks, paths throws(PageDamage) in try checks.checkWhole(&paths) }
    }

    /// Whether LMDB stays on the page of an entry of its own when it moves on: nothing is read then that was not read before.
    func staysOnPage(_ key: UnsafeRawPointer?, isForward: Bool) -> Bool {
        guard let key = unsafe key else { return false }
        let offset = unsafe Int(bitPattern: key) - Int(bitPattern: map.base)
        return 0..<mapSize ~= offset && map.hasEntry(besideKeyAt: offset, isForward: isForward)
    }

    /// Whether nothing of a table is left to check.
    func isWhole(_ table: Table) -> Bool {
        table.number < histories.count && histories[table.number].isWhole
    }

    private mutating func check(
        _ table: Table, of store: EnvironmentHandle,
        _ body: (inout WritePaths, inout TablePaths) throws(PageDamage) -> Void
    ) throws(KeyValueError) {
        // The list of tables was checked whole: see `EnvironmentHandle.checkLists(before:)`.
        guard table.number > Table.listNumber else { return }
        let number = table.number
        if number < histories.count, histories[number].isWhole { return }
        guard let snapshot else { return }
        while histories.count <= number { histories.append(TableHistory()) }
        histories[number].searches += 1
        while tables.count <= number { tables.append(nil) }
        var paths: TablePaths
        if let known = tables[number] {
            paths = known
        } else {
            let head = try snapshot.headIfPresent(of: table, in: store)
            paths = TablePaths(
                tree: Tree(root: head?.root ?? TableHead.noPage, depth: Int(head?.depth ?? 0)),
                pageCount: (head?.branchPages ?? 0) &+ (head?.leafPages ?? 0) &+ (head?.overflowPages ?? 0))
        }
        // So that its sets are not copied.
        tables[number] = nil
        swap(&levels, &histories[number].levels)
        if histories[number].stateOfLevels != state { levels.removeAll(keepingCapacity: true) }
        defer {
            tables[number] = paths
            swap(&levels, &histories[number].levels)
            histories[number].stateOfLevels = state
        }
        guard paths.tree.root != TableHead.noPage else {
            histories[number].isWhole = paths.tree.depth == 0
            return
        }
        if histories[number].searches >= pace.searchesBefore { checkRest(of: number, &paths) }
        do throws(PageDamage) {
            if !paths.isWhole { try body(&self, &paths) }
        } catch {
            throw store.damage(error)
        }
        histories[number].isWhole = paths.isWhole
    }

    /// Checks what no path has led to, of a small table. Damage there is no reason to refuse this write.
    private mutating func checkRest(of number: Int, _ paths: inout TablePaths) {
        guard paths.pageCount <= pace.pagesAtMost, !histories[number].hasDamage else { return }
        guard !leftOut.contains(.rest) else {
            paths.isWhole = true
            return
        }
        do throws(PageDamage) {
            try checkWhole(&paths)
        } catch {
            histories[number].hasDamage = true
        }
    }
}

/// When the rest of a table is checked that no path has led to: if it is so small that this costs less than the searches that are to come.
package struct TableCheckPace: Sendable {
    /// After how many searches, since a program that writes once has no use for it.
    package var searchesBefore = 64
    /// How many pages a table may have: they are read in one transaction, which waits for the disk where they are not in memory.
    package var pagesAtMost: UInt64 = 64
}

/// The paths of a store, for one write transaction after another.
final class WritePathsOfStore {
    var paths: WritePaths

    init(leavingOut leftOut: PageChecks, pace: TableCheckPace) {
        paths = WritePaths(leavingOut: leftOut, pace: pace)
    }
}
