import Testing

@testable import BenchCommands

@Suite struct WholeCommandTests {
    @Test("A view and an add, each with the start of its process, are judged at 200 ms [L-NFR21]")
    func wholeCommands() {
        #expect(WholeCommands.all.map { $0.words[0] } == ["add", "today"])
        #expect(WholeCommands.all.allSatisfy { $0.budget <= 200_000_000 && $0.requirements.contains("L-NFR21") })
    }
}
