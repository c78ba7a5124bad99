/// How to make one image of a history: which of its units the disk has kept, by their index, and which are torn. The
/// others are lost.
struct ImageRecipe: Sendable, Hashable {
    /// Kept whole. None of them is torn.
    var kept = RangeSet<Int>()
    var tears: [Int: Tear] = [:]
    var tail = TailRule.lost

    /// Everything that is not durable is lost.
    static let none = ImageRecipe()

    /// What becomes of a unit, in a word.
    func fate(of unit: Int) -> String {
        if let tear = tears[unit] { return "torn: \(tear)" }
        return kept.contains(unit) ? "kept" : "lost"
    }

    /// Everything has reached the disk.
    static func all(of count: Int) -> ImageRecipe {
        ImageRecipe(kept: RangeSet(0..<count))
    }
}

/// The text stands in a command line, so there is no space in it and nothing that a shell takes for its own.
extension ImageRecipe: LosslessStringConvertible {
    /// For instance "keep=0,2-5/tear=6:nnoooooo,7:on/tail=zeros"; the parts after the first only where they say something.
    var description: String {
        let ranges = kept.ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound - 1)"
        }
        var parts = ["keep=" + (ranges.isEmpty ? "none" : ranges.joined(separator: ","))]
        if !tears.isEmpty {
            let tears = tears.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
            parts.append("tear=" + tears.joined(separator: ","))
        }
        if tail != .lost { parts.append("tail=\(tail.rawValue)") }
        return parts.joined(separator: "/")
    }

    init?(_ text: String) {
        self.init()
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            guard let sign = part.firstIndex(of: "=") else { return nil }
            let value = part[part.index(after: sign)...]
            let isGood =
                switch part[..<sign] {
                case "keep": readKept(value)
                case "tear": readTears(value)
                case "tail": readTail(value)
                default: false
                }
            guard isGood else { return nil }
        }
        guard !tears.keys.contains(where: kept.contains) else { return nil }
    }

    private mutating func readKept(_ text: Substring) -> Bool {
        if text == "none" { return true }
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = item.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil,
                first >= 0, first <= last, last < Int.max
            else { return false }
            kept.insert(contentsOf: first..<last + 1)
        }
        return true
    }

    private mutating func readTears(_ text: Substring) -> Bool {
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = item.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, let index = Int(halves[0]), index >= 0, let tear = Tear(String(halves[1])) else {
                return false
            }
            tears[index] = tear
        }
        return true
    }

    private mutating func readTail(_ text: Substring) -> Bool {
        guard let rule = TailRule(rawValue: String(text)) else { return false }
        tail = rule
        return true
    }
}
