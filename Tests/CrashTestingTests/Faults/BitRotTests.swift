import Testing

@testable import CrashTesting

@Suite struct BitRotTests {
    @Test(
        "A damage is restored from its text",
        arguments: [
            PageDamage.flip(page: 12, byte: 331, bit: 4), .swap(9, 69), .old(page: 5, age: 40),
            .foreign(page: 7),
            .zeros(page: 3),
        ])
    func reproducers(damage: PageDamage) {
        let trial = BitRotTrial(seed: 7, damage: damage)
        let other = BitRotTrial(seed: 7, pack: .garden, damage: damage)
        for expected in [trial, other] {
            guard case .damage(let again) = Reproducer(Reproducer.damage(expected).text) else {
                Issue.record("\(expected)")
                continue
            }
            #expect(again == expected)
        }
    }

    @Test(
        "An invalid damage is refused",
        arguments: [
            "rot|1|flip:1.2", "rot|1|flip:1.4096.0", "rot|1|flip:1.0.8", "rot|1|flip:-1.0.0", "rot|x|zeros:1",
            "rot|1|melt:1", "rot|melt@1|zeros:1", "rot|tasks@1|zeros:1", "rot|1|zeros:1|", "rot|1|zeros:1.x",
        ])
    func noReproducers(text: String) {
        #expect(!CrashLab.isReproducer(text))
    }

    @Test("Undetected damage, wrong data, a signal and a hang each break a promise")
    func verdicts() {
        func problem(_ words: [(String, String)], _ ending: (BitRotStage, ChildPool.Ending.Way)? = nil)
            -> String?
        {
            var verdict = BitRotVerdict(BitRotTrial(seed: 1, damage: .zeros(page: 9)))
            for (word, value) in words { verdict.take(word, value) }
            if let (stage, way) = ending { verdict.ended(stage, ChildPool.Ending(way: way, lines: [])) }
            return verdict.problem(isInsideValue: true, bringsStaleData: false, recordCount: 10)
        }
        let found = [("seen", "different"), ("problem", "page 9")]
        #expect(problem(found) == nil)
        #expect(problem([("seen", "same"), ("problem", "")]) == nil)
        #expect(problem([("seen", "different"), ("problem", "")]) == "verify does not find it")
        #expect(problem(found + [("wrong", "x")])?.contains("wrong data") == true)
        // As if the last writes had never reached the disk: nothing in the file can show that.
        #expect(
            problem([("seen", "earlier"), ("problem", ""), ("wrong", "x"), ("undone", "x"), ("miscount", "x")]) == nil)
        #expect(problem(found + [("readable", "9")]) == nil)
        #expect(problem(found + [("readable", "8")])?.contains("only 8 of 10") == true)
        #expect(problem(found + [("unrepaired", "x")])?.contains("after a rebuild") == true)
        #expect(problem(found + [("untyped", "x")])?.contains("untyped error") == true)
        #expect(
            problem([("seen", "different")], (.verifying, .killed(signal: 11)))?.contains("signal 11 ended") == true)
        #expect(problem(found, (.reading, .killed(signal: 4)))?.contains("signal 4 ended") == true)
        #expect(problem(found, (.reading, .timedOut))?.contains("time limit") == true)
        #expect(problem([("seen", "different"), ("problem", ""), ("miscount", "x")]) != nil)
    }
}
