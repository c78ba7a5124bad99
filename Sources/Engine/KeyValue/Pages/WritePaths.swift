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
    var map = PageMap.none
    private var mapSize = 0
    private let leftOut: PageChecks
    var soundPages = SoundPages()
    /// By the tables' handles.
    private var histories: [TableHistory] = []
    private var tables: [TablePaths?] = []
    /// The path of the last search, down to its leaf.
    var levels: [Level] = []

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
        self.snapshot = snapshot
        self.mapSize = mapSize
        map = snapshot.map
        tables.removeAll(keepingCapacity: true)
        soundPages.begin(in: map, of: number)
    }

    /// Notes which pages were free before the first write.
    ///
    /// - Parameters:
    ///   - freePages: a bit for each page.
    ///   - end: the first page that the file did not have.
    ///   - state: the transaction of that state.
    func trust(_ freePages: [UInt64], end: UInt64, in state: UInt64) {
        soundPages.trust(freePages, end: end, in: state)
    }

    /// Forgets everything: the file may be another one.
    func forget() {
        snapshot = nil
        soundPages = SoundPages()
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

    /// After so many searches a small table is checked whole, since that costs less than the searches that are to come. A large
    /// one would make a write wait, and a search is a smaller part of what a write of it costs.
    private static let searchesOfSmall = 64
    private static let pagesOfSmall: UInt64 = 64

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
}
