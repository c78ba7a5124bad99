import Foundation
import Injection
import Records
import Simulation
import Testing

/// Every file in `Simulations/` is a test. Those that need a machine on which things go wrong are played beside the other
/// tests of the crash lab, since there is one recorder of file calls in a process.
@Suite struct ScenarioFilesTests {
    static let folder = URL(filePath: #filePath).appending(path: "../../../../Simulations").standardized

    /// The files by their names within the folder, such as `midnight/tomorrow-becomes-today.yaml`.
    static var files: [String] {
        let names = FileManager.default.subpaths(atPath: folder.path) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted()
    }

    /// Those that are played here; one that cannot be read is among them.
    static var played: [String] {
        files.filter { (try? scenario($0))?.needsFailingMachine != true }
    }

    static func scenario(_ name: String) throws -> Scenario {
        try ScenarioReader().read(file: folder.appending(path: name).path)
    }

    @Test("The story is as it has to be, and the same each time", arguments: played)
    func plays(name: String) throws {
        let scenario = try Self.scenario(name)
        let story = try Simulator().play(scenario)
        let failure = story.failure.map { wrong in
            "\(name):\(wrong.line ?? 0): \(wrong.subject)\nexpected: \(wrong.expected)\nfound:    \(wrong.found)"
        }
        #expect(failure == nil)
        #expect(try Simulator().play(scenario).digest == story.digest)
    }

    @Test("A broken rule of time makes the story fail that is about it", arguments: InjectionPoint.ofTime)
    func sabotaged(sabotage: InjectionPoint) throws {
        let name =
            switch sabotage {
            case .countsDaysOf86400Seconds: "daylight-saving/lord-howe-half-an-hour.yaml"
            case .keepsZoneOfOpening: "statistics/a-completion-keeps-its-zone.yaml"
            case .measuresUndoByWallClock: "clocks/undo-when-the-clock-jumps-ahead.yaml"
            case .missesMoves: "midnight/order-survives-midnight.yaml"
            case .neverReversesCounts: "statistics/completed-again-after-midnight.yaml"
            default: try #require(nil as String?, "no story for \(sabotage)")
            }
        var scenario = try Self.scenario(name)
        // Where nobody follows a view, no run has to wait for one that keeps silent.
        if sabotage != .missesMoves { scenario.follows = [] }
        #expect(try Simulator().play(scenario).isGood)
        var simulator = Simulator()
        simulator.options.injectionPoint = ArmedInjectionPoints(sabotage)
        #expect(try !simulator.play(scenario).isGood)
    }

    @Test("There is a story for each requirement about time")
    func coverage() throws {
        let named = Set(try Self.files.flatMap { try Self.scenario($0).requirements })
        let wanted = [
            "S-20", "S-21", "S-22", "S-23", "S-24", "S-41", "S-42", "C-FR9", "C-FR11", "C-FR18", "C-FR19", "C-FR24",
            "C-FR35", "C-S1.10", "C-S2.3", "C-S2.4", "C-S3.3", "C-S3.8", "C-S3.9", "C-S3.11", "C-S4.5", "C-S4.7",
            "C-S6.2", "C-S6.3", "C-S6.4", "C-S6.5", "C-S6.7", "C-S6.8", "C-AD7", "L-NFR9", "L-NFR25",
        ]
        #expect(wanted.filter { !named.contains($0) } == [])
    }

    @Test("No two stories have the same name, and each says what it checks")
    func names() throws {
        let scenarios = try Self.files.map(Self.scenario)
        #expect(scenarios.count >= 45)
        #expect(Set(scenarios.map(\.name)).count == scenarios.count)
        for scenario in scenarios {
            let expects = scenario.steps.contains { if case .expect = $0.action { true } else { false } }
            #expect(!scenario.requirements.isEmpty && expects, "\(scenario.file ?? "")")
        }
    }
}
