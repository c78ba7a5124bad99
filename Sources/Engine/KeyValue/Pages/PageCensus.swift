/// Checks every reachable page of a data file: each must have the number of its position, belong to only one tree, and
/// not be on the free list; and each table must have the flags, depth and numbers of pages and entries in its head. A page
/// that is in use and on the free list has no effect until a later write takes it, and LMDB frees pages by its counts.
///
/// Unreferenced pages are not a problem: they only waste space.
struct PageCensus {
    private enum Owner: UInt8 {
        case unreferenced
        case inUse
        case free
    }

    private enum Tree {
        /// Its values name free pages.
        case freeList
        /// The list of tables, whose values are the tables' heads.
        case tables
        case records

        /// What LMDB stores with the tree: the keys of the free list are numbers of the machine (`MDB_INTEGERKEY`).
        var flags: UInt16 { self == .freeList ? 0x08 : 0 }
    }

    private let transaction: UInt64
    private let visitsRecords: Bool
    /// Called at each page.
    private let pause: () -> Void
    /// The roots of tables whose pages are not visited.
    private var unvisitedRoots: [UInt64] = []
    private var lastFreeingTransaction: UInt64 = 0
    /// The last name of the list of tables, or what separates two pages of it: then a page may begin with it.
    private var lastName: (bytes: ArraySlice<UInt8>, isSeparator: Bool) = ([], true)
    private var owners: [Owner]
    private(set) var problems = PageProblems()

    /// - Parameter visitsRecords: whether the pages of tables are visited as well as those of LMDB's own lists.
    init(
        of path: String, at meta: MetaPage, visitsRecords: Bool = true, pausing pause: @escaping () -> Void = {}
    ) throws(KeyValueError) {
        let file = try PageFile(path, pageSize: meta.pageSize)
        // Pages at the end that were freed before they were written are not in the file. There are not that many.
        guard let last = Int(exactly: meta.lastPage), last < file.byteCount / file.pageSize + 1 << 24 else {
            throw .damaged(path: path, detail: "the number of the last page is impossible")
        }
        transaction = meta.transaction
        self.visitsRecords = visitsRecords
        self.pause = pause
        owners = Array(repeating: .unreferenced, count: last + 1)
        for page in 0...min(1, last) { owners[page] = .inUse }
        visit(meta.main, of: .tables, named: "the list of tables", in: file)
        visit(meta.freeList, of: .freeList, named: "the free list", in: file)
        for root in unvisitedRoots where root != TableHead.noPage { _ = take(root, for: .inUse) }
    }

    /// A bit for each page that is free.
    var freePages: [UInt64] {
        var bits = [UInt64](repeating: 0, count: owners.count / 64 + 1)
        for (page, owner) in owners.enumerated() where owner == .free { bits[page / 64] |= 1 << UInt64(page % 64) }
        return bits
    }

    private mutating func visit(_ head: TableHead, of tree: Tree, named name: String, in file: borrowing PageFile) {
        var found = TableHead(root: head.root, flags: tree.flags)
        let problemsBefore = problems
        if head.root != TableHead.noPage { visit(head.root, of: tree, at: 1, counting: &found, in: file) }
        if head.flags != found.flags { flaw(of: tree, "\(name): its head has invalid flags") }
        // If one of the pages is invalid, the counts cannot be right.
        guard found != head, problems == problemsBefore else { return }
        let text = "\(name): the depth, or the number of pages or entries, differs from its head"
        found.entries = head.entries
        if tree == .records, found == head { problems.add(text, to: \.ofCounts) } else { flaw(of: tree, text) }
    }

    private mutating func visit(
        _ number: UInt64, of tree: Tree, at depth: UInt16, counting head: inout TableHead,
        in file: borrowing PageFile
    ) {
        guard depth <= PageFormat.depthLimit else { return problem(number, "its tree has a loop") }
        guard take(number, for: .inUse) else { return }
        pause()
        guard let page = file.page(number) else { return problem(number, "not in the file") }
        guard page.number == number else { return problem(number, "has the number \(page.number)") }
        guard page.isTree else { return problem(number, "has the wrong type") }
        if !page.hasValidLayout {
            let text = "its entries overlap, leave a gap or have invalid flags"
            guard !page.isBranch else { return problem(number, text) }
            flaw(of: tree, "page \(number): \(text)")
        }
        head.depth = max(head.depth, depth)
        if page.isBranch { head.branchPages += 1 } else { head.leafPages += 1 }
        if tree == .freeList { takeKeys(page.numericKeys) }
        let offsets = tree == .tables ? page.nodeOffsets : []
        for (index, node) in page.nodes.enumerated() {
            if !page.isBranch { head.entries += 1 }
            // The first key of a branch stands for all that are smaller.
            if tree == .tables, index > 0 || !page.isBranch { takeName(on: page, at: offsets[index]) }
            switch node {
            case .child(let below): visit(below, of: tree, at: depth + 1, counting: &head, in: file)
            case .table(let head) where tree == .tables:
                guard visitsRecords else {
                    unvisitedRoots.append(head.root)
                    if head.flags != 0 { flaw(of: .tables, "a table on page \(number): its head has invalid flags") }
                    continue
                }
                visit(head, of: .records, named: "a table on page \(number)", in: file)
            case .table: flaw(of: tree, "page \(number): an entry is marked as a table")
            case .value where tree == .tables: flaw(of: tree, "page \(number): an entry is not marked as a table")
            case .overflow(let first, let count):
                head.overflowPages += visitRun(first, holding: count, of: tree, in: file)
            case .value(let range): if tree == .freeList { unsafe free(page.bytes.span.bytes.extracting(range)) }
            // Reported above.
            case .outside: continue
            }
        }
    }

    /// The free list's keys are the transactions that freed pages, in ascending order.
    private mutating func takeKeys(_ keys: [UInt64]) {
        for key in keys {
            if key <= lastFreeingTransaction || key > transaction {
                flaw(of: .freeList, "the free list: transaction \(key) is out of order")
            }
            lastFreeingTransaction = key
        }
    }

    /// LMDB looks for a name where it belongs, and follows a cursor that it has not set if the page has others there.
    private mutating func takeName(on page: TreePage, at start: Int) {
        guard page.hasNode(at: start), page.keyRange(at: start).upperBound <= page.byteCount else { return }
        let name = page.bytes[page.keyRange(at: start)]
        let isLater =
            lastName.bytes.lexicographicallyPrecedes(name)
            || lastName.isSeparator && !page.isBranch && lastName.bytes == name
        if !isLater || name.isEmpty { flaw(of: .tables, "page \(page.number): the names of tables are out of order") }
        lastName = (name, page.isBranch)
    }

    /// The pages of a large value. Their number is in the first one's header and follows from the value's size; there are
    /// more where a smaller value has replaced one of the same transaction, since LMDB keeps its pages then.
    private mutating func visitRun(
        _ first: UInt64, holding count: Int, of tree: Tree, in file: borrowing PageFile
    ) -> UInt64 {
        let needed = UInt64(PageFormat.overflowPages(holding: count, pageSize: file.pageSize))
        guard first < UInt64(owners.count) else {
            problem(first, "beyond the last page")
            return needed
        }
        guard let bytes = file.bytes(at: first, count: TreePage.headerSize + (tree == .freeList ? count : 0)) else {
            problem(first, "not in the file")
            return needed
        }
        let run = unsafe bytes.span.bytes
        let stated: UInt64 = run.littleEndian(at: 0)
        if stated != first { problem(first, "says that it is page \(stated)") }
        var pages = UInt64(run.littleEndian(at: 12, as: UInt32.self))
        if pages < needed || pages > UInt64(owners.count) - first {
            problem(first, "has the wrong number of pages for its value")
            pages = needed
        }
        for number in first..<(first + pages) where !take(number, for: .inUse) { return pages }
        if tree == .freeList { free(run.extracting(TreePage.headerSize...)) }
        return pages
    }

    private mutating func free(_ value: RawSpan) {
        if !FreeList.isValid(value) { flaw(of: .freeList, "the free list: a list of pages is out of order") }
        FreeList.forEachPage(in: value) { _ = take($0, for: .free) }
    }

    /// Assigns a page to an owner; returns false if the page does not exist or has an owner already.
    private mutating func take(_ number: UInt64, for owner: Owner) -> Bool {
        guard let index = Int(exactly: number), index < owners.count else {
            problem(number, "beyond the last page")
            return false
        }
        guard owners[index] == .unreferenced else {
            problem(number, owners[index] == owner ? "referenced twice" : "both in use and free")
            return false
        }
        owners[index] = owner
        return true
    }

    private mutating func problem(_ page: UInt64, _ text: String) {
        problems.add("page \(page): \(text)", to: \.ofOwnership)
    }

    /// A problem inside a tree. Only the tables of records are ever rewritten: what is wrong inside the free list or the
    /// list of tables stays wrong, and every later write would build on it.
    private mutating func flaw(of tree: Tree, _ text: String) {
        problems.add(text, to: tree == .records ? \.local : \.ofOwnership)
    }
}

/// The problems of LMDB's own pages, one line each.
public struct PageProblems: Equatable, Sendable {
    /// Problems of the pages' ownership: freeing pages, as every write does, could make them worse.
    public fileprivate(set) var ofOwnership: [String] = []
    /// Inside a table.
    public fileprivate(set) var local: [String] = []
    /// Tables that have another number of entries than their heads say, and no other problem: repaired when they are rewritten.
    public fileprivate(set) var ofCounts: [String] = []

    private static let limit = 20

    /// All of them.
    public var all: [String] { ofOwnership + local + ofCounts }

    mutating func add(_ text: String, to list: WritableKeyPath<Self, [String]>) {
        if self[keyPath: list].count < Self.limit { self[keyPath: list].append("data.mdb, \(text)") }
    }
}

extension Environment {
    /// Checks every referenced page of the data file and returns the problems: a page in two trees, both in use and
    /// free, in the position of another page, or with an invalid layout. Cost: reads every page that is in use.
    ///
    /// While another process commits continuously, the pages of the moment may be reused before they are read; then no
    /// problem is reported.
    public func pageProblems() throws(KeyValueError) -> PageProblems { try pageProblems(pausing: {}) }

    /// Checks every referenced page of the data file, as `pageProblems` does.
    ///
    /// - Parameter pause: called at each page, for work that lets others go first.
    package func pageProblems(pausing pause: @escaping () -> Void) throws(KeyValueError) -> PageProblems {
        let file = "\(path)/\(StoreFolder.dataFile)"
        for _ in 0..<16 {
            // The transaction prevents the reuse of the pages of its moment.
            let transaction = try beginRead()
            let meta = try MetaPage.newest(in: file)
            guard try transaction.number == meta.transaction else { continue }
            let problems = Result { () throws(KeyValueError) in
                try PageCensus(of: file, at: meta, pausing: pause).problems
            }
            if transaction.isLost { continue }
            return try problems.get()
        }
        return PageProblems()
    }
}
