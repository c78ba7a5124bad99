/// Checks the list of tables, which LMDB itself has to search when it opens a table: every page of it, from the file and
/// not through the map, so that nothing on them can make LMDB read beyond a page or the file.
struct TableListCheck {
    /// Where the first key of the list is in the file: it leads to the place of the map.
    private(set) var firstKey = 0
    private let pageCount: UInt64
    private var visited: Set<UInt64> = []

    init(of list: TableHead, in file: borrowing PageFile, pageCount: UInt64) throws(PageDamage) {
        self.pageCount = pageCount
        try visit(list.root, in: file, depth: 1)
    }

    private mutating func visit(_ number: UInt64, in file: borrowing PageFile, depth: Int) throws(PageDamage) {
        guard depth <= PageFormat.depthLimit, visited.insert(number).inserted else { throw PageDamage(number, .isLoop) }
        guard number < pageCount, let page = file.page(number) else { throw PageDamage(number, .notInFile) }
        guard page.number == number else { throw PageDamage(number, .hasNumber(page.number)) }
        guard page.isTree else { throw PageDamage(number, .wrongType) }
        let nodes = page.nodes
        guard page.hasValidLayout, nodes.count >= (page.isBranch ? 2 : 1) else {
            throw PageDamage(number, .invalidNodes)
        }
        if !page.isBranch, firstKey == 0 {
            firstKey = Int(number) * file.pageSize + page.nodeStart(0) + PageFormat.nodeHeaderSize
        }
        for node in nodes {
            switch node {
            case .child(let below): try visit(below, in: file, depth: depth + 1)
            case .table: continue
            // Not marked as a table: LMDB refuses to open it.
            case .value(let range) where range.count >= TableHead.byteCount: continue
            case .value, .overflow, .outside: throw PageDamage(number, .invalidLayout)
            }
        }
    }
}
