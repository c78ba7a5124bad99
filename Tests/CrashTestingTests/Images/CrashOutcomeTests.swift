import DiskImages
import DiskRecording
import Foundation
import LabSupport
import TestSupport
import Testing

@testable import CrashTesting

@Suite struct CrashOutcomeTests {
    @Test(
        "An outcome is restored from its text",
        arguments: [
            "keep=none", "keep=0", "keep=0,2-5,7", "keep=none/tail=zeros", "keep=1-2/tail=garbage",
            "keep=0,2/tear=1:nnoozzgg", "keep=none/tear=1:no,12:g/tail=garbage",
        ])
    func roundTrip(text: String) throws {
        let outcome = try #require(CrashOutcome(text))
        #expect(outcome.description == text)
    }

    @Test("Every outcome of a history is restored from its text", arguments: TestBudget.range(5, long: 20))
    func everyOutcome(seed: UInt64) {
        var random = RandomCalls(seed: seed, mayFail: true)
        random.make(12)
        for outcome in CrashOutcomes(history: DiskHistory(RandomCalls.start, random.calls), seed: seed) {
            #expect(CrashOutcome(outcome.description) == outcome)
            #expect(outcome.description.allSatisfy { $0.isLetter || $0.isNumber || "=,-:/".contains($0) })
        }
    }

    @Test(
        "An invalid text is refused",
        arguments: [
            "", "keep", "keep=", "keep=x", "keep=3-1", "keep=-1", "keep=1-2-3", "keep=1,", "tail=none", "tear=1",
            "tear=1:", "tear=1:x", "tear=x:n", "keep=1/tear=1:n", "keep=0 ", "keep=0/", "more=1",
            "keep=0-9223372036854775807",
        ])
    func refused(text: String) {
        #expect(CrashOutcome(text) == nil)
    }
}

@Suite struct CrashOutcomesTests {
    /// Returns a history with a number of writes, each to its own page of a file.
    static func history(writes: Int, inside: Bool = true) -> DiskHistory {
        DiskHistory(
            files: ["f": bytes(1, count: inside ? writes * 4096 : 0)],
            [.open(1, "f", O_RDWR), .write(1, "f", bytes(2, count: writes * 4096), at: 0)])
    }

    @Test("With few units every subset is tried once", arguments: 0...12)
    func everySubset(count: Int) {
        let outcomes = Array(CrashOutcomes(history: Self.history(writes: count), seed: 1)).filter(\.tears.isEmpty)
        #expect(outcomes.count == 1 << count)
        #expect(Set(outcomes.map(\.kept)).count == 1 << count)
        #expect(outcomes.first == CrashOutcome.none)
    }

    @Test("With many units: none, all, all but one, only one, and a sample", arguments: [13, 40, 200])
    func manyUnits(count: Int) {
        let limits = ExplorationLimits(subsetLimit: 12, samples: 50, tears: 0)
        let history = Self.history(writes: count)
        let outcomes = Array(CrashOutcomes(history: history, limits: limits, seed: 1))
        let kept = Set(outcomes.map(\.kept))
        #expect(kept.count == 2 + 2 * count + 50)
        #expect(outcomes.count == kept.count)
        #expect(kept.isSuperset(of: [RangeSet(), RangeSet(0..<count)]))
        for unit in 0..<count {
            let one = RangeSet(unit..<unit + 1)
            #expect(kept.contains(one))
            #expect(kept.contains(RangeSet(0..<count).subtracting(one)))
        }
    }

    @Test(
        "Outcomes are deterministic for a seed, differ between seeds, and never repeat",
        arguments: TestBudget.range(8, long: 30))
    func deterministic(seed: UInt64) {
        var random = RandomCalls(seed: seed, mayFail: true)
        random.make(Int(seed) + 5)
        let history = DiskHistory(RandomCalls.start, random.calls)
        let limits = ExplorationLimits(subsetLimit: 6, samples: 20, tears: 30)
        let outcomes = Array(CrashOutcomes(history: history, limits: limits, seed: seed))
        #expect(outcomes == Array(CrashOutcomes(history: history, limits: limits, seed: seed)))
        #expect(Set(outcomes).count == outcomes.count)
        if history.units.count > 10 {
            #expect(outcomes != Array(CrashOutcomes(history: history, limits: limits, seed: seed + 1)))
        }
    }

    @Test("Tail rules are tried where a lost write would have extended the file")
    func tails() {
        let outcomes = CrashOutcomes(history: Self.history(writes: 2, inside: false), seed: 1).filter(\.tears.isEmpty)
        #expect(
            Set(outcomes.map(\.description)) == [
                "keep=none", "keep=none/tail=zeros", "keep=none/tail=garbage", "keep=0", "keep=0/tail=zeros",
                "keep=0/tail=garbage", "keep=1", "keep=1/tail=garbage", "keep=0-1",
            ])
    }

    @Test("Within the limit, each write is torn at each sector, from both ends, with each rest")
    func everyTear() {
        let history = Self.history(writes: 1)
        let outcomes = CrashOutcomes(history: history, limits: ExplorationLimits(tears: 1000), seed: 1)
        let tears = Set(outcomes.compactMap { $0.tears[0]?.description })
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

    @Test("Beyond the limit, torn writes are sampled from all writes, with and without the others")
    func someTears() {
        let history = Self.history(writes: 10)
        let limits = ExplorationLimits(subsetLimit: 0, samples: 0, tears: 100)
        let torn = CrashOutcomes(history: history, limits: limits, seed: 1).filter { !$0.tears.isEmpty }
        #expect(torn.count == 100)
        #expect(Set(torn.flatMap(\.tears.keys)) == Set(0..<10))
        #expect(Set(torn.map(\.kept.isEmpty)) == [true, false])
    }
}

@Suite struct CrashOutcomeSamplerTests {
    private func history(unitCount: Int) -> DiskHistory {
        var history = DiskHistory(DiskImage(files: ["file": [UInt8](repeating: 1, count: 2 * Page.size)]))
        for number in 0..<unitCount {
            let bytes = [UInt8](repeating: UInt8(number), count: Page.size)
            history.apply(DiskCall(kind: .write, path: "file", offset: number * Page.size, bytes: bytes))
        }
        return history
    }

    @Test("Every kind of loss is sampled, and none dominates", arguments: [1, 2, 5, 40])
    func variety(unitCount: Int) {
        let history = history(unitCount: unitCount)
        #expect(history.units.count == unitCount)
        var classes: [String: Int] = [:]
        for seed in 0..<2_000 as Range<UInt64> {
            var draws = SeededGenerator(seed: seed)
            var again = draws
            let outcome = CrashOutcomeSampler(history: history).draw(&draws)
            #expect(CrashOutcomeSampler(history: history).draw(&again) == outcome)
            #expect(outcome.kept.ranges.allSatisfy { $0.upperBound <= unitCount })
            #expect(outcome.tears.keys.allSatisfy { $0 < unitCount && !outcome.kept.contains($0) })
            classes[outcome.className(of: unitCount), default: 0] += 1
        }
        var expected: Set = ["torn write", "nothing unsynced kept", "everything kept: the death of a process"]
        if unitCount > 2 {
            expected.formUnion(["all but one kept", "only one kept", "some kept"])
            expected.formUnion(["zeros", "garbage"].map { "some kept, \($0) in the extension" })
        }
        #expect(expected.isSubset(of: classes.keys), "\(classes)")
        for (name, count) in classes { #expect(count < 1_300, "\(name)") }
    }

    @Test("When everything is durable there is one outcome")
    func nothingPending() {
        let history = history(unitCount: 0)
        for seed in 0..<50 as Range<UInt64> {
            var draws = SeededGenerator(seed: seed)
            #expect(CrashOutcomeSampler(history: history).draw(&draws) == .none)
        }
    }
}
