/// Looks at every page of a data file that anything leads to: each must be where its number says, belong to one tree
/// alone, and not be on the free list. A page that is in use and free at once looks right until a later write takes it.
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

    private var owners: [Owner]
    private(set) var problems: [String] = []
    private static let limit = 20

    init(of path: String, at meta: MetaPage) throws(KeyValueError) {
        let file = try PageFile(path, pageSize: meta.pageSize)
        guard let last = Int(exactly: meta.lastPage), last < 1 << 40 else {
            throw .damaged(path: path, detail: "the number of the last page cannot be")
        }
        owners = Array(repeating: .nobody, count: last + 1)
        for page in 0...min(1, last) { owners[page] = .inUse }
        visit(meta.mainRoot, of: .records, in: file)
        visit(meta.freeListRoot, of: .freeList, in: file)
    }

    private mutating func visit(_ number: UInt64, of tree: Tree, in file: borrowing PageFile) {
        // LMDB's word for a tree without pages.
        guard number != .max, take(number, for: .inUse) else { return }
        guard let page = file.page(number) else { return problem(number, "not in the file") }
        guard page.number == number else { return problem(number, "says that it is page \(page.number)") }
        guard page.isTree else { return problem(number, "not of the kind that it should be") }
        var nodes: [TreePage.Node] = []
        page.forEachNode { nodes.append($0) }
        for node in nodes {
            switch node {
            case .child(let below): visit(below, of: tree, in: file)
            case .table(let root): visit(root, of: tree, in: file)
            case .overflow(let first, let count): visitRun(first, holding: count, of: tree, in: file)
            case .value(let range): if tree == .freeList { unsafe free(page.bytes.span.bytes.extracting(range)) }
            case .outside: problem(number, "an entry lies outside of it")
            }
        }
    }

    /// The pages of a large value. How many there are follows from its size, as LMDB reckons.
    private mutating func visitRun(
        _ first: UInt64, holding count: Int, of tree: Tree, in file: borrowing PageFile
    ) {
        guard first < UInt64(owners.count) else { return problem(first, "beyond the last page") }
        let pages = (TreePage.headerSize - 1 + count) / file.pageSize + 1
        for number in first..<(first &+ UInt64(pages)) {
            guard take(number, for: .inUse) else { return }
        }
        guard let bytes = file.bytes(at: first, count: TreePage.headerSize + (tree == .freeList ? count : 0)) else {
            return problem(first, "not in the file")
        }
        let found: UInt64 = unsafe bytes.span.bytes.littleEndian(at: 0)
        if found != first { problem(first, "says that it is page \(found)") }
        if tree == .freeList { unsafe free(bytes.span.bytes.extracting(TreePage.headerSize...)) }
    }

    private mutating func free(_ value: RawSpan) {
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
        if problems.count < Self.limit { problems.append("page \(page) of data.mdb: \(text)") }
    }
}
