/// The leaves in which two states of one tree differ.
///
/// LMDB never changes a page of a committed state; it writes a copy under another number. So while the pages of the earlier
/// state are not reused, a page that both trees have is the same page, and so is everything below it. Pages are compared by
/// their numbers, level by level from the top, and only branches that differ are read.
///
/// Cost: the branches that differ, and for the keys the leaves that differ.
struct TreeDifference {
    private let map: PageMap
    private var oldLeaves: [UInt64]
    private var newLeaves: [UInt64]

    /// Compares two states of a tree, in the map of the later one.
    init(from old: TableHead, to new: TableHead, in map: PageMap) throws(PageDamage) {
        self.map = map
        (oldLeaves, newLeaves) = (try Self.root(of: old), try Self.root(of: new))
        // A page keeps its height above the leaves, whatever the tree's depth.
        var (oldHeight, newHeight) = (old.depth, new.depth)
        while true {
            if oldHeight == newHeight { leaveOutShared() }
            let height = max(oldHeight, newHeight)
            if height <= 1 { break }
            if oldHeight == height {
                oldLeaves = try children(of: oldLeaves)
                oldHeight -= 1
            }
            if newHeight == height {
                newLeaves = try children(of: newLeaves)
                newHeight -= 1
            }
        }
    }

    private static func root(of head: TableHead) throws(PageDamage) -> [UInt64] {
        guard head.depth <= PageFormat.depthLimit, (head.depth == 0) == (head.root == TableHead.noPage) else {
            throw PageDamage(head.root, .wrongDepth)
        }
        return head.depth == 0 ? [] : [head.root]
    }

    private mutating func leaveOutShared() {
        let shared = Set(oldLeaves).intersection(newLeaves)
        oldLeaves.removeAll(where: shared.contains)
        newLeaves.removeAll(where: shared.contains)
    }

    private func children(of pages: [UInt64]) throws(PageDamage) -> [UInt64] {
        var children: [UInt64] = []
        for number in pages {
            let page = try map.page(number)
            guard page.isBranch else { throw PageDamage(number, .wrongDepth) }
            for index in 0..<page.nodeCount { children.append(try map.child(index, of: page.offset)) }
            guard children.count <= map.pageCount else { throw PageDamage(number, .isLoop) }
        }
        return children
    }

    /// Passes each key to a closure, in ascending order, that only one state has, or that has another value in each.
    func forEachKey(_ body: (RawSpan) throws -> Void) throws {
        var old = try LeafEntries(of: oldLeaves, in: map)
        var new = try LeafEntries(of: newLeaves, in: map)
        while let key = old.current?.key ?? new.current?.key {
            let order =
                if let before = old.current, let after = new.current {
                    map.order(of: before.key, comparedTo: after.key)
                } else {
                    old.current == nil ? 1 : -1
                }
            if order == 0 {
                if !hasSameValue(old.current, new.current) { try map.withBytes(key, body) }
                try old.advance()
                try new.advance()
            } else if order < 0 {
                try map.withBytes(key, body)
                try old.advance()
            } else {
                if let after = new.current { try map.withBytes(after.key, body) }
                try new.advance()
            }
        }
    }

    /// By their bytes: LMDB may keep a short value on overflow pages that a longer one has left.
    private func hasSameValue(_ old: PageMap.Entry?, _ new: PageMap.Entry?) -> Bool {
        guard let old, let new, old.value.count == new.value.count else { return false }
        // On the same pages.
        if old.value.offset == new.value.offset { return true }
        guard !old.isLong || map.readableCount(ofLong: old.value) == old.value.count,
            !new.isLong || map.readableCount(ofLong: new.value) == new.value.count
        else { return false }
        return map.withBytes(old.value) { old in map.withBytes(new.value) { old.isEqual(to: $0) } }
    }
}

/// The entries of some leaves of a tree, one after another.
private struct LeafEntries {
    private(set) var current: PageMap.Entry?
    private let map: PageMap
    private let leaves: [UInt64]
    private var next = 0
    private var page = PageMap.Page(offset: 0, nodeCount: 0, isBranch: false)
    private var index = 0

    init(of leaves: [UInt64], in map: PageMap) throws(PageDamage) {
        self.map = map
        self.leaves = leaves
        try advance()
    }

    mutating func advance() throws(PageDamage) {
        while index == page.nodeCount {
            guard next < leaves.count else {
                current = nil
                return
            }
            page = try map.page(leaves[next])
            guard !page.isBranch else { throw PageDamage(leaves[next], .wrongDepth) }
            (next, index) = (next + 1, 0)
        }
        let entry = map.entry(index, of: page.offset)
        guard 1...PageFormat.longestKey ~= entry.key.count else { throw map.invalidLayout(page.offset) }
        if let current, map.order(of: entry.key, comparedTo: current.key) <= 0 { throw map.damage(page, .outOfOrder) }
        current = entry
        index += 1
    }
}
