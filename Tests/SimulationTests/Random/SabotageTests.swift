import Records
import Testing

@testable import Simulation

@Suite struct TimeSabotageTests {
    @Test("S-51: each broken rule of time is found within 100 seeds", arguments: TimeSabotage.allCases)
    func isFound(sabotage: TimeSabotage) throws {
        var simulator = Simulator()
        simulator.options.timeSabotage = sabotage
        let seed = try (1...100).first { seed in
            try simulator.playRandom(seed: UInt64(seed), steps: 100).story.failure != nil
        }
        #expect(seed != nil, "\(sabotage) was not found")
    }
}
