import Daybook

/// A story that a seed has written while it was played, and what was reached in it.
public struct RandomStory: Sendable {
    /// What happened; its scenario has the steps that were drawn, with the refusals that they met.
    public var story: Story
    /// What was reached.
    public var coverage: Coverage
}

extension Simulator {
    /// Plays the random story of a seed.
    ///
    /// - Throws: `SimulationError` when it cannot be played; that something was wrong is told by the story.
    public func playRandom(seed: UInt64, steps: Int) throws -> RandomStory {
        let random = RandomScenario(seed: seed, canFail: canFail)
        let coverage = Shared(Coverage())
        let drawn = Shared<[Step]>([])
        var story = try run(random.scenario, isDrawn: true, isThorough: false) { session in
            var source = StepSource(random, seed: seed)
            var reached = Coverage()
            var taken: [Step] = []
            for _ in 0..<steps {
                let before = session.moment
                let situation = StepSource.Situation(
                    state: session.model.state, canRedo: session.model.canRedo,
                    isTrimmed: session.model.isTrimmed, moment: before,
                    isOpen: session.life != nil, isAsleep: session.world.isAsleep)
                let action = source.next(in: situation)
                let failure = await session.perform(Step(action))
                let event = session.story.events.last
                taken.append(Step(action, refusal: session.refusal))
                if let event {
                    reached.note(action, event, before: situation, after: session.moment)
                }
                if failure != nil { break }
            }
            coverage.set(reached)
            drawn.set(taken)
        }
        story.scenario.steps = drawn.value
        return RandomStory(story: story, coverage: coverage.value)
    }
}
