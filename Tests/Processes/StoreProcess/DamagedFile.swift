import Foundation
import KeyValue
import TestSupport

/// A data file with many kinds of pages, and damaged copies of it.
struct DamagedFile {
    /// What the tables hold, by their names.
    typealias Content = [String: [[UInt8]: [UInt8]]]

    static let pageSize = 4096
    let path: String
    let whole: [UInt8]
    let content: Content
    /// The keys of each table, in order.
    let keys: [String: [[UInt8]]]
    /// The root pages of the tables that are not empty.
    private let roots: [Int]

    /// Creates a store in a folder: two levels of branches, values on overflow pages, an empty table, and free pages.
    init(in path: String) throws {
        self.path = path
        var content: Content = ["small": [:], "large": [:], "long": [:], "empty": [:]]
        let names = content.keys.sorted()
        let environment = try Environment.open(at: path, creatingWith: NewStoreContent(tables: names))
        let tables = try environment.openTables(names)
        var dice = Dice(1)
        for round in 0..<4 {
            try environment.write { transaction in
                for (name, table) in zip(names, tables) where name != "empty" {
                    for _ in 0..<(name == "small" ? 400 : 40) {
                        let key = dice.bytes(name == "long" ? 400...511 : 1...24)
                        let value = dice.bytes(name == "large" ? 1000...9000 : 0...60)
                        content[name]?[key] = value
                        try transaction.put(key.span.bytes, value.span.bytes, in: table)
                    }
                    guard round == 3 else { continue }
                    let keys = (content[name] ?? [:]).keys.sorted { $0.lexicographicallyPrecedes($1) }
                    for key in keys.prefix(40) {
                        content[name]?[key] = nil
                        try transaction.delete(key.span.bytes, in: table)
                    }
                }
            }
        }
        environment.close()
        whole = try Array(Data(contentsOf: URL(fileURLWithPath: "\(path)/data.mdb")))
        self.content = content
        keys = content.mapValues { $0.keys.sorted { $0.lexicographicallyPrecedes($1) } }
        var roots: [Int] = []
        for page in 2..<whole.count / Self.pageSize {
            let page = TreePage(bytes: Array(whole[page * Self.pageSize..<(page + 1) * Self.pageSize]))
            guard page.isTree, !page.isBranch else { continue }
            page.forEachNode {
                if case .table(let head) = $0, head.root != TableHead.noPage { roots.append(Int(head.root)) }
            }
        }
        self.roots = roots
    }

    private var pageCount: Int { whole.count / Self.pageSize }

    /// A kind of damage.
    enum Kind: Int, CaseIterable {
        case bit, byte, sector, header, zeroedPage, swappedPages, copiedPage, node, meta, loop, repetition, truncation

        /// Whether every key that is returned in spite of it must be one that was written, in order.
        var leavesKeys: Bool { [.swappedPages, .truncation, .zeroedPage].contains(self) }
        /// The same for values, of which none may be returned.
        var leavesValues: Bool { self == .truncation }
    }

    /// Applies so many damages, and calls the body after each, which may take some seconds: a signal ends this process then.
    func damage(seed: UInt64, count: Int, _ body: (_ number: Int, Kind, inout Dice) throws -> Void) throws {
        for number in 0..<count {
            var dice = Dice(seed &* 1_000_003 &+ UInt64(number))
            let kind = Kind.allCases[number % Kind.allCases.count]
            try Data(damaged(kind, &dice)).write(to: URL(fileURLWithPath: "\(path)/data.mdb"))
            try? FileManager.default.removeItem(atPath: "\(path)/lock.mdb")
            alarm(Self.patience)
            try body(number, kind, &dice)
        }
        alarm(0)
    }

    /// Until a loop that does not end counts as one, in seconds. The work after a damage takes some milliseconds.
    static let patience: UInt32 = 15

    /// The bytes of the file with a damage that a seed determines.
    func damaged(_ kind: Kind, _ dice: inout Dice) -> [UInt8] {
        var bytes = whole
        let page = (2 + dice.below(pageCount - 2)) * Self.pageSize
        switch kind {
        case .bit: bytes[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8))
        case .byte: bytes[dice.below(bytes.count)] = UInt8(dice.below(256))
        case .sector:
            let start = dice.below(bytes.count / 512) * 512
            let filling = dice.pick([0, 0xFF, -1])
            for place in start..<start + 512 { bytes[place] = UInt8(filling < 0 ? dice.below(256) : filling) }
        case .header: put(dice.pick(extremes(&dice)), 2, at: page + dice.pick([0, 8, 10, 12, 14]), in: &bytes)
        case .zeroedPage: for place in page..<page + Self.pageSize { bytes[place] = 0 }
        case .swappedPages, .copiedPage:
            let other = (2 + dice.below(pageCount - 2)) * Self.pageSize
            bytes.replaceSubrange(page..<page + Self.pageSize, with: whole[other..<other + Self.pageSize])
            if kind == .swappedPages {
                bytes.replaceSubrange(other..<other + Self.pageSize, with: whole[page..<page + Self.pageSize])
            } else if dice.chance(50) {
                put(page / Self.pageSize, 8, at: page, in: &bytes)
            }
        case .node:
            let count = max(1, (value(2, at: page + 12, in: bytes) - 16) / 2)
            let slot = page + 16 + 2 * dice.below(min(count, 2000))
            let node = page + value(2, at: slot, in: bytes)
            let place = dice.chance(25) || node + 24 > bytes.count ? slot : node + dice.pick([0, 2, 4, 6, 8, 12, 16])
            put(dice.pick(extremes(&dice)), dice.pick([2, 4]), at: min(place, bytes.count - 4), in: &bytes)
        case .meta:
            // Magic number, version, address, map size; page size, flags, depth and root of both tables, entries, last page,
            // transaction.
            let field = dice.pick([
                (16, 4), (20, 4), (24, 8), (32, 8), (40, 4), (44, 2), (46, 2), (80, 8), (88, 4), (92, 2), (94, 2),
                (128, 8), (136, 8), (144, 8),
            ])
            let number = dice.pick(extremes(&dice) + [Int.max, 1 << 40])
            for meta in dice.pick([[0], [1], [0, 1]]) {
                put(number, field.1, at: meta * Self.pageSize + field.0, in: &bytes)
            }
        case .loop:
            // A branch leads to itself, or to another page of a tree.
            let branches = (2..<pageCount).filter { value(2, at: $0 * Self.pageSize + 10, in: bytes) == 1 }
            let branch = dice.pick(branches) * Self.pageSize
            let slots = (value(2, at: branch + 12, in: bytes) - 16) / 2
            let target = dice.pick([branch / Self.pageSize] + branches + roots)
            for slot in dice.chance(50) ? Array(0..<slots) : [dice.below(slots)] {
                put(target, 4, at: branch + value(2, at: branch + 16 + 2 * slot, in: bytes), in: &bytes)
            }
        case .repetition: repeatPages(from: dice.pick(roots), levels: 2 + dice.below(40), &dice, in: &bytes)
        case .truncation:
            let length = dice.chance(50) ? page : dice.below(bytes.count)
            bytes.removeLast(bytes.count - length)
        }
        return bytes
    }

    /// Makes a tree of branches that all lead to the same page below: short paths, but more of them than a walk can take.
    private func repeatPages(from root: Int, levels: Int, _ dice: inout Dice, in bytes: inout [UInt8]) {
        var numbers = [root]
        while numbers.count < levels {
            let next = 2 + dice.below(pageCount - 2)
            if !numbers.contains(next) { numbers.append(next) }
            if numbers.count > pageCount / 2 { break }
        }
        for (level, number) in numbers.enumerated() {
            var page = [UInt8](repeating: 0, count: Self.pageSize)
            let isLeaf = level == numbers.count - 1
            let slots = 100
            put(number, 8, at: 0, in: &page)
            put(isLeaf ? 2 : 1, 2, at: 10, in: &page)
            put(16 + 2 * slots, 2, at: 12, in: &page)
            put(Self.pageSize - 16 * slots, 2, at: 14, in: &page)
            for slot in 0..<slots {
                let node = Self.pageSize - 16 * (slot + 1)
                put(node, 2, at: 16 + 2 * slot, in: &page)
                put(isLeaf ? 0 : numbers[level + 1], 4, at: node, in: &page)
                put(8, 2, at: node + 6, in: &page)
                put(slot << 56, 8, at: node + 8, in: &page)
            }
            bytes.replaceSubrange(number * Self.pageSize..<(number + 1) * Self.pageSize, with: page)
        }
    }

    private func extremes(_ dice: inout Dice) -> [Int] {
        [
            0, 1, 2, 8, 15, 16, 17, 4080, 4088, 4095, 4096, 4097, 8192, 0x7FFF, 0xFFFF, 0xFFFE, pageCount - 1,
            pageCount,
            pageCount + 1, 1 << 20, dice.below(1 << 16), dice.below(1 << 30),
        ]
    }

    private func put(_ number: Int, _ count: Int, at place: Int, in bytes: inout [UInt8]) {
        for byte in 0..<count where place + byte < bytes.count {
            bytes[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte))
        }
    }

    private func value(_ count: Int, at place: Int, in bytes: [UInt8]) -> Int {
        (0..<count).reduce(0) { $0 | (place + $1 < bytes.count ? Int(bytes[place + $1]) << (8 * $1) : 0) }
    }
}
