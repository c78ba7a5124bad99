import Foundation
import Testing

@testable import CrashTesting

@Suite struct RecipeSourceTests {
    /// So many writes, each of a page of its own inside of the file.
    static func history(writes: Int, inside: Bool = true) -> DiskHistory {
        DiskHistory(
            files: ["f": bytes(1, count: inside ? writes * 4096 : 0)],
            [.open(1, "f", O_RDWR), .write(1, "f", bytes(2, count: writes * 4096), at: 0)])
    }

    @Test("While there are few units every subset is tried, once", arguments: 0...12)
    func everySubset(count: Int) {
        let recipes = Array(RecipeSource(history: Self.history(writes: count), seed: 1)).filter(\.tears.isEmpty)
        #expect(recipes.count == 1 << count)
        #expect(Set(recipes.map(\.kept)).count == 1 << count)
        #expect(recipes.first == ImageRecipe.none)
    }

    @Test("With many units: none, all, all but one, only one, and a sample", arguments: [13, 40, 200])
    func manyUnits(count: Int) {
        let limits = ExplorationLimits(subsetLimit: 12, samples: 50, tears: 0)
        let history = Self.history(writes: count)
        let recipes = Array(RecipeSource(history: history, limits: limits, seed: 1))
        let kept = Set(recipes.map(\.kept))
        #expect(kept.count == 2 + 2 * count + 50)
        #expect(recipes.count == kept.count)
        #expect(kept.isSuperset(of: [RangeSet(), RangeSet(0..<count)]))
        for unit in 0..<count {
            let one = RangeSet(unit..<unit + 1)
            #expect(kept.contains(one))
            #expect(kept.contains(RangeSet(0..<count).subtracting(one)))
        }
    }

    @Test("The same seed gives the same recipes, another one others, and none comes twice", arguments: 0..<30)
    func deterministic(seed: UInt64) {
        var random = RandomCalls(seed: seed, mayFail: true)
        random.make(Int(seed) + 5)
        let history = DiskHistory(RandomCalls.start, random.calls)
        let limits = ExplorationLimits(subsetLimit: 6, samples: 20, tears: 30)
        let recipes = Array(RecipeSource(history: history, limits: limits, seed: seed))
        #expect(recipes == Array(RecipeSource(history: history, limits: limits, seed: seed)))
        #expect(Set(recipes).count == recipes.count)
        if history.units.count > 10 {
            #expect(recipes != Array(RecipeSource(history: history, limits: limits, seed: seed + 1)))
        }
    }

    @Test("The tail rules are tried where a write that is lost would have made the file longer")
    func tails() {
        let recipes = RecipeSource(history: Self.history(writes: 2, inside: false), seed: 1).filter(\.tears.isEmpty)
        #expect(
            Set(recipes.map(\.description)) == [
                "keep=none", "keep=none/tail=zeros", "keep=none/tail=garbage", "keep=0", "keep=0/tail=zeros",
                "keep=0/tail=garbage", "keep=1", "keep=1/tail=garbage", "keep=0-1",
            ])
    }

    @Test("When everything fits, each write is torn at each sector, from both ends, with each rest")
    func everyTear() {
        let history = Self.history(writes: 1)
        let recipes = RecipeSource(history: history, limits: ExplorationLimits(tears: 1000), seed: 1)
        let tears = Set(recipes.compactMap { $0.tears[0]?.description })
        for written in 0..<8 {
            for rest in ["o", "z", "g"] where written > 0 || rest != "o" {
                let new = String(repeating: "n", count: written)
                let other = String(repeating: rest, count: 8 - written)
                #expect(tears.contains(new + other))
                #expect(tears.contains(other + new))
            }
        }
        #expect(!tears.contains("nnnnnnnn") && !tears.contains("oooooooo"))
    }

    @Test("When there are too many tears, they are of all writes, with and without the others")
    func someTears() {
        let history = Self.history(writes: 10)
        let limits = ExplorationLimits(subsetLimit: 0, samples: 0, tears: 100)
        let torn = RecipeSource(history: history, limits: limits, seed: 1).filter { !$0.tears.isEmpty }
        #expect(torn.count == 100)
        #expect(Set(torn.flatMap(\.tears.keys)) == Set(0..<10))
        #expect(Set(torn.map(\.kept.isEmpty)) == [true, false])
    }
}
