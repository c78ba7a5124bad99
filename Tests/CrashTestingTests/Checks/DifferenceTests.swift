import Testing

@testable import CrashTesting

@Suite struct DifferenceTests {
    @Test("What is missing is named first, then what is there besides; what is the same is not named")
    func both() {
        #expect(Difference.between(["a", "b", "c"], ["b", "d"]) == "- a; - c; + d")
        #expect(Difference.between([], ["a"]) == "+ a")
        #expect(Difference.between(["a"], []) == "- a")
    }

    @Test("Equal lines differ in order, in number or not at all")
    func equal() {
        #expect(Difference.between(["a", "b"], ["b", "a"]) == "the same in another order")
        #expect(Difference.between(["a"], ["a"]) == "the same tasks, but other bytes")
    }

    @Test("A report stays short, however much differs")
    func short() {
        let lines = (0..<100).map { "line \($0)" }
        #expect(Difference.between(lines, []).split(separator: ";").count == 12)
    }
}
