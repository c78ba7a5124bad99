import Daybook
import DomainPacks
import FoundationEssentials

/// One run of a scenario: a store and the model side by side, compared after every step.
final class Session {
    let scenario: Scenario
    let world: SimulatedWorld
    let machine: any SimulatedMachine
    let vocabulary: Vocabulary
    /// The options that the store is opened with.
    let options: StoreOptions
    /// Whether everything is compared after every step. Most runs of random scenarios compare in rotation, for speed.
    let isThorough: Bool
    /// The parent of the store's folders.
    private let root: String
    /// Whether steps were generated: the model then decides which of them are refused.
    let isDrawn: Bool
    var model = Model()
    var openStore: OpenStore?
    private(set) var story: Story
    private var folderCount = 0
    private(set) var ids: [String: UUID] = [:]
    private(set) var names: [UUID: String] = [:]
    /// The last id created since the store was opened.
    var newestID: UUID?
    /// The model's state before this step.
    var stateBefore = ModelState()
    /// The changes that the feed must report after this step.
    var expectedChanges: [ModelChange] = []
    /// What live views have reported since a scenario last asked.
    var unaskedViewSteps: [TaskView: [String]] = [:]
    var unaskedChanges: [String] = []
    var wakesAsked = 0
    var viewReports: [StoryEvent.ViewReport] = []
    /// The refusal of the current step, expected or not.
    var refusal: String?
    /// The current action.
    private(set) var current = Action.open
    /// What the store showed at the last comparison.
    var shownViews: [[StoryEvent.ShownTask]] = []
    var shownCounts: CompletedCounts?
    /// The number of failed calls before the step.
    var faultsBefore = 0
    /// The last change that was verified since the store was opened.
    var verified: Int?
    /// Whether a verb of the application has changed tasks, which the model does not know.
    var isBeyondModel = false
    /// Whether the last operation of the domain had no target.
    var hadNothingToDo = false
    /// The records of the domain that an interrupted operation may have left.
    var recordsOfCrash: (any DomainPack)?
    /// Whether reminders are delivered as long as the store is open.
    var deliversReminders = false
    /// When the last reminder of each task was due that was delivered.
    var lastDelivered: [UUID: Instant] = [:]
    /// What verbs have returned since a scenario last asked.
    var reported: [String: [UUID]] = [:]
    /// The last change at the last comparison, for a run that the model does not follow.
    var knownSequence = 0
    private var digest = RunDigest()

    init(
        _ scenario: Scenario, in world: SimulatedWorld, on machine: any SimulatedMachine, at root: String,
        vocabulary: Vocabulary, options: StoreOptions = .direct, isDrawn: Bool, isThorough: Bool = true
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
        model.records = vocabulary.pack.map { $0.init() }
    }

    /// The current time and zone.
    var moment: ModelMoment {
        ModelMoment(wall: world.clock.wall, monotonic: world.clock.monotonic, zone: world.zones.zone)
    }

    /// The folder that the machine watches, which contains the store.
    var folder: String { "\(root)/life-\(folderCount)" }
    var storePath: String { "\(folder)/store" }
    /// The path of a second store, outside the watched folder.
    var copyPath: String { "\(root)/copy" }

    func makeFolder() throws {
        folderCount += 1
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func removeFolder(_ folder: String) {
        // Leftovers are removed with the run's folder.
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Names

    /// Returns the id of a task; an id that no task has for an unknown name.
    func id(of name: String) -> UUID {
        ids[name] ?? StoreSteps.unknown
    }

    func name(of id: UUID) -> String { names[id] ?? "an unknown task" }

    /// Assigns a name to a task that this process created. Its ids must ascend, whatever the clock does.
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

    /// Creates and opens the store.
    func begin() async -> StoryFailure? {
        let failure = await catchingFailure {
            try makeFolder()
            if machine.canFail { try machine.begin(watching: folder) }
            try await open()
            try await compare()
        }
        story.failure = failure
        return failure
    }

    /// Performs a step, compares everything, and records the event. Returns the failure, if any.
    func perform(_ step: Step) async -> StoryFailure? {
        current = step.action
        refusal = nil
        stateBefore = model.state
        viewReports = []
        var outcome = ""
        var failure = await catchingFailure {
            outcome = try await play(step)
            if openStore != nil, step.action.kind != .expectation { try await compare() }
        }
        if failure?.line == nil { failure?.line = step.line }
        if failure != nil { outcome = "failed" }
        note(step, outcome: outcome)
        story.failure = failure
        return failure
    }

    /// Ends the run and completes the digest.
    func end() async -> Story {
        if let daybook = openStore?.daybook {
            if story.failure == nil { story.failure = await catchingFailure { try verifyNow(daybook) } }
            // Of random scenarios every fourth is exported: an export costs as much as many steps. Where seeds take turns with
            // domains, that is every fourth of each.
            let turn = domainHasTasks ? scenario.seed / 4 : scenario.seed
            if story.failure == nil, !isBeyondModel, isThorough || turn % 4 == 0 {
                // A remaining fault would affect the export.
                if machine.canFail { machine.setFault(nil, writes: 0) }
                story.failure = await catchingFailure { try await compareExport(of: daybook) }
            }
            if let content = try? export(of: daybook) { digest.add(content) }
        }
        story.digest = digest.value
        await closeStore()
        if machine.canFail { machine.end() }
        return story
    }

    func closeStore() async {
        guard let openStore else { return }
        self.openStore = nil
        verified = nil
        newestID = nil
        openStore.end()
        await world.settle()
    }

    /// Converts every error to a failure.
    private func catchingFailure(_ work: () async throws -> Void) async -> StoryFailure? {
        do {
            try await work()
            return nil
        } catch {
            return StoryFailure(error, of: "the run")
        }
    }

    /// Formats a step as in a scenario file, without the braces that only YAML needs.
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
        if openStore != nil {
            event.views = shownViews
            event.completed = isBeyondModel ? nil : shownCounts
        }
        event.viewReports = viewReports
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
