#if os(Linux)
    import CrashLab
    import Foundation
    import Simulation
    import Testing

    extension WithDiskLog {
        /// The files in `Simulations/` that need a machine on which things go wrong.
        @Suite struct FailingMachineStoriesTests {
            static let folder = URL(filePath: #filePath).appending(path: "../../../../Simulations").standardized

            static var scenarios: [Scenario] {
                get throws {
                    try (FileManager.default.subpaths(atPath: folder.path) ?? [])
                        .filter { $0.hasSuffix(".yaml") }.sorted()
                        .map { try ScenarioReader().read(file: folder.appending(path: $0).path) }
                        .filter(\.needsFailingMachine)
                }
            }

            @Test("Stories with crashes, faults and second processes are as they have to be, and the same each time")
            func plays() throws {
                let scenarios = try Self.scenarios
                #expect(scenarios.count >= 10)
                for scenario in scenarios {
                    let story = try Simulator(machine: RecordedMachine()).play(scenario)
                    let file = scenario.file ?? ""
                    if let failure = story.failure {
                        Issue.record(
                            "\(file):\(failure.line ?? 0): \(failure.subject)\n  expected: \(failure.expected)\n  found:    \(failure.found)"
                        )
                        continue
                    }
                    let second = try Simulator(machine: RecordedMachine()).play(scenario)
                    #expect(second.digest == story.digest, "\(file)")
                }
            }
        }
    }
#endif
