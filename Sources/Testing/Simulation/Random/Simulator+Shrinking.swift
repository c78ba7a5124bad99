import Daybook

extension Simulator {
    /// Returns the shortest scenario found that fails for the same reason, by removing steps and parts of steps.
    ///
    /// It first removes steps about unrelated tasks, then applies delta debugging: Zeller and Hildebrandt, "Simplifying
    /// and Isolating Failure-Inducing Input", 2002. Cost: replays of up to 300,000 steps in total.
    public func shrink(_ story: Story) throws -> Story {
        guard story.failure != nil else { return story }
        var shrinking = Shrinking(simulator: self, best: story)
        try shrinking.slice()
        try shrinking.removeSteps()
        try shrinking.removeParts()
        try shrinking.removeSteps()
        return shrinking.best
    }

    /// Replays generated steps. A step may now be refused if the model agrees, and is marked accordingly.
    fileprivate func replay(_ scenario: Scenario) throws -> Story {
        let played = Shared<[Step]>([])
        var story = try run(scenario, isDrawn: true) { session in
            var steps: [Step] = []
            for step in scenario.steps {
                let failure = await session.perform(step)
                steps.append(Step(step.action, refusal: session.refusal))
                if failure != nil { break }
            }
            played.set(steps)
        }
        story.scenario.steps = played.value
        return story
    }

    /// Returns a scenario file that reproduces a failed run, with the failure in a comment, to be added to
    /// `Simulations/` once it is understood.
    public func file(of story: Story) -> String {
        var comment = "Found by daybook simulate."
        if let failure = story.failure {
            comment += "\n\(failure.subject)\nexpected:\n\(failure.expected)\nfound:\n\(failure.found)"
        }
        return ScenarioWriter().text(of: story.scenario, comment: comment)
    }
}

/// The state of shrinking one scenario.
private struct Shrinking {
    let simulator: Simulator
    var best: Story
    private var played = 0

    private static let stepsMax = 300_000

    init(simulator: Simulator, best: Story) {
        self.simulator = simulator
        self.best = best
    }

    private var isOver: Bool { played >= Self.stepsMax }

    /// Adopts other steps if the run still fails in the same way.
    private mutating func attempt(_ steps: [Step]) throws -> Bool {
        var scenario = best.scenario
        scenario.steps = steps
        let candidate = try simulator.replay(scenario)
        played += candidate.events.count
        guard candidate.failure?.subject == best.failure?.subject else { return false }
        best = candidate
        return true
    }

    /// Keeps the steps about the tasks of the last step, and those about no task.
    mutating func slice() throws {
        guard let last = best.scenario.steps.last else { return }
        let names = last.action.names
        _ = try attempt(
            best.scenario.steps.filter { $0.action.names.isEmpty || !$0.action.names.isDisjoint(with: names) })
    }

    mutating func removeSteps() throws {
        var size = max(1, best.scenario.steps.count / 2)
        while !isOver {
            var hasShrunk = false
            var start = 0
            while start < best.scenario.steps.count, !isOver {
                var steps = best.scenario.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                if try attempt(steps) {
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { return }
            size = max(1, size / 2)
        }
    }

    /// Removes operations of transactions, and tasks that are carried over.
    mutating func removeParts() throws {
        var index = 0
        while index < best.scenario.steps.count, !isOver {
            var part = 0
            while let action = best.scenario.steps[index].action.without(part: part), !isOver {
                var steps = best.scenario.steps
                steps[index].action = action
                if try !attempt(steps) { part += 1 }
                guard index < best.scenario.steps.count else { return }
            }
            index += 1
        }
    }
}

extension Action {
    /// The tasks that the action is about.
    fileprivate var names: Set<String> {
        switch self {
        case .create(let name, _, _), .setState(let name, _), .cycle(let name), .schedule(let name, _, _),
            .edit(let name, _), .remind(let name, _), .delete(let name), .purge(let name):
            [name]
        case .reorder(let name, .before(let other)), .reorder(let name, .after(let other)): [name, other]
        case .reorder(let name, _): [name]
        case .carry(let names, _): Set(names)
        case .together(let actions): actions.reduce(into: []) { $0.formUnion($1.names) }
        case .elsewhere(let action): action.names
        case .crash(_, let action, _): action?.names ?? []
        default: []
        }
    }

    /// Returns the action without one of its parts; nil if there is no such part, or only one.
    fileprivate func without(part: Int) -> Action? {
        switch self {
        case .together(var actions):
            guard actions.count > 1, part < actions.count else { return nil }
            actions.remove(at: part)
            return .together(actions)
        case .carry(var names, let when):
            guard names.count > 1, part < names.count else { return nil }
            names.remove(at: part)
            return .carry(names, to: when)
        default: return nil
        }
    }
}
