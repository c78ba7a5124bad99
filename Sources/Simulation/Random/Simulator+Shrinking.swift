import Daybook

extension Simulator {
    /// The shortest story found that fails for the same reason: steps are left out as long as it still does.
    ///
    /// Delta debugging: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002. Cost: as many
    /// replays as come to 200,000 steps.
    public func shrink(_ story: Story) throws -> Story {
        guard let failure = story.failure else { return story }
        var best = story
        var played = 0
        var size = max(1, best.scenario.steps.count / 2)
        while played < Self.stepsMax {
            var hasShrunk = false
            var start = 0
            while start < best.scenario.steps.count, played < Self.stepsMax {
                var scenario = best.scenario
                scenario.steps.removeSubrange(start..<min(start + size, scenario.steps.count))
                let candidate = try replay(scenario)
                played += candidate.events.count
                if candidate.failure?.subject == failure.subject {
                    best = candidate
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { break }
            size = max(1, size / 2)
        }
        return best
    }

    private static let stepsMax = 200_000

    /// Plays drawn steps again: what is refused now may be, if the model agrees, and is marked so.
    private func replay(_ scenario: Scenario) throws -> Story {
        let played = Shared<[Step]>([])
        var story = try run(scenario, isDrawn: true) { session in
            var steps: [Step] = []
            for step in scenario.steps {
                let failure = await session.perform(step)
                steps.append(Step(step.action, refusal: session.story.events.last?.refusal))
                if failure != nil { break }
            }
            played.set(steps)
        }
        story.scenario.steps = played.value
        return story
    }

    /// A scenario file of a story that fails, with what was wrong in a comment: to be added to `Simulations/` once it is
    /// understood.
    public func file(of story: Story) -> String {
        var comment = "Found by daybook simulate."
        if let failure = story.failure {
            comment += "\n\(failure.subject)\nexpected:\n\(failure.expected)\nfound:\n\(failure.found)"
        }
        return ScenarioWriter().text(of: story.scenario, comment: comment)
    }
}
