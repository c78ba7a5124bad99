import Foundation
import Simulation
import Testing

/// Runs every file in `Scenarios/` as a test. A failure prints the file and line, the last steps, and the expected and
/// actual values.
@Suite struct ScenarioTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scenarios").path

    @Test("A scenario runs as it says", arguments: try ScenarioReader(vocabulary: .greenhouse).read(folder: folder))
    func plays(scenario: Scenario) throws {
        let story = try Simulator(vocabulary: .greenhouse).play(scenario)
        #expect(story.isGood)
    }
}
