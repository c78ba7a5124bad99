/// Subsets of so many units, the telling ones first, none of them twice.
struct SubsetSource: IteratorProtocol {
    private let count: Int
    private let limits: ExplorationLimits
    private var bits: SeededBits
    private var step = 0
    private var mask = 0
    private var attempts = 0
    private var drawn: Set<RangeSet<Int>> = []

    init(count: Int, limits: ExplorationLimits, seed: UInt64) {
        self.count = count
        self.limits = limits
        bits = SeededBits(seed: seed)
    }

    mutating func next() -> RangeSet<Int>? {
        if let telling = nextTelling() { return telling }
        return count <= limits.subsetLimit ? nextMask() : nextDrawn()
    }

    /// None, all, all but one, only one; with few units some of these are the same.
    private mutating func nextTelling() -> RangeSet<Int>? {
        let index = step
        let all = RangeSet(0..<count)
        let allButOne = count > 1 ? count : 0
        let onlyOne = count > 2 ? count : 0
        guard index < 1 + min(count, 1) + allButOne + onlyOne else { return nil }
        step += 1
        switch index {
        case 0: return RangeSet()
        case 1: return all
        case ..<(2 + allButOne): return all.subtracting(RangeSet(index - 2..<index - 1))
        default: return RangeSet(index - 2 - allButOne..<index - 1 - allButOne)
        }
    }

    private mutating func nextMask() -> RangeSet<Int>? {
        while mask < 1 << count {
            defer { mask += 1 }
            if !isTelling(mask.nonzeroBitCount) { return subset { mask & 1 << $0 != 0 } }
        }
        return nil
    }

    private mutating func nextDrawn() -> RangeSet<Int>? {
        while drawn.count < limits.samples, attempts < 4 * limits.samples {
            attempts += 1
            // Sparse ones and dense ones, not only those with about half of the units.
            let density = bits.number(below: 15) + 1
            var kept = RangeSet<Int>()
            var size = 0
            for unit in 0..<count where bits.number(below: 16) < density {
                kept.insert(contentsOf: unit..<unit + 1)
                size += 1
            }
            if !isTelling(size), drawn.insert(kept).inserted { return kept }
        }
        return nil
    }

    private func isTelling(_ size: Int) -> Bool { size <= 1 || size >= count - 1 }

    private func subset(_ isKept: (Int) -> Bool) -> RangeSet<Int> {
        var kept = RangeSet<Int>()
        for unit in 0..<count where isKept(unit) { kept.insert(contentsOf: unit..<unit + 1) }
        return kept
    }
}
