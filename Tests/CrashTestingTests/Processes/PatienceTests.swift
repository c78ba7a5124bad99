import Testing

@testable import CrashTesting

@Suite struct PatienceTests {
    @Test("A machine that stood still for an hour uses up no more patience than one wait")
    func stall() {
        var patience = Patience(microseconds: 10 * Patience.slice)
        for _ in 0..<9 { patience.spend(microseconds: 3_600_000_000) }
        #expect(!patience.isOver)
        patience.spend(microseconds: 3_600_000_000)
        #expect(patience.isOver)
    }
}
