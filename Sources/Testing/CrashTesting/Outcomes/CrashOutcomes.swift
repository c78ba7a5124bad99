import LabSupport

/// The outcomes to try at one point of a history, generated lazily, deterministic for a seed, without duplicates.
///
/// First complete units (none, all, all but one, only one, then subsets), each with the tail rules that make a
/// difference; then torn writes, each with everything else kept or lost.
struct CrashOutcomes: Sequence {
    let history: DiskHistory
    var limits = ExplorationLimits()
    var seed: UInt64

    func makeIterator() -> Iterator {
        Iterator(
            tails: TailChoice(history),
            subsets: SubsetSequence(count: history.units.count, limits: limits, seed: seed),
            tears: TearSequence(history, limit: limits.tears, seed: seed))
    }

    struct Iterator: IteratorProtocol {
        fileprivate let tails: TailChoice
        fileprivate var subsets: SubsetSequence
        fileprivate var tears: TearSequence
        private var waiting: [CrashOutcome] = []

        fileprivate init(tails: TailChoice, subsets: SubsetSequence, tears: TearSequence) {
            self.tails = tails
            self.subsets = subsets
            self.tears = tears
        }

        mutating func next() -> CrashOutcome? {
            if let outcome = waiting.popLast() { return outcome }
            guard let kept = subsets.next() else { return tears.next() }
            waiting = tails.rules(keeping: kept).map { CrashOutcome(kept: kept, tail: $0) }.reversed()
            return waiting.popLast()
        }
    }
}

/// How many images of one crash point to try. None, all, each unit lost alone and each kept alone are always tried.
struct ExplorationLimits: Sendable, Equatable {
    /// Up to this many units, every subset is tried.
    var subsetLimit = 12
    /// Beyond it, this many subsets are sampled.
    var samples = 64
    /// How many torn writes are tried.
    var tears = 48
    /// So many recoveries of a workload are interrupted at each of their calls, and one in so many of the others.
    var interruptions = 24
    var interruptedShare = 16

    /// For recoveries, which are interrupted at each of their calls.
    static let recovery = ExplorationLimits(subsetLimit: 3, samples: 2, tears: 2)
    /// For workloads of hundreds of operations.
    static let long = ExplorationLimits(subsetLimit: 12, samples: 32, tears: 12)
    /// For a power failure after a fault.
    static let fault = ExplorationLimits(subsetLimit: 2, samples: 2, tears: 0)
}

/// Subsets of a number of units, the essential ones first, without duplicates.
struct SubsetSequence: IteratorProtocol {
    private let count: Int
    private let limits: ExplorationLimits
    private var bits: SeededGenerator
    private var step = 0
    private var mask = 0
    private var attempts = 0
    private var drawn: Set<RangeSet<Int>> = []

    init(count: Int, limits: ExplorationLimits, seed: UInt64) {
        self.count = count
        self.limits = limits
        bits = SeededGenerator(seed: seed)
    }

    mutating func next() -> RangeSet<Int>? {
        if let essential = nextEssential() { return essential }
        return count <= limits.subsetLimit ? nextMask() : nextDrawn()
    }

    /// None, all, all but one, only one. With few units some of these coincide.
    private mutating func nextEssential() -> RangeSet<Int>? {
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
            if !isEssential(mask.nonzeroBitCount) { return subset { mask & 1 << $0 != 0 } }
        }
        return nil
    }

    private mutating func nextDrawn() -> RangeSet<Int>? {
        while drawn.count < limits.samples, attempts < 4 * limits.samples {
            attempts += 1
            // Varies the density, so that not all subsets hold about half of the units.
            let density = bits.number(below: 15) + 1
            var kept = RangeSet<Int>()
            var size = 0
            for unit in 0..<count where bits.number(below: 16) < density {
                kept.insert(contentsOf: unit..<unit + 1)
                size += 1
            }
            if !isEssential(size), drawn.insert(kept).inserted { return kept }
        }
        return nil
    }

    private func isEssential(_ size: Int) -> Bool { size <= 1 || size >= count - 1 }

    private func subset(_ isKept: (Int) -> Bool) -> RangeSet<Int> {
        var kept = RangeSet<Int>()
        for unit in 0..<count where isKept(unit) { kept.insert(contentsOf: unit..<unit + 1) }
        return kept
    }
}

/// The tail rules that make a difference for a subset of kept units.
struct TailChoice {
    /// The writes that end beyond the durable end of their file.
    private let extending: [(index: Int, file: FileTree.Number, end: Int)]

    init(_ history: DiskHistory) {
        extending = history.units.enumerated().compactMap { index, unit in
            guard let write = unit.write, write.range.upperBound > history.durable.length(of: write.file) else {
                return nil
            }
            return (index, write.file, write.range.upperBound)
        }
    }

    func rules(keeping kept: RangeSet<Int>) -> [TailRule] {
        let lost = extending.filter { !kept.contains($0.index) }
        if lost.isEmpty { return [.lost] }
        // A hole before a kept write is always zeros.
        let isShorter = lost.contains { write in
            !extending.contains { $0.file == write.file && $0.end >= write.end && kept.contains($0.index) }
        }
        return isShorter ? TailRule.allCases : [.lost, .garbage]
    }
}
