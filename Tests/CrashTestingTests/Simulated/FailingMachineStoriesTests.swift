#if os(Linux)
    import CrashTesting
    import Daybook
    import Foundation
    import Injection
    import KeyValue
    import Simulation
    import Testing

    extension WithDiskLog {
        /// The files in `Simulations/` that need a machine on which things go wrong.
        @Suite struct FailingMachineStoriesTests {
            static let folder = URL(filePath: #filePath).appending(path: "../../../../Simulations").standardized

            static func scenario(_ name: String) throws -> Scenario {
                try ScenarioReader().read(file: folder.appending(path: name).path)
            }

            static var files: [String] {
                let names = FileManager.default.subpaths(atPath: folder.path) ?? []
                return names.filter { $0.hasSuffix(".yaml") && (try? scenario($0))?.needsFailingMachine == true }
                    .sorted()
            }

            @Test("The story is as it has to be, and the same each time", arguments: files)
            func plays(name: String) throws {
                let scenario = try Self.scenario(name)
                let story = try Simulator(machine: RecordedMachine()).play(scenario)
                let failure = story.failure.map { wrong in
                    "\(name):\(wrong.line ?? 0): \(wrong.subject)\nexpected: \(wrong.expected)\nfound:    \(wrong.found)"
                }
                #expect(failure == nil)
                #expect(try Simulator(machine: RecordedMachine()).play(scenario).digest == story.digest)
            }

            /// What was acknowledged before a crash has to be there: the model has it, and no "perhaps" is left.
            @Test(
                "S-15: a store that breaks its promise loses what was acknowledged, and a power failure shows it",
                arguments: [InjectionPoint.neverFlushes, .acknowledgesBeforeFlush])
            func findsLoss(sabotage: InjectionPoint) throws {
                var scenario = Scenario(
                    name: "Loss", start: .local(try Day("2026-03-10"), microseconds: 0), zone: "UTC")
                scenario.steps = (0..<8).flatMap { number in
                    [
                        Step(.create("task \(number)", on: .today, in: nil)),
                        Step(.crash(.power, during: nil, choice: UInt64(number))),
                    ]
                }
                var simulator = Simulator(machine: RecordedMachine())
                #expect(try simulator.play(scenario).isGood)
                simulator.options.injectionPoint = ArmedInjectionPoints(sabotage)
                #expect(try !simulator.play(scenario).isGood)
            }

            @Test("There are stories about each way in which a machine fails")
            func coverage() throws {
                let steps = try Self.files.flatMap { try Self.scenario($0).steps }
                let kinds = steps.compactMap { step -> String? in
                    switch step.action {
                    case .crash(let crash, let during, _): "\(crash)\(during == nil ? "" : " during")"
                    case .fault(let fault, _): "\(fault)"
                    case .elsewhere: "elsewhere"
                    default: nil
                    }
                }
                let wanted = ["process", "process during", "power", "power during", "fullDisk", "busy", "elsewhere"]
                #expect(Set(kinds) == Set(wanted))
            }
        }
    }
#endif
