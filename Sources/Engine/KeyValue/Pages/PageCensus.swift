/// Checks every reachable page of a data file: each must be at the position of its number, belong to only one tree, and
/// not be on the free list; and each table must have the number of pages and entries in its head. A page that is in use
/// and free at once looks right until a later write takes it, and what LMDB frees goes by its counts.
///
/// Pages that nothing leads to are no problem: they are only lost.
struct PageCensus {
    private enum Owner: UInt8 {
        case nobody
        case inUse
        case free
    }

    private enum Tree {
        /// Its values name free pages.
        case freeList
        case records
    }

    private let transaction: UInt64
    private var lastFreeingTransaction: UInt64 = 0
    private var owners: [Owner]
    private(set) var problems = PageProblems()

    init(of path: String, at meta: MetaPage) throws(KeyValueError) {
        let file = try PageFile(path, pageSize: meta.pageSize)
        guard let last = Int(exactly: meta.lastPage), last < 1 << 40 else {
            throw .damaged(path: path, detail: "the number of the last page cannot be")
        }
        transaction = meta.transaction
        owners = Array(repeating: .nobody, count: last + 1)
        for page in 0...min(1, last) { owners[page] = .inUse }
        visit(meta.main, of: .records, named: "the list of tables", in: file)
        visit(meta.freeList, of: .freeList, named: "the free list", in: file)
    }

    private mutating func visit(_ head: TableHead, of tree: Tree, named name: String, in file: borrowing PageFile) {
        var found = TableHead(root: head.root)
        let problemsBefore = problems
        if head.root != TableHead.noPage { visit(head.root, of: tree, counting: &found, in: file) }
        // With a page of it wrong, the counts cannot be right.
        guard found != head, problems == problemsBefore else { return }
        problems.addLocal("\(name): its pages are not as many as its head says")
    }

    private mutating func visit(
        _ number: UInt64, of tree: Tree, counting head: inout TableHead, in file: borrowing PageFile
    ) {
        guard take(number, for: .inUse) else { return }
        guard let page = file.page(number) else { return problem(number, "not in the file") }
        guard page.number == number else { return problem(number, "says that it is page \(page.number)") }
        guard page.isTree else { return problem(number, "not of the kind that it should be") }
        if !page.hasValidLayout {
            let text = "its entries lie across each other"
            guard !page.isBranch else { return problem(number, text) }
            problems.addLocal("page \(number): \(text)")
        }
        var nodes: [TreePage.Node] = []
        page.forEachNode { nodes.append($0) }
        if page.isBranch { head.branchPages += 1 } else { head.leafPages += 1 }
        if tree == .freeList { takeKeys(page.numericKeys) }
        for node in nodes {
            if !page.isBranch { head.entries += 1 }
            switch node {
            case .child(let below): visit(below, of: tree, counting: &head, in: file)
            case .table(let head): visit(head, of: tree, named: "a table on page \(number)", in: file)
            case .overflow(let first, let count):
                head.overflowPages += visitRun(first, holding: count, of: tree, in: file)
            case .value(let range): if tree == .freeList { unsafe free(page.bytes.span.bytes.extracting(range)) }
            // Said already.
            case .outside: continue
            }
        }
    }

    /// The free list's keys are the transactions that gave pages back, in their order.
    private mutating func takeKeys(_ keys: [UInt64]) {
        for key in keys {
            if key <= lastFreeingTransaction || key > transaction {
                problems.addOwnership("the free list: transaction \(key) is out of place")
            }
            lastFreeingTransaction = key
        }
    }

    /// The pages of a large value and their number, which follows from its size, as LMDB computes it, and is in the
    /// first one's header as well.
    private mutating func visitRun(
        _ first: UInt64, holding count: Int, of tree: Tree, in file: borrowing PageFile
    ) -> UInt64 {
        let pages = UInt64((TreePage.headerSize - 1 + count) / file.pageSize + 1)
        guard first < UInt64(owners.count) else {
            problem(first, "beyond the last page")
            return pages
        }
        for number in first..<(first + pages) where !take(number, for: .inUse) { return pages }
        guard let bytes = file.bytes(at: first, count: TreePage.headerSize + (tree == .freeList ? count : 0)) else {
            problem(first, "not in the file")
            return pages
        }
        let run = unsafe bytes.span.bytes
        let stated: UInt64 = run.littleEndian(at: 0)
        if stated != first { problem(first, "says that it is page \(stated)") }
        if UInt64(run.littleEndian(at: 12, as: UInt32.self)) != pages {
            problem(first, "not as many pages as its value")
        }
        if tree == .freeList { free(run.extracting(TreePage.headerSize...)) }
        return pages
    }

    private mutating func free(_ value: RawSpan) {
        if !FreeList.isSound(value) { problems.addOwnership("the free list: a list of pages is not in order") }
        FreeList.forEachPage(in: value) { _ = take($0, for: .free) }
    }

    /// Takes a page for an owner; false when it cannot be there, or has one already.
    private mutating func take(_ number: UInt64, for owner: Owner) -> Bool {
        guard let index = Int(exactly: number), index < owners.count else {
            problem(number, "beyond the last page")
            return false
        }
        guard owners[index] == .nobody else {
            problem(number, owners[index] == owner ? "led to twice" : "in use and free at once")
            return false
        }
        owners[index] = owner
        return true
    }

    private mutating func problem(_ page: UInt64, _ text: String) {
        problems.addOwnership("page \(page): \(text)")
    }
}

/// What is wrong with LMDB's own pages, one line each.
public struct PageProblems: Equatable, Sendable {
    /// Where it is not sure whose a page is: to free pages, as every write does, would make it worse.
    public private(set) var ofOwnership: [String] = []
    /// Inside a table: repaired when the table is rewritten.
    public private(set) var local: [String] = []

    private static let limit = 20

    /// All of them.
    public var all: [String] { ofOwnership + local }

    mutating func addOwnership(_ text: String) {
        if ofOwnership.count < Self.limit { ofOwnership.append("data.mdb, \(text)") }
    }

    mutating func addLocal(_ text: String) {
        if local.count < Self.limit { local.append("data.mdb, \(text)") }
    }
}

extension Environment {
    /// Looks at every page of the data file that anything leads to, and returns what is wrong with them: a page in two
    /// trees, in use and free at once, in another's place, or not laid out as it must be. Cost: reads every page that is
    /// in use.
    ///
    /// While another process commits all the time, the moment may be gone before its pages can be looked at; then nothing
    /// is found.
    public func pageProblems() throws(KeyValueError) -> PageProblems {
        let file = "\(path)/\(StoreFolder.dataFile)"
        for _ in 0..<16 {
            // The transaction keeps the pages of its moment from being used again.
            let transaction = try beginRead()
            let meta = try MetaPage.newest(in: file)
            guard try transaction.number == meta.transaction else { continue }
            return try PageCensus(of: file, at: meta).problems
        }
        return PageProblems()
    }
}
