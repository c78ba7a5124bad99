import KeyValue

/// The references of a page of an LMDB data file to other pages, parsed by KeyValue's page reader.
package final class LMDBPage: Sendable {
    /// A value on overflow pages.
    package struct Run: Sendable {
        package let first: Int
        package let byteCount: Int
    }

    package enum Kind: Sendable {
        case meta(roots: [Int], lastPage: Int, transaction: UInt64)
        case tree(trees: [Int], runs: [Run])
        case overflow(pages: Int)
        /// An invalid page, or one of no known kind.
        case other
    }

    package let kind: Kind

    init(_ bytes: [UInt8]) {
        let page = TreePage(bytes: bytes)
        if page.isMeta {
            kind = MetaPage(bytes.span.bytes).flatMap(Self.meta) ?? .other
        } else if let pages = page.overflowPageCount {
            kind = .overflow(pages: pages)
        } else {
            kind = page.isTree && page.hasValidLayout ? Self.tree(page) ?? .other : .other
        }
    }

    private static func meta(_ page: MetaPage) -> Kind? {
        guard page.pageSize == Page.size, let lastPage = Int(exactly: page.lastPage) else { return nil }
        // No page number is valid beyond `Int`, least of all that of an empty table.
        let roots = [page.freeList.root, page.main.root].compactMap { Int(exactly: $0) }
        return .meta(roots: roots, lastPage: lastPage, transaction: page.transaction)
    }

    private static func tree(_ page: TreePage) -> Kind? {
        var trees: [Int] = []
        var runs: [Run] = []
        var isValid = true
        page.forEachNode { node in
            switch node {
            case .child(let number): trees.append(Int(truncatingIfNeeded: number))
            case .table(let head): if let root = Int(exactly: head.root) { trees.append(root) }
            case .overflow(let first, let count):
                if let first = Int(exactly: first) {
                    runs.append(Run(first: first, byteCount: count))
                } else {
                    isValid = false
                }
            case .value: break
            case .outside: isValid = false
            }
        }
        return isValid ? .tree(trees: trees, runs: runs) : nil
    }
}
