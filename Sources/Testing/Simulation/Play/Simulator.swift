import Daybook
import DomainPacks
import FoundationEssentials
import LabSupport
import Synchronization
import SystemErrors

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs scenarios, each in a separate world with a store in a temporary folder.
///
///     let scenario = try ScenarioReader().read(file: "Simulations/midnight/tomorrow-becomes-today.yaml")
///     let story = try Simulator().play(scenario)
///     #expect(story.isGood, "\(story)")
public struct Simulator: Sendable {
    private let machine: any SimulatedMachine
    private let scratch: String
    private let vocabulary: Vocabulary
    /// The options that its stores are opened with.
    package var options = StoreOptions.direct

    private static let runs = Atomic<Int>(0)

    /// Creates a simulator.
    ///
    /// - Parameters:
    ///   - scratch: the parent of temporary stores; by default in memory (`/dev/shm`) where available.
    ///   - machine: determines which faults can be injected; ``PlainMachine`` supports few.
    ///   - vocabulary: the application's own verbs and subjects.
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

    /// The application's domain.
    var pack: (any DomainPack.Type)? { vocabulary.pack }

    /// Whether the machine supports every fault that random scenarios inject.
    var canFail: Bool { machine.canFail }

    /// Runs a scenario to its end or its first failure.
    ///
    /// - Throws: `SimulationError` if the scenario cannot be run; an error that names `scratch` if it fails and that file system
    ///   is full. Any other failure is part of the returned record instead.
    public func play(_ scenario: Scenario) throws -> Story {
        try run(scenario, isDrawn: false) { session in
            for step in scenario.steps {
                if await session.perform(step) != nil { return }
            }
        }
    }

    /// Runs a session in a new world.
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
        var options = options
        // With the usual limit few stories would have keys that are put into an index.
        options.pendingListLimit = 1 + Int(scenario.seed % 8)
        let story = try world.run { [options] in
            let session = Session(
                scenario, in: world, on: machine, at: root, vocabulary: vocabulary, options: options,
                isDrawn: isDrawn, isThorough: isThorough)
            if await session.begin() == nil { await play(session) }
            return await session.end()
        }
        if !story.isGood { try ScratchFull.check(scratch) }
        return story
    }
}

/// An error that prevents a simulation. A violated promise is not an error but a failure of the run.
public enum SimulationError: Error, Equatable, Sendable {
    /// A scenario file is unreadable or invalid.
    case scenario(file: String, line: Int, problem: String)
    /// A text is not a local time such as `2026-03-29 00:30`.
    case malformedTime(String)
    /// The machine does not support an action; `daybook simulate` has one that does.
    case machineCannot(String)
    /// Something waits for an event that never happens.
    case stuck
    /// A file operation failed.
    case file(operation: String, path: String, code: Int32)
}

extension SimulationError: CustomStringConvertible {
    /// What happened, to what, and what to do next, in one line.
    public var description: String {
        switch self {
        case .scenario(let file, let line, let problem):
            "\(file):\(line): \(problem)"
        case .malformedTime(let text):
            "'\(text.prefix(40))' is not a local time: write it as 2026-03-29 00:30."
        case .machineCannot(let what):
            "This machine cannot do that (\(what)): run the scenario with daybook simulate, or leave that step out."
        case .stuck:
            "The run is stuck: a task waits for something that never happens. Look for an await that no step completes."
        case .file(let operation, let path, let code):
            "Could not \(operation) \(path): \(SystemCondition(code)). Check that the folder exists and is yours."
        }
    }
}

/// A digest of a run: 64-bit FNV-1a.
struct RunDigest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    mutating func add(_ text: String) {
        add(text.utf8)
        // Separates texts.
        add(CollectionOfOne(0))
    }

    mutating func add(_ number: Int64) {
        add(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Int64($0)) })
    }

    mutating func add(_ event: StoryEvent) {
        add(event.text)
        add(event.outcome)
        add(event.zone.identifier)
        add(event.wall.microsecondsSince1970)
        add(event.monotonic.microseconds)
        add(Int64(event.today.daysSince1970))
        for tasks in event.views {
            for task in tasks {
                add(task.name)
                add(CollectionOfOne(task.state.rawValue))
            }
            add(-1)
        }
        for report in event.viewReports {
            add(report.view.rawValue)
            for step in report.steps { add(step) }
        }
        if let completed = event.completed {
            for count in [completed.today, completed.week, completed.month, completed.lastMonth] { add(Int64(count)) }
        }
    }
}
