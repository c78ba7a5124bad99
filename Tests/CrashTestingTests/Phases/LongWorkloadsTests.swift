import Testing

@testable import CrashTesting

@Suite struct LongWorkloadsTests {
    private func texts(seed: UInt64) -> [String] { (0..<6).map { LongWorkloads(seed: seed).workload($0).text } }

    @Test("The same seed gives the same workloads, another one others, and each number its own", arguments: 0..<5)
    func seeds(seed: UInt64) {
        #expect(texts(seed: seed) == texts(seed: seed))
        #expect(Set(texts(seed: seed)).count == 6)
        #expect(Set(texts(seed: seed)).isDisjoint(with: texts(seed: seed + 1000)))
    }

    /// A report that prints a workload must be able to replay it.
    @Test("Each comes back from its text", arguments: 0..<6)
    func text(number: Int) {
        let text = LongWorkloads(seed: 1).workload(number).text
        #expect(LabWorkload(text)?.text == text)
    }

    @Test("Every operation is in each, as many as were asked for, and draws of all sizes", arguments: 0..<12)
    func operations(number: Int) {
        let steps = LongWorkloads(seed: 3).workload(number).steps
        #expect(steps.count == 200)
        #expect(Set(steps.map(\.operation)) == Set(LabOperation.allCases))
        #expect(Set(steps.map(\.draw)).count > 100)
        #expect(LongWorkloads(seed: 3).workload(number, steps: 31).steps.count == 31)
    }

    @Test("One form has a second process, one begins with a map that must grow, and one has neither", arguments: 0..<12)
    func forms(number: Int) {
        let workload = LongWorkloads(seed: 9).workload(number)
        let elsewhere = workload.steps.count(where: \.isElsewhere)
        switch number % LongWorkloads.forms {
        case 0:
            #expect(workload.base == .small && workload.mapSize == 1 << 30 && elsewhere == 0)
        case 1:
            // As a new store begins with this size, only a store that is created in the run has it.
            #expect(workload.base == .nothing && workload.mapSize == 1 << 18 && elsewhere == 0)
        default:
            #expect(workload.base == .small && (20...90).contains(elsewhere))
        }
    }
}
