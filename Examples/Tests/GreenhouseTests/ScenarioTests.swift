import Foundation
import Simulation
import Testing

/// Every file in `Scenarios/` is a test. A story that fails is printed: its file and line, its last steps, what was expected
/// and what was found.
@Suite struct ScenarioTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scenarios").path

    @Test(arguments: try ScenarioReader(vocabulary: .greenhouse).read(folder: folder))
    func plays(scenario: Scenario) throws {
        let story = try Simulator(vocabulary: .greenhouse).play(scenario)
        #expect(story.isGood)
    }
}
