/// What a store is opened with: everything that it would otherwise take from the world. Nothing else in the project
/// reads a clock, the zone or a random source, so a run with the same context is the same run.
public struct Context: Sendable {
    /// Where the time comes from.
    public var clock: any Clock
    /// Where random numbers come from.
    public var random: any RandomSource
    /// The zone of the person who asks, at the moment of asking: it changes while they travel.
    public var currentZone: @Sendable () -> Zone
    /// The weekday on which a week starts.
    public var weekStart: Weekday

    /// A context of these parts.
    public init(
        clock: any Clock, random: any RandomSource, currentZone: @escaping @Sendable () -> Zone, weekStart: Weekday
    ) {
        self.clock = clock
        self.random = random
        self.currentZone = currentZone
        self.weekStart = weekStart
    }

    /// The zone now.
    public var zone: Zone { currentZone() }

    /// The day of the wall clock's instant in the zone of the one who asks, now.
    public var today: Day { zone.day(of: clock.wall) }

    /// The machine's own: its clock, its random numbers, its zone (looked up anew at each call, and parsed again only
    /// when it has changed; UTC where `$TZ` names no zone), and the first day of the week of the environment's locale.
    public static var system: Context {
        Context(
            clock: SystemClock(),
            random: SystemRandomSource(),
            currentZone: { SystemZone.current },
            weekStart: .firstOfWeekInEnvironment
        )
    }
}
