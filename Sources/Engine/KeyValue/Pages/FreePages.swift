/// The pages in LMDB's free list, read from the file and not through the map.
struct FreePages {
    private var pages: Set<UInt64> = []
    private var visited: Set<UInt64> = []

    init(in path: String, of meta: MetaPage) throws(KeyValueError) {
        let file = try PageFile(path, pageSize: meta.pageSize)
        if meta.freeList.root != TableHead.noPage { visit(meta.freeList.root, in: file, depth: 1) }
    }

    func contains(all range: ClosedRange<UInt64>) -> Bool {
        range.count <= pages.count && range.allSatisfy(pages.contains)
    }

    /// Collects the page numbers of a page and of those below it. Unreadable pages add nothing.
    private mutating func visit(_ number: UInt64, in file: borrowing PageFile, depth: Int) {
        guard depth <= PageFormat.depthLimit, visited.insert(number).inserted, let page = file.page(number) else {
            return
        }
        for node in page.nodes {
            switch node {
            case .child(let below): visit(below, in: file, depth: depth + 1)
            case .value(let range): unsafe take(page.bytes.span.bytes.extracting(range))
            case .overflow(let first, let count):
                guard let bytes = file.bytes(at: first, count: TreePage.headerSize + count) else { continue }
                unsafe take(bytes.span.bytes.extracting(TreePage.headerSize...))
            case .table, .outside: continue
            }
        }
    }

    private mutating func take(_ value: RawSpan) {
        FreeList.forEachPage(in: value) { pages.insert($0) }
    }
}

/// The page numbers in a value of the free list: a count, then that many numbers.
enum FreeList {
    /// Whether the count fits, and the numbers descend, as LMDB assumes when it merges lists.
    static func isValid(_ value: RawSpan) -> Bool {
        guard value.byteCount >= 8, value.littleEndian(at: 0, as: UInt64.self) <= UInt64(value.byteCount / 8 - 1) else {
            return false
        }
        var last = UInt64.max
        var descends = true
        forEachPage(in: value) { page in
            descends = descends && page < last
            last = page
        }
        return descends
    }

    static func forEachPage(in value: RawSpan, _ body: (UInt64) -> Void) {
        guard value.byteCount >= 8 else { return }
        let entries = min(value.littleEndian(at: 0, as: UInt64.self), UInt64(value.byteCount / 8 - 1))
        for entry in 0..<Int(entries) { body(value.littleEndian(at: 8 + entry * 8)) }
    }
}
