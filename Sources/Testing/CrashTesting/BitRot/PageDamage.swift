import DiskImages
import KeyValue

/// A way in which a page of a data file can be damaged silently.
enum PageDamage: Hashable, Sendable {
    /// One bit is inverted.
    case flip(page: Int, byte: Int, bit: Int)
    /// Two pages have traded places, as misdirected writes leave them.
    case swap(Int, Int)
    /// A page is as it was `age` transactions earlier: a lost write.
    case old(page: Int, age: Int)
    /// A page belongs to another store.
    case foreign(page: Int)
    case zeros(page: Int)

    /// For example `flip:12.331.4`, as in a reproducer.
    var text: String {
        switch self {
        case .flip(let page, let byte, let bit): "flip:\(page).\(byte).\(bit)"
        case .swap(let first, let second): "swap:\(first).\(second)"
        case .old(let page, let age): "old:\(page).\(age)"
        case .foreign(let page): "foreign:\(page)"
        case .zeros(let page): "zeros:\(page)"
        }
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":")
        guard parts.count == 2 else { return nil }
        let words = parts[1].split(separator: ".")
        let numbers = words.compactMap { Int($0) }
        guard words.count == numbers.count, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        switch (parts[0], numbers.count) {
        case ("flip", 3) where numbers[1] < Page.size && numbers[2] < 8:
            self = .flip(page: numbers[0], byte: numbers[1], bit: numbers[2])
        case ("swap", 2): self = .swap(numbers[0], numbers[1])
        case ("old", 2): self = .old(page: numbers[0], age: numbers[1])
        case ("foreign", 1): self = .foreign(page: numbers[0])
        case ("zeros", 1): self = .zeros(page: numbers[0])
        default: return nil
        }
    }

    /// The kind of damage, as counted in the coverage table.
    var name: String {
        switch self {
        case .flip: "flipped bit"
        case .swap: "swapped pages"
        case .old: "old page"
        case .foreign: "foreign page"
        case .zeros: "zeros"
        }
    }

    /// The pages that it changes.
    var pages: Set<Int> {
        if case .swap(let first, let second) = self { [first, second] } else { [page] }
    }

    /// The page that the damage is counted under.
    var page: Int {
        switch self {
        case .flip(let page, _, _), .old(let page, _), .foreign(let page), .zeros(let page), .swap(let page, _): page
        }
    }
}

/// The use of each page of a data file, according to its newer meta page.
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
        guard kinds.indices.contains(number), case .tree(let trees, let runs) = pages[number].asLMDBPage.kind else {
            return
        }
        let isBranch = TreePage(bytes: pages[number].bytes).isBranch
        kinds[number] = isFreeList ? .freeList : isBranch ? .branch : .leaf
        for tree in trees { visit(tree, isFreeList: isFreeList) }
        for run in runs {
            guard kinds.indices.contains(run.first), case .overflow(let count) = pages[run.first].asLMDBPage.kind
            else { continue }
            for other in run.first..<min(run.first + count, kinds.count) {
                kinds[other] = isFreeList ? .freeList : .overflow
            }
        }
    }

    func pages(of kind: Kind) -> [Int] { kinds.indices.filter { kinds[$0] == kind } }

    /// Whether a byte lies inside the value of one entry, so that damage to it can affect only that entry.
    func isInsideValue(page number: Int, byte: Int) -> Bool {
        guard kinds.indices.contains(number) else { return false }
        switch kinds[number] {
        case .leaf: return valueRanges(of: TreePage(bytes: pages[number].bytes)).contains { $0.contains(byte) }
        case .overflow:
            // The first page of a run has a header.
            guard case .overflow = pages[number].asLMDBPage.kind else { return true }
            return byte >= TreePage.headerSize
        case .meta, .branch, .freeList, .unused: return false
        }
    }

    private func valueRanges(of page: TreePage) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        page.forEachNode { node in
            if case .value(let range) = node { ranges.append(range) }
        }
        return ranges
    }
}
