#if os(Linux)
    import CivilTime
    import Foundation
    import KeyValue
    import Testing

    @testable import CrashLab

    extension WithDiskLog {
        @Suite struct BitRotTests {
            private let scratch = "\(NSTemporaryDirectory())/daybook-rot-\(UUID().uuidString)"
            private let pool = ChildPool(width: 2, clock: SystemClock())

            private func withScratch<Result>(_ body: () throws -> Result) throws -> Result {
                try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(atPath: scratch) }
                return try body()
            }

            @Test(
                "A damage is the same after it was written down and read",
                arguments: [
                    PageDamage.flip(page: 12, byte: 331, bit: 4), .swap(9, 69), .old(page: 5, age: 40),
                    .foreign(page: 7),
                    .zeros(page: 3),
                ])
            func recipes(damage: PageDamage) {
                let trial = BitRotTrial(seed: 7, damage: damage)
                #expect(BitRotTrial(trial.text) == trial)
                #expect(CrashLab.isRecipe(trial.text))
            }

            @Test(
                "What is no damage is no recipe",
                arguments: [
                    "rot|1|flip:1.2", "rot|1|flip:1.4096.0", "rot|1|flip:1.0.8", "rot|1|flip:-1.0.0", "rot|x|zeros:1",
                    "rot|1|melt:1", "rot|1|zeros:1|", "rot|1|zeros:1.x",
                ])
            func noRecipes(text: String) {
                #expect(BitRotTrial(text) == nil)
            }

            @Test("The store that is damaged has pages of every kind, and every damage changes it")
            func pages() throws {
                try withScratch {
                    let store = try BitRotStore(seed: 3, scratch: scratch, pool: pool)
                    for kind in PageMap.Kind.allCases { #expect(!store.map.pages(of: kind).isEmpty, "\(kind)") }
                    #expect(store.map.pages(of: .branch).count >= 3)
                    #expect(store.earlierStates.count > 20)
                    let damages = (0..<200).map(store.damage)
                    #expect(Set(damages.map(\.name)).count == 5)
                    #expect(damages == (0..<200).map(store.damage))
                }
            }

            @Test("No damage breaks a promise, and each kind of answer is reached")
            func promises() throws {
                try withScratch {
                    let coverage = Coverage()
                    let rot = try BitRot(seed: 3, pool: pool, scratch: scratch, coverage: coverage)
                    #expect(try rot.run(trials: 120) { true } == [])
                    #expect(rot.trials == 120)
                    let answers = try #require(coverage.counts["bit rot: answers"])
                    for answer in ["found by verify", "harmless", "ended verify by a signal", "refused to open"] {
                        #expect(answers[answer, default: 0] > 0, "\(answer)")
                    }
                }
            }

            @Test(
                "What was found broken once is mended",
                arguments: ["swap:53.108", "swap:9.69", "swap:0.1", "foreign:106", "foreign:70", "foreign:109"])
            func mended(damage: String) throws {
                try withScratch {
                    let trial = try #require(BitRotTrial("rot|1|\(damage)"))
                    let violations = try BitRot.replay(
                        trial, pool: pool, scratch: scratch, coverage: Coverage(), tell: { _ in })
                    #expect(violations == [])
                }
            }

            @Test("A store that takes values as it finds them is found out")
            func canary() throws {
                try withScratch {
                    let rot = try BitRot(
                        seed: 3, pool: pool, scratch: scratch, coverage: Coverage(), sabotage: .ignoresChecksums)
                    let result = try rot.runOnValues(trials: 100)
                    #expect(result.trialsUntilFound != nil)
                }
            }

            @Test("A damage that nobody finds is a broken promise; so are wrong data, a trap and a hang")
            func verdicts() {
                func problem(_ words: [(String, String)], _ ending: (BitRotStage, ChildPool.Ending.Way)? = nil)
                    -> String?
                {
                    var verdict = BitRotVerdict(BitRotTrial(seed: 1, damage: .zeros(page: 9)))
                    for (word, value) in words { verdict.take(word, value) }
                    if let (stage, way) = ending { verdict.ended(stage, ChildPool.Ending(way: way, lines: [])) }
                    return verdict.problem(isInsideValue: true, bringsOtherTimes: false, taskCount: 10)
                }
                let found = [("seen", "different"), ("problem", "page 9")]
                #expect(problem(found) == nil)
                #expect(problem([("seen", "same"), ("problem", "")]) == nil)
                #expect(problem([("seen", "different"), ("problem", "")]) == "verify does not find it")
                #expect(problem(found + [("wrong", "x")])?.contains("wrong data") == true)
                #expect(problem(found + [("readable", "9")]) == nil)
                #expect(problem(found + [("readable", "8")])?.contains("only 8 of 10") == true)
                #expect(problem(found + [("unmended", "x")])?.contains("after a rebuild") == true)
                #expect(problem(found + [("untyped", "x")])?.contains("without a type") == true)
                #expect(problem([("seen", "different")], (.verifying, .killed(signal: 11))) == nil)
                #expect(problem(found, (.reading, .killed(signal: 4)))?.contains("trapped") == true)
                #expect(problem(found, (.reading, .timedOut))?.contains("time limit") == true)
                #expect(problem([("seen", "different"), ("problem", ""), ("miscount", "x")]) != nil)
            }
        }
    }
#endif
