import KeyValue

/// The records that a live range shows, in their order: a collection that is cheap to keep and to copy.
///
/// Lists of one live range share what they have in common: a list is a tree of which a change of one record copies the path to it,
/// some seventeen nodes for a hundred thousand records. So an application can keep each state that it has shown. Cost of an
/// access by index: as many steps.
public struct RecordList<R: Record>: RandomAccessCollection, Sendable {
    /// A record, its entry in the index, and its hash. A reference, so that to copy a node copies no record.
    final class Entry: Sendable {
        let key: KeyBytes
        let hash: UInt64
        let record: R

        init(key: KeyBytes, hash: UInt64, record: R) {
            self.key = key
            self.hash = hash
            self.record = record
        }

        /// The bytes of the record's id, at the end of its entry.
        var id: KeyBytes { KeyBytes(copying: key.bytes.extracting(last: R.ID.width)) }
    }

    /// What the list shows: a list of another range has to be compared record by record.
    struct Origin: Equatable {
        let table: String
        let lower: KeyBytes?
        let upper: KeyBytes?
        let isBackwards: Bool
        let limit: Int?
        var filter: String?
    }

    /// A node of a weight-balanced tree (Adams 1992; with the parameters 3 and 2 of Hirai and Yamamoto 2011). It never changes.
    private final class Node: Sendable {
        let left: Node?
        let entry: Entry
        let right: Node?
        let count: Int

        init(_ left: Node?, _ entry: Entry, _ right: Node?) {
            self.left = left
            self.entry = entry
            self.right = right
            count = (left?.count ?? 0) + 1 + (right?.count ?? 0)
        }
    }

    let origin: Origin
    private var root: Node?

    /// An empty list, of no range.
    public init() { self.init(origin: Origin(table: "", lower: nil, upper: nil, isBackwards: false, limit: nil)) }

    init(origin: Origin) {
        self.origin = origin
    }

    /// A list of entries that are in order.
    init(origin: Origin, _ entries: [Entry]) {
        self.origin = origin
        root = Self.tree(of: entries[...])
    }

    /// How many records the list has.
    public var count: Int { root?.count ?? 0 }
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of records.
    public var endIndex: Int { count }
    /// The record at a position.
    public subscript(position: Int) -> R { entry(at: position).record }

    func entry(at position: Int) -> Entry {
        var (node, rest) = (root, position)
        while let here = node {
            let before = here.left?.count ?? 0
            if rest == before { return here.entry }
            node = rest < before ? here.left : here.right
            if rest > before { rest -= before + 1 }
        }
        preconditionFailure("the list has no record at \(position)")
    }

    /// The entries in order.
    var entries: [Entry] {
        var (entries, path): ([Entry], [Node]) = ([], [])
        entries.reserveCapacity(count)
        var node = root
        while node != nil || !path.isEmpty {
            while let here = node {
                path.append(here)
                node = here.left
            }
            let here = path.removeLast()
            entries.append(here.entry)
            node = here.right
        }
        return entries
    }

    /// The position of a key; nil when it is not there.
    func position(of key: KeyBytes) -> Int? { find(key)?.position }

    /// Removes the entry of a key; does nothing when it is not there.
    mutating func remove(_ key: KeyBytes) {
        guard find(key) != nil else { return }
        root = removing(key, from: root)
    }

    /// Inserts an entry at its place and returns its position.
    mutating func insert(_ entry: Entry) -> Int {
        root = inserting(entry, into: root)
        return position(of: entry.key) ?? 0
    }

    /// Replaces the entry of the same key if its record has changed, and returns its position; nil when it is not there or
    /// the same.
    mutating func update(_ entry: Entry) -> Int? {
        guard let found = find(entry.key), found.entry.hash != entry.hash else { return nil }
        root = inserting(entry, into: root)
        return found.position
    }

    /// Whether one entry comes before another in the list's direction.
    func isBefore(_ left: KeyBytes, _ right: KeyBytes) -> Bool {
        origin.isBackwards ? right.bytes.precedes(left.bytes) : left.bytes.precedes(right.bytes)
    }

    private func find(_ key: KeyBytes) -> (position: Int, entry: Entry)? {
        var (node, position) = (root, 0)
        while let here = node {
            if isBefore(key, here.entry.key) {
                node = here.left
            } else {
                let before = here.left?.count ?? 0
                if here.entry.key == key { return (position + before, here.entry) }
                position += before + 1
                node = here.right
            }
        }
        return nil
    }

    // MARK: The tree

    private static func tree(of entries: ArraySlice<Entry>) -> Node? {
        guard !entries.isEmpty else { return nil }
        let middle = (entries.startIndex + entries.endIndex) / 2
        return Node(tree(of: entries[..<middle]), entries[middle], tree(of: entries[(middle + 1)...]))
    }

    private func inserting(_ entry: Entry, into node: Node?) -> Node {
        guard let node else { return Node(nil, entry, nil) }
        if isBefore(entry.key, node.entry.key) {
            return Self.balanced(inserting(entry, into: node.left), node.entry, node.right)
        }
        if node.entry.key == entry.key { return Node(node.left, entry, node.right) }
        return Self.balanced(node.left, node.entry, inserting(entry, into: node.right))
    }

    private func removing(_ key: KeyBytes, from node: Node?) -> Node? {
        guard let node else { return nil }
        if isBefore(key, node.entry.key) {
            return Self.balanced(removing(key, from: node.left), node.entry, node.right)
        }
        guard node.entry.key == key else {
            return Self.balanced(node.left, node.entry, removing(key, from: node.right))
        }
        guard let left = node.left else { return node.right }
        guard let right = node.right else { return left }
        // Its neighbor in the larger half takes its place.
        if left.count > right.count {
            let last = Self.edge(of: left, last: true)
            return Self.balanced(removing(last.key, from: left), last, right)
        }
        let first = Self.edge(of: right, last: false)
        return Self.balanced(left, first, removing(first.key, from: right))
    }

    private static func edge(of node: Node, last: Bool) -> Entry {
        var node = node
        while let next = last ? node.right : node.left { node = next }
        return node.entry
    }

    /// A node of two trees of which one may have one entry more or less than balance allows.
    private static func balanced(_ left: Node?, _ entry: Entry, _ right: Node?) -> Node {
        let (leftWeight, rightWeight) = ((left?.count ?? 0) + 1, (right?.count ?? 0) + 1)
        if let right, rightWeight > 3 * leftWeight {
            if let inner = right.left, inner.count + 1 >= 2 * ((right.right?.count ?? 0) + 1) {
                return Node(Node(left, entry, inner.left), inner.entry, Node(inner.right, right.entry, right.right))
            }
            return Node(Node(left, entry, right.left), right.entry, right.right)
        }
        if let left, leftWeight > 3 * rightWeight {
            if let inner = left.right, inner.count + 1 >= 2 * ((left.left?.count ?? 0) + 1) {
                return Node(Node(left.left, left.entry, inner.left), inner.entry, Node(inner.right, entry, right))
            }
            return Node(left.left, left.entry, Node(left.right, entry, right))
        }
        return Node(left, entry, right)
    }

    /// The length of the longest path, for tests.
    var height: Int {
        func height(_ node: Node?) -> Int { node.map { 1 + Swift.max(height($0.left), height($0.right)) } ?? 0 }
        return height(root)
    }
}

extension RecordList: Equatable where R: Equatable {
    /// Whether two lists have equal records in the same order.
    public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}

/// The first of some places for which a condition holds, that holds for all after it; their number if it holds for none.
func firstPlace(among count: Int, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
        let middle = (low + high) / 2
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}
