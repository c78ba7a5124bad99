import Daybook
import DomainPacks
import Injection
import TestSupport
import Testing

@testable import CrashTesting
@testable import Simulation

extension WithDiskLog {
    /// Simulations whose steps are operations of a domain beside those of tasks.
    @Suite struct PackStoryTests {
        private func simulator(_ point: InjectionPoint? = nil) -> Simulator {
            var simulator = Simulator(machine: RecordedMachine(), vocabulary: Vocabulary(of: GardenPack.self))
            simulator.options.injectionPoint = ArmedInjectionPoints(point)
            return simulator
        }

        @Test(
            "A garden equals its model at every step of random scenarios with crashes, faults, travel and undo",
            arguments: TestBudget.range(6, long: 40))
        func random(seed: UInt64) throws {
            let random = try simulator().playRandom(seed: seed, steps: 120)
            #expect(random.story.isGood, "\(random.story)")
            let operations = random.story.scenario.steps.filter { step in
                if case .custom = step.action { true } else { false }
            }
            #expect(operations.count > 20)
        }

        static let packs: [any DomainPack.Type] = [
            PlannerPack.self, ListPack.self, RecurrencePack.self, PeoplePack.self, TasksPack.self,
        ]

        @Test(
            "A domain that has all tasks equals its model at every step of random scenarios with everything switched on",
            arguments: TestBudget.range(4, long: 40, quick: 1), [0, 1, 2, 3, 4])
        func domainsOfTasks(seed: UInt64, number: Int) throws {
            let pack = Self.packs[number]
            let simulator = Simulator(machine: RecordedMachine(), vocabulary: Vocabulary(of: pack))
            let random = try simulator.playRandom(seed: seed, steps: 120)
            #expect(random.story.isGood, "\(pack): \(random.story)")
            let done = random.coverage.groups["operations of \(pack)", default: [:]].values.reduce(0, +)
            #expect(done > 15)
        }

        @Test("Coverage asks for every operation of each domain, and for those of tasks only where they are drawn")
        func coverage() {
            let ofLists = Coverage(ofAll: [ListPack.self]).unreached
            #expect(ofLists.contains("operations of ListPack: drop") && ofLists.contains("time: midnight"))
            #expect(!ofLists.contains("operations: create"))
            let ofGarden = Coverage(ofAll: [GardenPack.self]).unreached
            #expect(ofGarden.contains("operations of GardenPack: plant") && ofGarden.contains("operations: create"))
        }

        static let points: [InjectionPoint] = [
            .tallyInSecondTransaction, .skipsCascades, .tracksUntracked, .indexOutsideTransaction,
        ]

        @Test("Each broken promise of a declaration is found within a few seeds", arguments: points)
        func broken(point: InjectionPoint) throws {
            let simulator = simulator(point)
            let isFound = try (1...20 as ClosedRange<UInt64>).contains { seed in
                try !simulator.playRandom(seed: seed, steps: 80).story.isGood
            }
            #expect(isFound)
        }

        @Test("A scenario names a domain's operations as verbs, and undo leaves what is untracked")
        func scenario() throws {
            let text = """
                name: A bed is cleared with its plants, and an undo brings them back
                starts: 2026-03-28 22:00
                zone: Europe/Berlin
                steps:
                  - dig
                  - plant: 7
                  - note: 1
                  - create: Buy soil
                  - advance to: midnight
                  - clear
                  - undo
                  - undo
                  - crash: process
                  - redo
                  - expect:
                      inbox: [Buy soil]
                """
            let vocabulary = Vocabulary(of: GardenPack.self)
            let scenario = try ScenarioReader(vocabulary: vocabulary).read(text, file: "garden.yaml")
            let story = try Simulator(vocabulary: vocabulary).play(scenario)
            #expect(story.isGood, "\(story)")
        }
    }
}
