import LabSupport

/// Torn writes: each write of a history torn at each of its sectors, with its beginning or its end written and the rest
/// old, zero or garbage, and some random mixtures. If there are more than the limit, an evenly spread sample.
struct TearSequence: IteratorProtocol {
    private static let mixtures = 8
    private static let rests: [Tear.Sector] = [.old, .zero, .garbage]

    private let history: DiskHistory
    private let limit: Int
    private let seed: UInt64
    /// The index of each write, once for each of its shapes.
    private let shapes: [(unit: Int, shape: Int)]
    private let stepSize: Int
    private let start: Int
    private var step = 0
    private var found: Set<CrashOutcome> = []

    init(_ history: DiskHistory, limit: Int, seed: UInt64) {
        self.history = history
        self.limit = limit
        self.seed = seed
        var shapes: [(unit: Int, shape: Int)] = []
        for (index, unit) in history.units.enumerated() {
            guard let write = unit.write else { continue }
            for shape in 0..<Self.shapeCount(of: write) { shapes.append((index, shape)) }
        }
        self.shapes = shapes
        var bits = SeededGenerator(seed: seed)
        let count = 2 * shapes.count
        start = bits.number(below: count)
        // A step size that is coprime to the count visits each shape once.
        var stepSize = count > limit ? bits.number(below: count) + 1 : 1
        while Self.greatestDivisor(stepSize, count) > 1 { stepSize += 1 }
        self.stepSize = stepSize
    }

    mutating func next() -> CrashOutcome? {
        let count = 2 * shapes.count
        while step < count, found.count < limit {
            let index = (start + step * stepSize) % count
            step += 1
            guard let outcome = outcome(at: index), found.insert(outcome).inserted else { continue }
            return outcome
        }
        return nil
    }

    private func outcome(at index: Int) -> CrashOutcome? {
        let (unit, shape) = shapes[index / 2]
        guard let write = history.units[unit].write else { return nil }
        var tear = tear(write, shape: shape, seed: seed &+ UInt64(index))
        for sector in tear.sectors.indices where tear.sectors[sector] != .new && !canBeCorrupted(sector, of: write) {
            tear.sectors[sector] = .old
        }
        // These equal a kept or a lost unit.
        if tear.sectors.allSatisfy({ $0 == .new }) || tear.sectors.allSatisfy({ $0 == .old }) { return nil }
        let others = RangeSet(0..<history.units.count).subtracting(RangeSet(unit..<unit + 1))
        return CrashOutcome(kept: index % 2 == 0 ? others : RangeSet(), tears: [unit: tear])
    }

    /// A sector with other bytes of the file is written completely or not at all.
    private func canBeCorrupted(_ sector: Int, of write: PageWrite) -> Bool {
        let sector = write.sector(sector)
        let part = sector.clamped(to: write.range)
        return part == sector || part.upperBound > history.durable.length(of: write.file)
    }

    /// From 0 to all but one sectors written at either end, with each rest; then mixtures.
    private static func shapeCount(of write: PageWrite) -> Int {
        2 * rests.count * write.sectorCount + mixtures
    }

    private func tear(_ write: PageWrite, shape: Int, seed: UInt64) -> Tear {
        let count = write.sectorCount
        guard shape < Self.shapeCount(of: write) - Self.mixtures else {
            var bits = SeededGenerator(seed: seed)
            return Tear(sectors: (0..<count).map { _ in Tear.Sector.allCases[bits.number(below: 4)] })
        }
        let rest = Self.rests[shape % 3]
        let isPrefix = shape / 3 % 2 == 0
        let written = shape / 6
        return Tear(sectors: (0..<count).map { (isPrefix ? $0 : count - 1 - $0) < written ? .new : rest })
    }

    private static func greatestDivisor(_ one: Int, _ two: Int) -> Int {
        two == 0 ? 1 : one % two == 0 ? two : greatestDivisor(two, one % two)
    }
}

/// Samples outcomes of a crash; each kind of loss is about equally likely.
struct CrashOutcomeSampler {
    private enum Kind: CaseIterable {
        case none, all, allButOne, onlyOne, some, prefix, torn, tornOften
    }

    let history: DiskHistory

    func draw(_ draws: inout SeededGenerator) -> CrashOutcome {
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
            var tears = TearSequence(history, limit: 1, seed: draws.next())
            if let torn = tears.next() { return torn }
            kept = subset(of: count, &draws)
        }
        let tails = TailChoice(history).rules(keeping: kept)
        return CrashOutcome(kept: kept, tail: tails[draws.number(below: tails.count)])
    }

    /// Varies the density, so that not all subsets hold about half of the units.
    private func subset(of count: Int, _ draws: inout SeededGenerator) -> RangeSet<Int> {
        let density = draws.number(below: 15) + 1
        var kept = RangeSet<Int>()
        for unit in 0..<count where draws.number(below: 16) < density { kept.insert(contentsOf: unit..<unit + 1) }
        return kept
    }
}
