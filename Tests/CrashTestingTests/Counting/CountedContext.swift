import Daybook

extension Context {
    /// The same at every call, so that what is done in it has the same counts.
    static func counted() -> Context {
        Context(
            clock: SettableClock(Instant(secondsSince1970: 1_773_144_000)), random: SeededRandomSource(seed: 1),
            currentZone: { .utc }, weekStart: .monday)
    }
}
