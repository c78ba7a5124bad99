import Synchronization
import Threading

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

/// Where the zone of the person who asks comes from.
public protocol ZoneSource: Sendable {
    /// The zone at this moment: it changes while they travel.
    var zone: Zone { get }

    /// Returns when the zone may be another one than `zone`: the caller looks again. Nothing runs while it waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func waitForChange(from zone: Zone) async throws
}

/// A zone that a closure tells when it is asked, and that never tells of a change by itself.
struct UnwatchedZone: ZoneSource {
    let currentZone: @Sendable () -> Zone

    var zone: Zone { currentZone() }

    func waitForChange(from zone: Zone) async throws {
        let never = Signal()
        try await never.wait(past: never.generation)
    }
}

/// A zone that stays until another is set: for tests, for `--zone`, for the simulator, and for applications that know
/// better than the machine where their user is.
public final class SettableZone: ZoneSource {
    private let state: ForkSafeMutex<Zone>
    private let signal = Signal()

    /// A source that names this zone.
    public init(_ zone: Zone) {
        state = ForkSafeMutex(acrossForks: zone)
    }

    /// The zone that was set.
    public var zone: Zone { state.withLock { $0 } }

    /// Travels to a zone, and wakes all who wait for that, in the order in which they came. The zone that it is already
    /// wakes nobody.
    public func set(_ zone: Zone) {
        let isChange = state.withLock { current in
            defer { current = zone }
            return current != zone
        }
        if isChange { signal.raise() }
    }

    /// How many tasks wait now; a test waits for it before it sets the zone.
    public var waiterCount: Int { signal.waiterCount }

    /// Returns when another zone than this one is set, or was already.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForChange(from zone: Zone) async throws {
        let generation = signal.generation
        guard self.zone == zone else { return }
        try await signal.wait(past: generation)
    }
}

/// The one source of random numbers. A store takes it from its ``Context``, so that a run can be replayed.
public protocol RandomSource: Sendable {
    /// The next number, each of the 2^64 as likely as any other.
    func next() -> UInt64
}

/// Random numbers that a seed determines, for tests and the simulator: the same seed gives the same numbers on every
/// machine. (SplitMix64; not for secrets.) Several tasks may share one; each number is handed out once.
public final class SeededRandomSource: RandomSource {
    private let state: Atomic<UInt64>

    /// The numbers of this seed, from the first.
    public init(seed: UInt64) {
        state = Atomic(seed)
    }

    /// The next number. Cost: some nanoseconds.
    public func next() -> UInt64 {
        var mixed = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The operating system's random numbers: unpredictable, fit for identifiers.
public struct SystemRandomSource: RandomSource {
    /// The operating system's random numbers.
    public init() {}

    /// The next number. Cost: up to one system call.
    public func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
