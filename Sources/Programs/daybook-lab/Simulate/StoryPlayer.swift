import ArgumentParser
import CrashTesting
import Daybook
import DomainPacks
import Injection
import LabSupport
import Simulation

/// Runs scenarios with the options of this program, by default on a machine with fault injection.
struct StoryPlayer {
    /// One for each domain that seeds choose from.
    private let simulators: [Simulator]
    private let isTwice: Bool

    /// The subject of a failure if the second run differs.
    private static let secondRun = "the second run"

    init(scratch: String, isPlain: Bool, isTwice: Bool, pack: PackChoice?, injectionPoint: InjectionPoint?) {
        let vocabularies = pack?.packs.map { Vocabulary(of: $0) } ?? [.journals]
        simulators = vocabularies.map { vocabulary in
            var simulator = Simulator(
                scratch: scratch, machine: Self.machine(isPlain: isPlain), vocabulary: vocabulary)
            simulator.options.injectionPoint = ArmedInjectionPoints(injectionPoint)
            return simulator
        }
        self.isTwice = isTwice
    }

    private func simulator(of seed: UInt64) -> Simulator { simulators[Int(seed % UInt64(simulators.count))] }

    private static func machine(isPlain: Bool) -> any SimulatedMachine {
        isPlain ? PlainMachine() : RecordedMachine()
    }

    /// Runs a scenario. One that never ends has failed.
    func play(_ scenario: Scenario) throws -> Story {
        do {
            let simulator = simulators[0]
            var story = try simulator.play(scenario)
            if isTwice { story.compare(with: try simulator.play(scenario), as: Self.secondRun) }
            return story
        } catch SimulationError.stuck {
            return Story(stuckIn: scenario)
        }
    }

    /// Generates and runs the scenario of a seed.
    func playRandom(seed: Int, steps: Int) throws -> (story: Story, coverage: Coverage) {
        let seed = UInt64(seed)
        let simulator = simulator(of: seed)
        do {
            let random = try simulator.playRandom(seed: seed, steps: steps)
            var story = random.story
            if isTwice {
                story.compare(with: try simulator.playRandom(seed: seed, steps: steps).story, as: Self.secondRun)
            }
            return (story, random.coverage)
        } catch SimulationError.stuck {
            let nowhere = Scenario(name: "Seed \(seed)", start: .midnight, zone: "UTC")
            return (Story(stuckIn: nowhere), Coverage())
        }
    }

    /// Returns a shortened scenario file that fails for the same reason; nil if there is none.
    func shortened(_ story: Story) throws -> String? {
        guard let failure = story.failure, failure.subject != Self.secondRun, !story.events.isEmpty else { return nil }
        let simulator = simulator(of: story.scenario.seed)
        return simulator.file(of: try simulator.shrink(story))
    }
}

/// The domains whose operations random scenarios draw.
enum PackChoice: String, CaseIterable, ExpressibleByArgument {
    case garden, planner, lists, recurrence, people, journals
    /// Days, lists, the planner and recurrence in one run.
    case combined
    /// Each seed has one of the others.
    case all

    var packs: [any DomainPack.Type] {
        switch self {
        case .garden: [GardenPack.self]
        case .planner: [PlannerPack.self]
        case .lists: [ListPack.self]
        case .recurrence: [RecurrencePack.self]
        case .people: [PeoplePack.self]
        case .journals: [JournalPack.self]
        case .combined: [TasksPack.self]
        case .all: Self.allCases.filter { $0 != .all }.flatMap(\.packs)
        }
    }
}

extension Story {
    /// Creates the record of a run that never ends; its events are unknown.
    fileprivate init(stuckIn scenario: Scenario) {
        self.init(of: scenario)
        failure = StoryFailure("the run", expected: "an end", found: "\(SimulationError.stuck)")
    }

    fileprivate mutating func compare(with second: Story, as subject: String) {
        guard failure == nil, self != second else { return }
        let difference = zip(events, second.events).first { $0 != $1 }
        failure = StoryFailure(
            subject, expected: difference.map { TraceLine($0.0).text } ?? "digest \(digest.hexadecimal)",
            found: difference.map { TraceLine($0.1).text } ?? "digest \(second.digest.hexadecimal)")
    }
}

extension UInt64 {
    /// The number with sixteen hexadecimal digits.
    var hexadecimal: String { HTMLText.hexadecimal(self) }
}

extension Story {
    /// The run in a trace file: a line of facts, followed by a line for each event.
    var traceBytes: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("story", scenario.name)
            if let file = scenario.file { writer.field("file", file) }
            writer.field("starts", scenario.start.description)
            writer.field("zone", scenario.zone)
            writer.field("seed", Int(clamping: scenario.seed))
            writer.field("events", events.count)
            writer.field("ok", isGood)
            writer.field("digest", digest.hexadecimal)
        }
        writer.newline()
        return writer.bytes + Array(events.map { TraceLine($0).text + "\n" }.joined().utf8)
    }
}
