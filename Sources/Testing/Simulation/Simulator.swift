import Daybook
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Plays stories: each in a world of its own, with a store in a folder that is removed afterwards.
///
///     let scenario = try ScenarioReader().read(file: "Simulations/midnight/tomorrow-becomes-today.yaml")
///     let story = try Simulator().play(scenario)
///     #expect(story.isGood, "\(story)")
public struct Simulator: Sendable {
    private let machine: any SimulatedMachine
    private let scratch: String
    private let vocabulary: Vocabulary
    /// How its stores are opened: for those who want to see what it finds in a broken one.
    package var options = StoreOptions()

    private static let runs = Atomic<Int>(0)

    /// A simulator.
    ///
    /// - Parameters:
    ///   - scratch: where the folders of its stores are made; in memory (`/dev/shm`) where the system has that.
    ///   - machine: what can go wrong below the stores; ``PlainMachine`` knows little of that.
    ///   - vocabulary: verbs and subjects of the program's own.
    public init(
        scratch: String? = nil, machine: any SimulatedMachine = PlainMachine(), vocabulary: Vocabulary = Vocabulary()
    ) {
        self.scratch = scratch ?? Self.memory
        self.machine = machine
        self.vocabulary = vocabulary
    }

    private static var memory: String {
        access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    }

    /// Whether everything can go wrong that a random story may want to go wrong.
    var canFail: Bool { machine.canFail }

    /// Plays a scenario to its end, or to the first thing that is wrong.
    ///
    /// - Throws: `SimulationError` when it cannot be played; that something was wrong is told by the story.
    public func play(_ scenario: Scenario) throws -> Story {
        try run(scenario, isDrawn: false) { session in
            for step in scenario.steps {
                if await session.perform(step) != nil { return }
            }
        }
    }

    /// Runs a session in a world of its own.
    func run(
        _ scenario: Scenario, isDrawn: Bool, isThorough: Bool = true,
        _ play: @escaping @Sendable (Session) async -> Void
    ) throws -> Story {
        let number = Self.runs.add(1, ordering: .relaxed).newValue
        let root = "\(scratch)/daybook-simulation-\(getpid())-\(number)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        let world = try SimulatedWorld(
            at: scenario.start, zone: scenario.zone, seed: scenario.seed, weekStart: scenario.weekStart)
        let (machine, vocabulary) = (machine, vocabulary)
        return try world.run { [options] in
            let session = Session(
                scenario, in: world, on: machine, at: root, vocabulary: vocabulary, options: options,
                isDrawn: isDrawn, isThorough: isThorough)
            if await session.begin() == nil { await play(session) }
            return await session.end()
        }
    }
}
