import Testing

@testable import CrashTesting

@Suite struct SmallWorkloadsTests {
    /// Every text of so many operations, put together without the code that is tested.
    private func texts(of length: Int) -> [String] {
        let names = ["create", "complete", "reorder", "schedule", "delete", "undo", "pair", "importing"]
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

    @Test("Every sequence that has an effect, once, the shorter ones first", arguments: 1...3)
    func sequences(longest: Int) throws {
        let found = SmallWorkloads(longest: longest).map(\.text)
        let all = (1...longest).flatMap(texts)
        let effective = try all.filter { text in
            let workload = try #require(LabWorkload(text))
            var model = LabWorkload.Base.model(of: .small)
            return workload.steps.allSatisfy { step in
                guard let action = model.action(for: step) else { return false }
                model.apply(action, at: LabStore.start)
                return true
            }
        }
        #expect(found == effective)
        #expect(Set(found).count == found.count)
    }

    /// With the first task of a day gone there is no day of two tasks left.
    @Test("Of the 584 sequences of up to three, just these have an operation without effect")
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
