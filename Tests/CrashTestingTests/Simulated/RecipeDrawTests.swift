import Testing

@testable import CrashTesting

@Suite struct RecipeDrawTests {
    private func history(unitCount: Int) -> DiskHistory {
        var history = DiskHistory(DiskImage(files: ["file": [UInt8](repeating: 1, count: 2 * Page.size)]))
        for number in 0..<unitCount {
            let bytes = [UInt8](repeating: UInt8(number), count: Page.size)
            history.apply(DiskCall(kind: .write, path: "file", offset: number * Page.size, bytes: bytes))
        }
        return history
    }

    @Test("Every kind of loss is drawn, and none often", arguments: [1, 2, 5, 40])
    func variety(unitCount: Int) {
        let history = history(unitCount: unitCount)
        #expect(history.units.count == unitCount)
        var classes: [String: Int] = [:]
        for seed in 0..<2_000 as Range<UInt64> {
            var draws = SeededBits(seed: seed)
            var again = draws
            let recipe = RecipeDraw(history: history).draw(&draws)
            #expect(RecipeDraw(history: history).draw(&again) == recipe)
            #expect(recipe.kept.ranges.allSatisfy { $0.upperBound <= unitCount })
            #expect(recipe.tears.keys.allSatisfy { $0 < unitCount && !recipe.kept.contains($0) })
            classes[recipe.className(of: unitCount), default: 0] += 1
        }
        var expected: Set = ["torn write", "nothing unsynced kept", "everything kept: the death of a process"]
        if unitCount > 2 {
            expected.formUnion(["all but one kept", "only one kept", "some kept"])
            expected.formUnion(["zeros", "garbage"].map { "some kept, \($0) in the extension" })
        }
        #expect(expected.isSubset(of: classes.keys), "\(classes)")
        for (name, count) in classes { #expect(count < 1_300, "\(name)") }
    }

    @Test("Where everything is durable there is one answer")
    func nothingPending() {
        let history = history(unitCount: 0)
        for seed in 0..<50 as Range<UInt64> {
            var draws = SeededBits(seed: seed)
            #expect(RecipeDraw(history: history).draw(&draws) == .none)
        }
    }
}
