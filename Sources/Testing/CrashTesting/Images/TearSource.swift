/// Torn writes: each write of a history torn at each of its sectors, its beginning or its end written and the rest old,
/// zero or garbage, and some mixtures. When there are more than the limit, a spread of them.
struct TearSource: IteratorProtocol {
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
    private var found: Set<ImageRecipe> = []

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
        var bits = SeededBits(seed: seed)
        let count = 2 * shapes.count
        start = bits.number(below: count)
        // Steps of a size that has no divisor in common with the count come past each shape once.
        var stepSize = count > limit ? bits.number(below: count) + 1 : 1
        while Self.greatestDivisor(stepSize, count) > 1 { stepSize += 1 }
        self.stepSize = stepSize
    }

    mutating func next() -> ImageRecipe? {
        let count = 2 * shapes.count
        while step < count, found.count < limit {
            let index = (start + step * stepSize) % count
            step += 1
            guard let recipe = recipe(at: index), found.insert(recipe).inserted else { continue }
            return recipe
        }
        return nil
    }

    private func recipe(at index: Int) -> ImageRecipe? {
        let (unit, shape) = shapes[index / 2]
        guard let write = history.units[unit].write else { return nil }
        var tear = tear(write, shape: shape, seed: seed &+ UInt64(index))
        for sector in tear.sectors.indices where tear.sectors[sector] != .new && !canBeSpoiled(sector, of: write) {
            tear.sectors[sector] = .old
        }
        // Those are the unit kept or lost, and not torn.
        if tear.sectors.allSatisfy({ $0 == .new }) || tear.sectors.allSatisfy({ $0 == .old }) { return nil }
        let others = RangeSet(0..<history.units.count).subtracting(RangeSet(unit..<unit + 1))
        return ImageRecipe(kept: index % 2 == 0 ? others : RangeSet(), tears: [unit: tear])
    }

    /// Not where the file had other bytes in the sector; those and the write's are there or not together.
    private func canBeSpoiled(_ sector: Int, of write: PageWrite) -> Bool {
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
            var bits = SeededBits(seed: seed)
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
