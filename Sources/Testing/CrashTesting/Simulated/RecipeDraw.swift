/// Draws what a crash leaves of the changes that are not durable yet: each kind of loss about as often.
struct RecipeDraw {
    private enum Kind: CaseIterable {
        case none, all, allButOne, onlyOne, some, prefix, torn, tornOften
    }

    let history: DiskHistory

    func draw(_ draws: inout SeededBits) -> ImageRecipe {
        let count = history.units.count
        let all = RangeSet(0..<count)
        let one = draws.number(below: count)
        let kept: RangeSet<Int>
        switch Kind.allCases[draws.number(below: Kind.allCases.count)] {
        case .none: kept = RangeSet()
        case .all: kept = all
        case .allButOne: kept = count == 0 ? all : all.subtracting(RangeSet(one..<one + 1))
        case .onlyOne: kept = count == 0 ? all : RangeSet(one..<one + 1)
        case .some: kept = subset(of: count, &draws)
        case .prefix: kept = RangeSet(0..<one)
        case .torn, .tornOften:
            var tears = TearSource(history, limit: 1, seed: draws.next())
            if let torn = tears.next() { return torn }
            kept = subset(of: count, &draws)
        }
        let tails = TailChoice(history).rules(keeping: kept)
        return ImageRecipe(kept: kept, tail: tails[draws.number(below: tails.count)])
    }

    /// Sparse ones and dense ones, not only those with about half of the units.
    private func subset(of count: Int, _ draws: inout SeededBits) -> RangeSet<Int> {
        let density = draws.number(below: 15) + 1
        var kept = RangeSet<Int>()
        for unit in 0..<count where draws.number(below: 16) < density { kept.insert(contentsOf: unit..<unit + 1) }
        return kept
    }
}
