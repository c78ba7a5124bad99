import Daybook
import FoundationEssentials

/// One run of a story: the store and the model side by side, compared after every step.
final class Session {
    let scenario: Scenario
    let world: SimulatedWorld
    let machine: any SimulatedMachine
    let vocabulary: Vocabulary
    /// How the store is opened.
    let options: StoreOptions
    /// Whether everything is looked at after every step. Most of a random story is looked at in turns, for speed.
    let isThorough: Bool
    /// Where the folders of the store's lives are.
    private let root: String
    /// Whether what the model refuses may be refused though the step does not say so: random steps.
    let isDrawn: Bool
    var model = Model()
    var life: Life?
    private(set) var story: Story
    private var lifeCount = 0
    private(set) var ids: [String: UUID] = [:]
    private(set) var names: [UUID: String] = [:]
    /// The last id that this life of the store has made.
    var newestID: UUID?
    /// What the model held before this step.
    var stateBefore = ModelState()
    /// What the feed has to tell after this step.
    var expectedChanges: [ModelChange] = []
    /// What was told and not asked about yet.
    var untold: [TaskView: [String]] = [:]
    var unaskedChanges: [String] = []
    var wakesAsked = 0
    var told: [StoryEvent.Told] = []
    /// What the step was refused with, also when it was wrong to refuse it.
    var refusal: String?
    /// What happens now.
    private(set) var current = Action.open
    /// What the store showed after the last comparison.
    var shownViews: [[StoryEvent.ShownTask]] = []
    var shownCounts: CompletedCounts?
    /// How many calls a fault had made fail before the step.
    var faultsBefore = 0
    /// The last change that `verify` has looked at since the store was opened.
    var verified: Int?
    /// Whether a step of the program's own has changed tasks, of which the model knows nothing.
    var isBeyondModel = false
    private var digest = RunDigest()

    init(
        _ scenario: Scenario, in world: SimulatedWorld, on machine: any SimulatedMachine, at root: String,
        vocabulary: Vocabulary, options: StoreOptions = StoreOptions(), isDrawn: Bool, isThorough: Bool = true
    ) {
        self.scenario = scenario
        self.world = world
        self.machine = machine
        self.root = root
        self.vocabulary = vocabulary
        self.options = options
        self.isDrawn = isDrawn
        self.isThorough = isThorough
        story = Story(of: scenario)
    }

    /// When and where it is now.
    var moment: ModelMoment {
        ModelMoment(wall: world.clock.wall, monotonic: world.clock.monotonic, zone: world.zones.zone)
    }

    /// The folder that the machine watches now, and the store in it.
    var folder: String { "\(root)/life-\(lifeCount)" }
    var storePath: String { "\(folder)/store" }
    /// Where a second store may be, of which the machine takes no notice.
    var copyPath: String { "\(root)/copy" }

    func makeFolder() throws {
        lifeCount += 1
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func removeFolder(_ folder: String) {
        // What is left of it goes with the run's own folder at the latest.
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Names

    /// The id of a task; one that no task has for a name that none had.
    func id(of name: String) -> UUID {
        ids[name] ?? StoreSteps.unknown
    }

    func name(of id: UUID) -> String { names[id] ?? "an unknown task" }

    /// Learns a name that this process gave. Its ids ascend, whatever its clock does.
    func learn(_ name: String, isNew id: UUID) throws {
        if let newestID, id.lowercased <= newestID.lowercased {
            throw StoryFailure(
                "the id of a new task", expected: "one after \(newestID.lowercased)", found: id.lowercased)
        }
        newestID = id
        learn(name, is: id)
    }

    func learn(_ name: String, is id: UUID) {
        ids[name] = id
        names[id] = name
    }

    // MARK: Steps

    /// Begins: the store is made and opened.
    func begin() async -> StoryFailure? {
        let failure = await whole {
            try makeFolder()
            if machine.canFail { try machine.begin(watching: folder) }
            try await open()
            try await compare()
        }
        story.failure = failure
        return failure
    }

    /// Plays a step, compares everything, and remembers what happened. Returns what was wrong.
    func perform(_ step: Step) async -> StoryFailure? {
        current = step.action
        refusal = nil
        stateBefore = model.state
        told = []
        var outcome = ""
        var failure = await whole {
            outcome = try await play(step)
            if life != nil, step.action.kind != .expectation { try await compare() }
        }
        if failure?.line == nil { failure?.line = step.line }
        if failure != nil { outcome = "failed" }
        note(step, outcome: outcome)
        story.failure = failure
        return failure
    }

    /// Ends: the digest takes in all that is left.
    func end() async -> Story {
        if let daybook = life?.daybook {
            if story.failure == nil { story.failure = await whole { try verifyNow(daybook) } }
            // Of random stories every fourth is exported: that costs as much as many steps.
            if story.failure == nil, !isBeyondModel, isThorough || scenario.seed % 4 == 0 {
                // A fault that is left is one of the story's operations.
                if machine.canFail { machine.setFault(nil, writes: 0) }
                story.failure = await whole { try await compareExport(of: daybook) }
            }
            if let content = try? export(of: daybook) { digest.add(content) }
        }
        story.digest = digest.value
        await endLife()
        if machine.canFail { machine.end() }
        return story
    }

    func endLife() async {
        guard let life else { return }
        self.life = nil
        verified = nil
        newestID = nil
        life.end()
        await world.settle()
    }

    /// Gives every error the form of a failure.
    private func whole(_ work: () async throws -> Void) async -> StoryFailure? {
        do {
            try await work()
            return nil
        } catch {
            return StoryFailure(error, of: "the run")
        }
    }

    /// A step as a scenario has it in one line, without the braces that only YAML needs.
    private static func words(for action: Action) -> String {
        let line = ScenarioWriter().line(of: action)
        return line.hasPrefix("{ ") && line.hasSuffix(" }") ? String(line.dropFirst(2).dropLast(2)) : line
    }

    private func note(_ step: Step, outcome: String) {
        let moment = moment
        var event = StoryEvent(
            number: story.events.count + 1, line: step.line, text: Self.words(for: step.action),
            kind: step.action.kind, outcome: outcome, wall: moment.wall, monotonic: moment.monotonic, zone: moment.zone,
            today: moment.today)
        if life != nil {
            event.views = shownViews
            event.completed = isBeyondModel ? nil : shownCounts
        }
        event.told = told
        digest.add(event)
        story.events.append(event)
    }
}

extension Action {
    var kind: StoryEvent.Kind {
        switch self {
        case .advance, .advanceTo, .jump, .jumpTo, .travel: .time
        case .sleep, .wake, .close, .open, .crash, .fault: .machine
        case .expect: .expectation
        default: .operation
        }
    }
}
