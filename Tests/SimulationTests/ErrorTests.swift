import Simulation
import Testing

@Suite struct ErrorTests {
    @Test("An error of a scenario names the file and the line")
    func namesPlace() {
        let error = SimulationError.scenario(file: "a.yaml", line: 7, problem: "There is no step 'creat'.")
        #expect(error.description == "a.yaml:7: There is no step 'creat'.")
    }
}
