/// The recipes to try at one moment of a history, made while they are asked for: the same ones in the same order for the
/// same seed, and none of them twice.
///
/// First whole units (none, all, all but one, only one, then subsets), each with the tail rules that make a difference,
/// then torn writes, each on a disk that has kept everything else or nothing else.
struct RecipeSource: Sequence {
    let history: DiskHistory
    var limits = ExplorationLimits()
    var seed: UInt64

    func makeIterator() -> Iterator {
        Iterator(
            tails: TailChoice(history),
            subsets: SubsetSource(count: history.units.count, limits: limits, seed: seed),
            tears: TearSource(history, limit: limits.tears, seed: seed))
    }

    struct Iterator: IteratorProtocol {
        fileprivate let tails: TailChoice
        fileprivate var subsets: SubsetSource
        fileprivate var tears: TearSource
        private var waiting: [ImageRecipe] = []

        fileprivate init(tails: TailChoice, subsets: SubsetSource, tears: TearSource) {
            self.tails = tails
            self.subsets = subsets
            self.tears = tears
        }

        mutating func next() -> ImageRecipe? {
            if let recipe = waiting.popLast() { return recipe }
            guard let kept = subsets.next() else { return tears.next() }
            waiting = tails.rules(keeping: kept).map { ImageRecipe(kept: kept, tail: $0) }.reversed()
            return waiting.popLast()
        }
    }
}
