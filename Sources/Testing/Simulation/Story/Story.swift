import Daybook

/// What happened in one run of a scenario, from its beginning to its end or to the first thing that was wrong.
public struct Story: Sendable, Equatable {
    /// The scenario that was played.
    public var scenario: Scenario
    /// What happened, one after the other.
    public var events: [StoryEvent] = []
    /// What was wrong, if anything was.
    public var failure: StoryFailure?
    /// Of everything that happened and of all that the store held at the end: equal runs have equal digests.
    public var digest: UInt64 = 0

    /// Whether everything was as it has to be.
    public var isGood: Bool { failure == nil }

    /// A story that begins.
    public init(of scenario: Scenario) {
        self.scenario = scenario
    }
}
