import Foundation
import Injection
import Records
import TestSupport
import Testing

@testable import Simulation

/// Every file in `Simulations/` is a test. Those that need a machine with fault injection are run among CrashTestingTests,
/// since a process has only one recorder of file system calls.
@Suite struct ScenarioFilesTests {
    static let folder = URL(filePath: #filePath).appending(path: "../../../../Simulations").standardized

    /// The paths relative to the folder, such as `midnight/tomorrow-becomes-today.yaml`.
    static var files: [String] {
        let names = FileManager.default.subpaths(atPath: folder.path) ?? []
        // Those of devices that sync are played by LabCommandTests.
        return names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix("sync/") }.sorted()
    }

    /// The files that are run here, including any that cannot be read.
    static var played: [String] {
        files.filter { (try? scenario($0))?.needsFailingMachine != true }
    }

    static func scenario(_ name: String) throws -> Scenario {
        try ScenarioReader(vocabulary: .journals).read(file: folder.appending(path: name).path)
    }

    @Test("The scenario succeeds with the same digest each time", arguments: played)
    func plays(name: String) throws {
        let scenario = try Self.scenario(name)
        let story = try Simulator(vocabulary: .journals).play(scenario)
        let failure = story.failure.map { wrong in
            "\(name):\(wrong.line ?? 0): \(wrong.subject)\nexpected: \(wrong.expected)\nfound:    \(wrong.found)"
        }
        #expect(failure == nil)
        // A quarter of the scenarios is played again, at length all of them.
        guard TestBudget.isLong || story.digest.isMultiple(of: 4) else { return }
        #expect(try Simulator(vocabulary: .journals).play(scenario).digest == story.digest)
    }

    @Test("A negative control of time makes the scenario about that rule fail", arguments: InjectionPoint.ofTime)
    func negativeControls(point: InjectionPoint) throws {
        let name =
            switch point {
            case .countsDaysOf86400Seconds: "daylight-saving/lord-howe-half-an-hour.yaml"
            case .keepsZoneOfOpening: "statistics/a-completion-keeps-its-zone.yaml"
            case .measuresUndoByWallClock: "clocks/undo-when-the-clock-jumps-ahead.yaml"
            case .missesMoves: "midnight/order-survives-midnight.yaml"
            case .neverReversesCounts: "statistics/completed-again-after-midnight.yaml"
            default: try #require(nil as String?, "no scenario for \(point)")
            }
        var scenario = try Self.scenario(name)
        // Without observed views, no run has to wait for a missing update.
        if point != .missesMoves { scenario.followedViews = [] }
        #expect(try Simulator().play(scenario).isGood)
        var simulator = Simulator()
        simulator.options.injectionPoint = ArmedInjectionPoints(point)
        #expect(try !simulator.play(scenario).isGood)
    }

    @Test("A negative control of a rule makes the scenario about that rule fail", arguments: InjectionPoint.ofRules)
    func negativeControlsOfRules(point: InjectionPoint) throws {
        let name =
            switch point {
            case .overfillsBuckets: "planner/caps-when-a-task-is-placed.yaml"
            case .rollsOverOnlyYesterday: "planner/rollover-over-several-days.yaml"
            case .drawsOccurrenceIDs: "recurrence/a-deleted-occurrence-stays-deleted.yaml"
            case .keepsTasksOfLists: "lists/deleting-a-list-deletes-its-tasks.yaml"
            case .forgetsDeliveries: "reminders/once-though-the-clock-is-set-back.yaml"
            default: try #require(nil as String?, "no scenario for \(point)")
            }
        let scenario = try Self.scenario(name)
        #expect(try Simulator().play(scenario).isGood)
        var simulator = Simulator()
        simulator.options.injectionPoint = ArmedInjectionPoints(point)
        #expect(try !simulator.play(scenario).isGood)
    }

    @Test("Every requirement about time, lists, reminders, the planner and recurrence has a scenario")
    func coverage() throws {
        let named = Set(try Self.files.flatMap { try Self.scenario($0).requirements })
        let wanted = [
            "S-20", "S-21", "S-22", "S-23", "S-24", "S-41", "S-42", "C-FR9", "C-FR11", "C-FR18", "C-FR19", "C-FR24",
            "C-FR35", "C-S1.10", "C-S2.3", "C-S2.4", "C-S3.3", "C-S3.8", "C-S3.9", "C-S3.11", "C-S4.5", "C-S4.7",
            "C-S6.2", "C-S6.3", "C-S6.4", "C-S6.5", "C-S6.7", "C-S6.8", "C-AD7", "L-NFR9", "L-NFR25",
            "L-DM2", "L-DM4", "L-FR1", "L-FR6", "L-FR7", "L-FR8", "L-FR9", "L-FR10", "L-FR11", "L-FR12", "L-FR13",
            "L-FR14", "L-FR15", "L-FR16", "L-FR17", "L-FR18", "L-FR21", "L-FR25", "L-FR26", "L-NFR23", "L-PR1",
            "L-PR4", "P-DM3", "P-OP1", "P-OP2", "P-OP5", "P-OP6", "P-OP7", "P-OP8", "P-OP9", "P-OP11", "P-OP14",
            "F-1", "F-2", "F-10", "F-11", "F-13", "X-2", "X-3", "X-6", "X-9", "X-12", "X-14", "X-29", "X-31", "X-42",
        ]
        #expect(wanted.filter { !named.contains($0) } == [])
    }

    @Test("Scenario names are unique, and every scenario names requirements and expectations")
    func names() throws {
        let scenarios = try Self.files.map(Self.scenario)
        #expect(scenarios.count >= 180)
        #expect(Set(scenarios.map(\.name)).count == scenarios.count)
        for scenario in scenarios {
            let expects = scenario.steps.contains { if case .expect = $0.action { true } else { false } }
            #expect(!scenario.requirements.isEmpty && expects, "\(scenario.file ?? "")")
        }
    }
}

@Suite struct TimeNegativeControlTests {
    @Test("Every negative control of time is found within 100 seeds [S-51]", arguments: InjectionPoint.ofTime)
    func isFound(point: InjectionPoint) throws {
        var simulator = Simulator()
        simulator.options.injectionPoint = ArmedInjectionPoints(point)
        let seed = try (1...100).first { seed in
            try simulator.playRandom(seed: UInt64(seed), steps: 100).story.failure != nil
        }
        #expect(seed != nil, "\(point) was not found")
    }
}
