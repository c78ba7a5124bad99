import KeyValue

/// What each page of a data file is for, as of its newer meta page.
struct PageMap: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case meta
        case branch
        case leaf
        case overflow
        /// A page of LMDB's list of free pages.
        case freeList = "free list"
        /// A free page, or one that was never used.
        case unused
    }

    private(set) var kinds: [Kind]
    private let pages: [Page]

    init(_ file: FileContent) {
        pages = file.pages
        kinds = Array(repeating: .unused, count: file.pages.count)
        var newest: (roots: [Int], transaction: UInt64)?
        for number in pages.indices.prefix(2) {
            kinds[number] = .meta
            guard case .meta(let roots, _, let transaction) = pages[number].asLMDBPage.kind else { continue }
            if newest.map({ $0.transaction < transaction }) ?? true { newest = (roots, transaction) }
        }
        guard let roots = newest?.roots else { return }
        if let main = roots.last { visit(main, isFreeList: false) }
        if roots.count == 2 { visit(roots[0], isFreeList: true) }
    }

    private mutating func visit(_ number: Int, isFreeList: Bool) {
        guard kinds.indices.contains(number), case .tree(let links) = pages[number].asLMDBPage.kind else { return }
        let isBranch = pages[number].bytes[10] & 1 != 0
        kinds[number] = isFreeList ? .freeList : isBranch ? .branch : .leaf
        for tree in links.trees { visit(tree, isFreeList: isFreeList) }
        for run in links.runs {
            guard kinds.indices.contains(run.first), case .overflow(let count) = pages[run.first].asLMDBPage.kind
            else { continue }
            for other in run.first..<min(run.first + count, kinds.count) {
                kinds[other] = isFreeList ? .freeList : .overflow
            }
        }
    }

    func pages(of kind: Kind) -> [Int] { kinds.indices.filter { kinds[$0] == kind } }

    /// Whether a byte lies inside the value of one entry, so that nothing but this entry can suffer from it.
    func isInsideValue(page number: Int, byte: Int) -> Bool {
        guard kinds.indices.contains(number) else { return false }
        switch kinds[number] {
        case .leaf: return valueRanges(of: pages[number].bytes).contains { $0.contains(byte) }
        case .overflow:
            // The first page of a run has a header.
            guard case .overflow = pages[number].asLMDBPage.kind else { return true }
            return byte >= LMDBPage.headerSize
        case .meta, .branch, .freeList, .unused: return false
        }
    }

    private func valueRanges(of bytes: [UInt8]) -> [Range<Int>] {
        let span = bytes.span.bytes
        let end = Int(span.littleEndian(at: 12, as: UInt16.self))
        return stride(from: LMDBPage.headerSize, to: end, by: 2).compactMap { slot in
            let node = Int(span.littleEndian(at: slot, as: UInt16.self))
            let isPlain = span.littleEndian(at: node + 4, as: UInt16.self) == 0
            let value = node + 8 + Int(span.littleEndian(at: node + 6, as: UInt16.self))
            return isPlain ? value..<value + Int(span.littleEndian(at: node, as: UInt32.self)) : nil
        }
    }
}
