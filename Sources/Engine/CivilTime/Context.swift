/// What a store is opened with: everything that it would otherwise take from the world. Nothing else in the project
/// reads a clock, the zone or a random source, so a run with the same context is the same run.
public struct Context: Sendable {
    /// Where the time comes from.
    public var clock: any TimeSource
    /// Where random numbers come from.
    public var random: any RandomSource
    /// Where the zone of the person who asks comes from.
    public var zones: any ZoneSource
    /// The weekday on which a week starts.
    public var weekStart: Weekday

    /// A context of these parts.
    public init(clock: any TimeSource, random: any RandomSource, zones: any ZoneSource, weekStart: Weekday) {
        self.clock = clock
        self.random = random
        self.zones = zones
        self.weekStart = weekStart
    }

    /// The same with a zone that is asked for and never tells of a change by itself: a live view looks again at the next
    /// commit or midnight.
    public init(
        clock: any TimeSource, random: any RandomSource, currentZone: @escaping @Sendable () -> Zone, weekStart: Weekday
    ) {
        self.init(
            clock: clock, random: random, zones: UnwatchedZone(currentZone: currentZone), weekStart: weekStart)
    }

    /// The zone of the person who asks, at this moment.
    public var zone: Zone { zones.zone }

    /// The day of the wall clock's instant in the zone of the one who asks, now.
    public var today: Day { zone.day(of: clock.wall) }

    /// The machine's own: its clock, its random numbers, its zone (``SystemZoneSource``), and the first day of the week
    /// of the environment's locale.
    public static var system: Context {
        Context(
            clock: SystemClock(),
            random: SystemRandomSource(),
            zones: SystemZoneSource.shared,
            weekStart: .firstOfWeekInEnvironment
        )
    }
}
