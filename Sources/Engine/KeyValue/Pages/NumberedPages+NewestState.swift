/// The newest state that a damaged file still leads to.
extension NumberedPages {
    /// The roots of a state.
    struct State {
        /// The list of tables.
        let main: TableHead
        /// The meta page, which also leads to the list of free pages; nil when it is lost.
        let meta: MetaPage?
    }

    /// Finds the newest state; nil when nothing leads to any.
    ///
    /// - Parameter clock: the table whose last key grows with the transactions, an integer with its most significant byte first:
    ///   it shows which of two states is the newer one where no meta page does.
    func newestState(orderedBy clock: String) -> State? {
        let known = metas.map { meta in (head: meta.main, meta: Optional(meta), time: time(of: meta.main, by: clock)) }
        // Both meta pages of one valid file: the later transaction, as LMDB decides.
        if metas.count == 2, MetaPage.areConsecutive(metas[0], metas[1]) {
            return known.max { ($0.meta?.transaction ?? 0) < ($1.meta?.transaction ?? 0) }.map {
                State(main: $0.head, meta: $0.meta)
            }
        }
        // One of them is lost, and it may have been the newer one. A state that has lost its meta page is found by its list
        // of tables. Not every transaction adds to the clock: one that has freed the pages of a state is later than that.
        let replaced = Set(metas.flatMap { pagesFreed(after: $0) })
        let found = tableLists().map { head in (head: head, meta: MetaPage?.none, time: time(of: head, by: clock)) }
        let best = (found + known).filter { $0.time != nil && !replaced.contains($0.head.root) }.max {
            ($0.time ?? 0, $0.meta == nil ? 0 : 1) < ($1.time ?? 0, $1.meta == nil ? 0 : 1)
        }
        return (best ?? known.first).map { State(main: $0.head, meta: $0.meta) }
    }

    /// The pages that were free after the transaction that followed a state, as far as one page says so: among them is the list of
    /// tables of the state itself, which every transaction replaces. Empty when no page is of such a transaction.
    private func pagesFreed(after meta: MetaPage) -> [UInt64] {
        for position in 0..<count where isKnown(at: position) {
            guard let page = page(at: position), page.isTree, !page.isBranch, page.hasValidLayout else { continue }
            let entries = page.leafEntries(isValid: true)
            let isNext = entries.contains { entry in
                guard entry.key.count == 8 else { return false }
                let transaction = page.load(entry.key.lowerBound, as: UInt64.self)
                return transaction == meta.transaction + 1
                    && freePages(in: entry, of: page)?.contains(meta.main.root) == true
            }
            if isNext { return entries.flatMap { freePages(in: $0, of: page) ?? [] } }
        }
        return []
    }

    /// The lists of tables that may be complete: pages with nothing but tables on them, and branches above only such.
    private func tableLists() -> [TableHead] {
        var leaves: Set<UInt64> = []
        var branches: [(number: UInt64, children: [UInt64])] = []
        for position in 0..<count where isKnown(at: position) {
            guard let page = page(at: position), page.isTree, page.hasValidLayout else { continue }
            if page.isBranch {
                branches.append((page.number, page.branches.map(\.child)))
            } else if page.leafEntries(isValid: true).areTables {
                leaves.insert(page.number)
            }
        }
        let above = branches.filter { !$0.children.isEmpty && $0.children.allSatisfy(leaves.contains) }
        let below = Set(above.flatMap(\.children))
        func head(_ root: UInt64, _ depth: UInt16) -> TableHead {
            var head = TableHead(root: root, flags: 0)
            head.depth = depth
            return head
        }
        return above.map { head($0.number, 2) } + leaves.subtracting(below).sorted().map { head($0, 1) }
    }

    /// The last key of the table by which states are ordered; nil when a page on the way is not valid.
    private func time(of main: TableHead, by clock: String) -> UInt64? {
        var steps = 0
        guard let leaf = leaf(of: Array(clock.utf8), from: main.root, &steps) else { return nil }
        let head = leaf.leafEntries(isValid: true).compactMap { entry -> TableHead? in
            guard case .table(let head) = entry.value else { return nil }
            return leaf.bytes[entry.key].elementsEqual(clock.utf8) ? head : nil
        }.first
        guard let head else { return nil }
        if head.root == TableHead.noPage { return 0 }
        guard let last = self.leaf(of: nil, from: head.root, &steps),
            let key = last.leafEntries(isValid: true).last?.key,
            key.count == 8
        else { return nil }
        return unsafe last.bytes.span.bytes.bigEndian(at: key.lowerBound, as: UInt64.self)
    }

    /// The leaf to which a search for a key leads, or the last one.
    private func leaf(of key: [UInt8]?, from root: UInt64, _ steps: inout Int) -> TreePage? {
        var number = root
        while steps < 2 * PageFormat.depthLimit {
            steps += 1
            guard let position = position(of: number), let page = page(at: position), page.isTree, page.hasValidLayout
            else { return nil }
            if !page.isBranch { return page }
            let children = page.branches
            let child =
                key.map { key in
                    children.dropFirst().last { !key.lexicographicallyPrecedes(page.bytes[$0.key]) } ?? children.first
                } ?? children.last
            guard let child else { return nil }
            number = child.child
        }
        return nil
    }
}
