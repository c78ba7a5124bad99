import Testing

@testable import CrashTesting

@Suite struct ShrinkerTests {
    struct Unrunnable: Error {}

    private func violation(_ workload: LabWorkload) -> CrashViolation {
        CrashViolation(recipe: workload.text, problem: "broken")
    }

    /// What is left of a workload that is broken as long as it has some steps, in this order.
    private func shrunk(_ workload: LabWorkload, needs needed: [LabStep]) throws -> LabWorkload? {
        let found = try Shrinker { candidate in
            var rest = needed[...]
            for step in candidate.steps where step == rest.first { rest.removeFirst() }
            return rest.isEmpty ? self.violation(candidate) : nil
        }.shrink(workload)
        return try found.map { try #require(LabWorkload($0.recipe)) }
    }

    /// Steps that can be told apart.
    private func workload(_ count: Int) -> LabWorkload {
        LabWorkload(steps: (0..<count).map { LabStep(LabOperation.allCases[$0 % 12], draw: $0) })
    }

    @Test("What is left is just what it takes, wherever in the workload it stands")
    func minimal() throws {
        let workload = workload(11)
        for first in 0..<11 {
            for second in first + 1..<11 {
                let needed = [workload.steps[first], workload.steps[second]]
                #expect(try shrunk(workload, needs: needed)?.steps == needed, "\(first) and \(second)")
            }
        }
    }

    @Test("A seeded choice of steps is what is left of a long workload", arguments: 0..<20)
    func long(seed: UInt64) throws {
        var bits = SeededBits(seed: seed)
        let workload = workload(200)
        let needed = workload.steps.filter { _ in bits.number(below: 30) == 0 }
        #expect(try shrunk(workload, needs: needed)?.steps == needed)
    }

    @Test("Nothing is left of steps that have no part in it")
    func nothing() throws {
        #expect(try shrunk(workload(7), needs: [])?.steps == [])
    }

    @Test("A workload of which nothing can be left out is not told twice", arguments: [0, 1, 2, 7])
    func alreadyShort(count: Int) throws {
        let workload = workload(count)
        #expect(try shrunk(workload, needs: workload.steps) == nil)
    }

    @Test("The base, the map and the broken promise stay as they are; a rebuild goes when it has no part in it")
    func rest() throws {
        var workload = workload(5)
        workload.base = .older
        workload.mapSize = 1 << 18
        workload.rebuilds = true
        workload.sabotage = .neverFlushes
        let found = try #require(try shrunk(workload, needs: [workload.steps[3]]))
        #expect(found.text == "older/262144:schedule.3!neverFlushes")
        let rebuilt = try Shrinker { $0.rebuilds ? violation($0) : nil }.shrink(workload)
        #expect(rebuilt?.recipe == "older/262144:rebuild!neverFlushes")
    }

    @Test("A shorter workload that does not run is none that is broken")
    func unrunnable() throws {
        let workload = workload(8)
        let found = try Shrinker { candidate in
            // Step 5 is done to what step 2 has made.
            if candidate.steps.contains(workload.steps[5]), !candidate.steps.contains(workload.steps[2]) {
                throw Unrunnable()
            }
            return candidate.steps.contains(workload.steps[5]) ? violation(candidate) : nil
        }.shrink(workload)
        #expect(found?.recipe == LabWorkload(steps: [workload.steps[2], workload.steps[5]]).text)
    }

    @Test("What is told belongs to the workload that is told")
    func lastFound() throws {
        let workload = workload(9)
        let found = try Shrinker { candidate in
            candidate.steps.contains(workload.steps[4])
                ? CrashViolation(recipe: candidate.text, problem: "\(candidate.steps.count) steps") : nil
        }.shrink(workload)
        #expect(found == CrashViolation(recipe: "small:delete.4", problem: "1 steps"))
    }
}
