import Testing

@testable import CrashTesting

@Suite struct SmallWorkloadsTests {
    /// Returns every text of a number of operations, built without the code under test.
    private func texts(of length: Int) -> [String] {
        let names = ["create", "complete", "reorder", "schedule", "delete", "importing", "undo", "pair"]
        let count = (0..<length).reduce(1) { count, _ in count * names.count }
        return (0..<count).map { number in
            var (rest, words) = (number, [String]())
            for _ in 0..<length {
                words.insert(names[rest % names.count], at: 0)
                rest /= names.count
            }
            return "small:" + words.joined(separator: ",")
        }
    }

    @Test("Every sequence with an effect is listed once, shorter ones first", arguments: 1...3)
    func sequences(longest: Int) throws {
        let found = SmallWorkloads(longest: longest).map(\.text)
        let all = (1...longest).flatMap(texts)
        let effective = try all.filter { text in
            let workload = try #require(LabWorkload(text))
            var model = workload.model(of: .small)
            return workload.steps.allSatisfy { step in
                guard let action = model.action(for: step) else { return false }
                model.apply(action)
                return true
            }
        }
        #expect(found == effective)
        #expect(Set(found).count == found.count)
    }

    /// Without the first task of a day, no day has two tasks.
    @Test("Of the 584 sequences of up to three operations, exactly these have an operation without effect")
    func withoutEffect() {
        let found = Set(SmallWorkloads(longest: 3).map(\.text))
        let all = (1...3).flatMap(texts)
        #expect(all.count == 584)
        #expect(
            Set(all).subtracting(found) == [
                "small:delete,delete,reorder", "small:delete,schedule,reorder", "small:schedule,delete,reorder",
            ])
    }
}

@Suite struct WorkloadOrderTests {
    @Test("A run begins with one small workload of each required kind, and has each once", arguments: [1, 2, 77])
    func order(seed: UInt64) {
        let found = SmallWorkloads.inOrder(seed: seed, isExhaustive: false)
        let kinds = Set(found.map(\.kind))
        #expect(kinds.count == 3 + 2 * SmallWorkloads.others.count)
        #expect(Set(found.prefix(kinds.count).map(\.kind)) == kinds)
        #expect(Set(found.map(\.workload.text)).count == found.count)
        #expect(found.suffix(400).allSatisfy { $0.kind == "small, of 3" })
        #expect(SmallWorkloads.inOrder(seed: seed, isExhaustive: true).count > found.count)
        let other = SmallWorkloads.inOrder(seed: seed + 1, isExhaustive: false)
        #expect(found.map(\.workload.text) != other.map(\.workload.text))
        #expect(Set(found.map(\.workload.text)) == Set(other.map(\.workload.text)))
    }
}

@Suite struct LongWorkloadsTests {
    private func texts(seed: UInt64) -> [String] { (0..<6).map { LongWorkloads(seed: seed).workload($0).text } }

    @Test("Workloads are deterministic for a seed and differ by seed and number", arguments: 0..<5)
    func seeds(seed: UInt64) {
        #expect(texts(seed: seed) == texts(seed: seed))
        #expect(Set(texts(seed: seed)).count == 6)
        #expect(Set(texts(seed: seed)).isDisjoint(with: texts(seed: seed + 1000)))
    }

    /// A report that prints a workload must be able to replay it.
    @Test("A long workload is restored from its text", arguments: 0..<6)
    func text(number: Int) {
        let text = LongWorkloads(seed: 1).workload(number).text
        #expect(LabWorkload(text)?.text == text)
    }

    @Test(
        "Each long workload contains every operation, the requested number of steps, and random numbers of all sizes",
        arguments: 0..<2 * LongWorkloads.forms)
    func operations(number: Int) {
        let steps = LongWorkloads(seed: 3).workload(number).steps
        #expect(steps.count == 200)
        let pack = LongWorkloads.pack(number)
        let all = Set(LabOperation.all(of: pack.type))
        // Only the garden's workloads compact the store; a file operation does it with tasks.
        #expect(Set(steps.map(\.operation)) == (pack == .garden ? all : all.subtracting([.compact])))
        #expect(Set(steps.map(\.draw)).count > 100)
        #expect(LongWorkloads(seed: 3).workload(number, steps: 31).steps.count == 31)
    }

    @Test("Every domain has seeded sequences, each with a name, and short ones")
    func domains() {
        let forms = 0..<LongWorkloads.forms
        #expect(Set(forms.map(LongWorkloads.pack)) == Set(LabPack.allCases))
        #expect(Set(forms.map(LongWorkloads.formName)).count == LongWorkloads.forms)
        #expect(Set(SmallWorkloads.others.map(\.pack)).union([.tasks]) == Set(LabPack.allCases))
    }

    @Test(
        "One form has a second process, one starts with a map that must grow, and the others have neither",
        arguments: 0..<2 * LongWorkloads.forms)
    func forms(number: Int) {
        let workload = LongWorkloads(seed: 9).workload(number)
        let elsewhere = workload.steps.count(where: \.runsInPeer)
        switch number % LongWorkloads.forms {
        case 0:
            #expect(workload.base == .small && workload.mapSize == 1 << 30 && elsewhere == 0)
        case 1:
            // Only a store that is created in the run begins with this map size.
            #expect(workload.base == .nothing && workload.mapSize == 1 << 18 && elsewhere == 0)
        case 2:
            #expect(workload.base == .small && (20...90).contains(elsewhere))
        default:
            #expect(workload.pack == LongWorkloads.pack(number) && workload.pack != .tasks)
            #expect(workload.base == .small && elsewhere == 0)
        }
    }
}
