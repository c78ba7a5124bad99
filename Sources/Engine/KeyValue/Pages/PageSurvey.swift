/// What every page of a data file is, as far as valid pages show it: for reading what is left of a damaged file. No number in
/// the file is trusted before it was compared with what it leads to, and nothing is mapped.
///
/// A page that is damaged hides the pages below it from a walk along the tree. Those are found all the same: LMDB knows
/// every page as either used or free, so what is neither in a tree nor free belongs to the lost part of one.
///
/// Cost: reads each page once, and those in use twice; a few bytes of memory for each.
package final class PageSurvey {
    /// What a page is.
    package enum Status: UInt8, Sendable, Comparable {
        /// Free, or nothing that belongs here: what is on it was valid once.
        case former
        /// In no tree that could be walked, and the list of free pages cannot be read: perhaps in use.
        case unknown
        /// Neither in a tree nor free: of a part of a tree that could not be walked.
        case unclaimed
        /// In a tree.
        case current
        /// Not on a page: in the commit log, which has what changed since.
        case logged

        package static func < (left: Status, right: Status) -> Bool { left.rawValue < right.rawValue }
    }

    /// A table of the newest state, as its tree was found.
    package struct FoundTable: Sendable {
        /// Its name.
        package let name: String
        /// Whether every page of it is there and valid.
        package fileprivate(set) var isWhole = true
    }

    /// What was found out about a page.
    struct Finding {
        fileprivate(set) var status = Status.unknown
        /// Its table, counted from 1; 0 where it is not known.
        fileprivate(set) var owner: UInt16 = 0
        /// Whether it holds no entries: a page of a large value, a branch, or one of the list of free pages.
        fileprivate(set) var isWithoutEntries = false

        var table: Int? { owner == 0 ? nil : Int(owner) - 1 }
    }

    let pages: NumberedPages
    /// How many pages the file has; the last one may be cut short.
    package var pageCount: Int { pages.count }
    /// The tables of the newest state whose places are known.
    package private(set) var tables: [FoundTable] = []
    /// Whether it is known of every page whether it is in use.
    package private(set) var isFreeListWhole = false
    /// How many pages that are in use cannot be read at all, or are not valid.
    package private(set) var damagedPages = 0
    private(set) var findings: [Finding]
    /// Pages at the end of large values that shrank: see `claimSurplus`.
    private var surplus: [(position: Int, owner: UInt16)] = []

    /// What the commit log has changed since the state that was surveyed; nil when it is the newest one.
    package let log: CommitLogRemains?

    /// Whether every page that is in use is there and valid.
    package var isValid: Bool { isFreeListWhole && tables.allSatisfy(\.isWhole) }

    /// Surveys a data file. It is not changed.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - clock: the table by whose last key states are ordered: see `newestState`.
    ///   - log: surveys the checkpoint of a log instead of the newest state.
    /// - Throws: `permissionDenied`, `storeNotFound`; `damaged` for an empty file.
    package init(of path: String, orderedBy clock: String, with log: CommitLogRemains? = nil) throws(KeyValueError) {
        self.log = log
        pages = try NumberedPages(of: path, at: log?.metaPages)
        findings = Array(repeating: Finding(), count: pages.count)
        guard let state = pages.newestState(orderedBy: clock) else { return }
        walkTables(of: state.main)
        guard let meta = state.meta else { return }
        takeFreePages(of: meta)
        if isFreeListWhole, tables.count(where: \.isWhole) * 2 >= tables.count { return }
        // A page of another time or of another store in the list of tables leads to wrong pages. Without it, whatever is not
        // free is in use all the same.
        let found = (findings, tables, damagedPages, isFreeListWhole)
        findings = Array(repeating: Finding(), count: pageCount)
        (tables, isFreeListWhole) = ([], false)
        takeFreePages(of: meta)
        if !isFreeListWhole { (findings, tables, damagedPages, isFreeListWhole) = found }
    }

    // MARK: Trees

    private func walkTables(of main: TableHead) {
        var heads: [(name: String, head: TableHead)] = []
        var listing = Walk(owner: 0, depth: Int(main.depth), isOfTables: true)
        walk(main.root, from: nil, to: nil, at: 1, of: &listing) { page, entries in
            for entry in entries {
                guard case .table(let head) = entry.value else { continue }
                heads.append((String(decoding: page.bytes[entry.key], as: UTF8.self), head))
            }
        }
        for (name, head) in heads {
            tables.append(FoundTable(name: name))
            var walk = Walk(owner: UInt16(clamping: tables.count), depth: Int(head.depth))
            if head.root != TableHead.noPage { self.walk(head.root, from: nil, to: nil, at: 1, of: &walk) { _, _ in } }
            tables[tables.count - 1].isWhole = walk.isWhole && walk.entries == head.entries
        }
    }

    /// One walk down a tree.
    private struct Walk {
        /// The place of the table, counted from 1; 0 for the list of tables and that of free pages.
        let owner: UInt16
        let depth: Int
        /// Whether there is nothing but tables on its leaves.
        var isOfTables = false
        var entries: UInt64 = 0
        var isWhole = true
    }

    /// Walks a page and those below it.
    ///
    /// - Parameters:
    ///   - low: the first key that can be on it, nil for any.
    ///   - high: the first key that cannot, nil for none.
    ///   - body: called with each page that is no valid branch, and what may be entries on it.
    /// - Returns: whether the page fits into its place: one of which no key does belongs somewhere else.
    @discardableResult
    private func walk(
        _ number: UInt64, from low: [UInt8]?, to high: [UInt8]?, at depth: Int, of walk: inout Walk,
        _ body: (TreePage, [LeafEntry]) -> Void
    ) -> Bool {
        guard depth <= PageFormat.depthLimit, let position = pages.position(of: number), number > 1,
            findings[position].status != .current, let page = pages.page(at: position)
        else {
            walk.isWhole = false
            return true
        }
        let hasShape = page.isTree && page.hasValidLayout
        if !hasShape || page.number != number {
            walk.isWhole = false
            damagedPages += 1
        }
        // All leaves of a tree are at one depth.
        if hasShape, walk.depth > 0, page.isBranch != (depth < walk.depth) {
            walk.isWhole = false
            return false
        }
        if hasShape, page.isBranch {
            return walkBranch(page, at: position, from: low, to: high, at: depth, of: &walk, body)
        }
        let entries = page.leafEntries(isValid: hasShape)
        if hasShape, !entries.isEmpty,
            walk.isOfTables != entries.areTables
                || !entries.contains(where: { Self.fits(page.bytes[$0.key], low, high) })
        {
            walk.isWhole = false
            return false
        }
        claim(position, for: walk.owner, isWithoutEntries: walk.owner == 0)
        walk.entries += UInt64(entries.count)
        for case .overflow(let first, let count) in entries.filter(\.isListed).map(\.value) where hasShape {
            claimRun(first, holding: count, for: &walk)
        }
        body(page, entries.filter(\.isListed))
        return true
    }

    private func walkBranch(
        _ page: TreePage, at position: Int, from low: [UInt8]?, to high: [UInt8]?, at depth: Int, of walk: inout Walk,
        _ body: (TreePage, [LeafEntry]) -> Void
    ) -> Bool {
        let children = page.branches
        let inner = children.dropFirst().map { page.bytes[$0.key] }
        if !inner.isEmpty, !inner.contains(where: { Self.fits($0, low, high) }) {
            walk.isWhole = false
            return false
        }
        claim(position, for: walk.owner, isWithoutEntries: true)
        var misfits: [Int] = []
        for (place, child) in children.enumerated() {
            let from = place == 0 ? low : Array(page.bytes[child.key])
            let to = place + 1 < children.count ? Array(page.bytes[children[place + 1].key]) : high
            let fits = self.walk(child.child, from: from, to: to, at: depth + 1, of: &walk, body)
            if !fits, let position = pages.position(of: child.child) { misfits.append(position) }
        }
        // Where most pages below do not fit, this one is what does not belong here; they belong to the page that did.
        if misfits.count * 2 <= children.count {
            for position in misfits where findings[position].status == .unknown {
                findings[position].status = .former
            }
        }
        return true
    }

    private static func fits(_ key: ArraySlice<UInt8>, _ low: [UInt8]?, _ high: [UInt8]?) -> Bool {
        if let low, key.lexicographicallyPrecedes(low) { return false }
        if let high, !key.lexicographicallyPrecedes(high) { return false }
        return true
    }

    private func claim(_ position: Int, for owner: UInt16, isWithoutEntries: Bool) {
        findings[position] = Finding(status: .current, owner: owner, isWithoutEntries: isWithoutEntries)
    }

    private func claimRun(_ first: UInt64, holding count: Int, for walk: inout Walk) {
        guard let start = pages.position(of: first), first > 1 else {
            walk.isWhole = false
            return
        }
        let length = pages.pagesInRun(of: count)
        if start + length > pageCount { walk.isWhole = false }
        for position in start..<min(start + length, pageCount) {
            claim(position, for: walk.owner, isWithoutEntries: true)
        }
        // LMDB keeps all pages of a large value that is replaced by a smaller one in the same transaction.
        guard let stated = pages.page(at: start)?.overflowPageCount, pages.numbers[start] == first, stated > length
        else {
            return
        }
        for position in (start + length)..<min(start + stated, max(start + length, pageCount)) {
            surplus.append((position, walk.owner))
        }
    }

    /// Claims the pages that values have and do not need, unless they are something else: the number of a value's pages may be
    /// damaged, and must not hide a page of a tree. Once it is known which pages are free.
    private func claimSurplus() {
        for (position, owner) in surplus where findings[position].status == .unclaimed {
            guard let page = pages.page(at: position), !page.isTree || !page.hasValidLayout else { continue }
            claim(position, for: owner, isWithoutEntries: true)
        }
        surplus = []
    }

    // MARK: Free pages

    /// Decides about all pages in no tree, if the list of free pages can be read to its end.
    private func takeFreePages(of meta: MetaPage) {
        var free: Set<UInt64> = []
        var listing = Walk(owner: 0, depth: Int(meta.freeList.depth))
        var isValid = true
        if meta.freeList.root != TableHead.noPage {
            walk(meta.freeList.root, from: nil, to: nil, at: 1, of: &listing) { page, entries in
                for entry in entries {
                    guard let listed = pages.freePages(in: entry, of: page) else {
                        isValid = false
                        continue
                    }
                    free.formUnion(listed)
                }
            }
        }
        guard isValid, listing.isWhole, listing.entries == meta.freeList.entries else { return }
        isFreeListWhole = true
        for position in 0..<pageCount {
            let number = pages.number(at: position)
            let isFree = number < 2 || free.contains(number) || number > meta.lastPage
            if findings[position].status == .current {
                // A page that is in use and free: one of both is wrong, and the list cannot be trusted.
                if isFree { isFreeListWhole = false }
            } else if findings[position].status == .unknown {
                findings[position].status = isFree ? .former : .unclaimed
            }
        }
        guard !isFreeListWhole else { return claimSurplus() }
        for position in findings.indices.dropFirst(2) where findings[position].status < .current {
            findings[position].status = .unknown
        }
    }
}
