import Injection
import Records
import Testing

@testable import Simulation

@Suite struct TimeSabotageTests {
    @Test("S-51: each broken rule of time is found within 100 seeds", arguments: InjectionPoint.ofTime)
    func isFound(sabotage: InjectionPoint) throws {
        var simulator = Simulator()
        simulator.options.injectionPoint = ArmedInjectionPoints(sabotage)
        let seed = try (1...100).first { seed in
            try simulator.playRandom(seed: UInt64(seed), steps: 100).story.failure != nil
        }
        #expect(seed != nil, "\(sabotage) was not found")
    }
}
