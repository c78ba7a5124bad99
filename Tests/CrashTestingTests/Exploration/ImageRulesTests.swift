import Testing

@testable import CrashTesting

@Suite struct ImageRulesTests {
    /// Three tasks are created; the second undo leads back to an earlier state.
    private static let workload = LabWorkload(
        base: .nothing, steps: [LabStep(.create), LabStep(.create), LabStep(.create)])

    private func rules(_ allowed: ClosedRange<Int>) -> ImageRules {
        ImageRules(
            states: [10: [0], 11: [1, 4], 12: [2], 13: [3]], allowed: allowed, mustExist: true, undoDepths: [],
            workload: Self.workload)
    }

    private func number(_ digest: UInt64, in allowed: ClosedRange<Int>) -> Int? {
        try? rules(allowed).check(digest) { nil }
    }

    @Test("Exactly the states from the last acknowledged to the last issued are allowed")
    func range() {
        for lower in 0...4 {
            for upper in lower...4 {
                for (digest, numbers) in [(10, [0]), (11, [1, 4]), (12, [2]), (13, [3])] as [(UInt64, [Int])] {
                    let right = numbers.first { (lower...upper).contains($0) }
                    #expect(number(digest, in: lower...upper) == right, "\(digest) in \(lower)...\(upper)")
                }
                #expect(number(99, in: lower...upper) == nil)
            }
        }
    }

    private func problem(_ digest: UInt64, in allowed: ClosedRange<Int>, lines: [String]?) -> String? {
        do {
            try rules(allowed).check(digest) { lines }
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("A state from another time is reported with what was promised")
    func wrongState() {
        #expect(problem(10, in: 1...2, lines: nil) == "found state 0, but 1 was acknowledged and 2 issued")
        #expect(problem(13, in: 1...2, lines: nil) == "found state 3, but 1 was acknowledged and 2 issued")
    }

    @Test("An unknown state is reported with the difference to the nearest allowed state")
    func noState() throws {
        let two = try #require(Self.workload.model(after: 2)).lines
        let three = try #require(Self.workload.model(after: 3)).lines
        #expect(three.count == two.count + 1)
        let added = "inbox: 9 not started"
        #expect(problem(99, in: 2...3, lines: three + [added])?.contains("against state 3: + \(added)") == true)
        #expect(problem(99, in: 2...3, lines: two + [added])?.contains("against state 2: + \(added)") == true)
        #expect(problem(99, in: 0...0, lines: nil)?.contains("the views cannot be read") == true)
    }

    @Test("A crash promises what was acknowledged and allows what was issued")
    func progress() {
        let recording = Recording(start: DiskImage(), entries: [], lockFile: [])
        var progress = RunProgress()
        func rules() -> ImageRules { progress.rules(of: recording, Self.workload) }
        #expect(rules().allowed == 0...0)
        #expect(!rules().mustExist)
        progress.take(LabMark.issued.rawValue, 0)
        #expect(rules().allowed == 0...0)
        #expect(!rules().mustExist)
        progress.take(LabMark.acknowledged.rawValue, 0)
        #expect(rules().allowed == 0...0)
        #expect(rules().mustExist)
        progress.take(LabMark.issued.rawValue, 1)
        #expect(rules().allowed == 0...1)
        for mark in [LabMark.state, .digest, .undoDepth] { progress.take(mark.rawValue, 77) }
        progress.take(99, 77)
        #expect(rules().allowed == 0...1)
        progress.take(LabMark.acknowledged.rawValue, 1)
        #expect(rules().allowed == 1...1)
        // A fault made an operation fail, so it was not issued.
        progress.take(LabMark.issued.rawValue, 0)
        #expect(rules().allowed == 1...1)
    }

    @Test("A store that existed before the run must exist at every crash point")
    func existing() {
        let start = DiskImage(files: [Recording.dataPath: [1]], folders: ["home", "home/store"])
        let recording = Recording(start: start, entries: [], lockFile: [])
        #expect(RunProgress().rules(of: recording, Self.workload).mustExist)
    }
}

@Suite struct DifferenceTests {
    @Test("Missing lines are listed before additional ones; equal lines are omitted")
    func both() {
        #expect(Difference.between(["a", "b", "c"], ["b", "d"]) == "- a; - c; + d")
        #expect(Difference.between([], ["a"]) == "+ a")
        #expect(Difference.between(["a"], []) == "- a")
    }

    @Test("Equal lines differ in order, in number or not at all")
    func equal() {
        #expect(Difference.between(["a", "b"], ["b", "a"]) == "equal lines in another order")
        #expect(Difference.between(["a"], ["a"]) == "equal tasks, different bytes")
    }

    @Test("A report stays short, however much differs")
    func short() {
        let lines = (0..<100).map { "line \($0)" }
        #expect(Difference.between(lines, []).split(separator: ";").count == 12)
    }
}
