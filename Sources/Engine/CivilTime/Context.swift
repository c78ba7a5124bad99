import Synchronization
import Threading

/// The environment of a store: clock, random numbers, zone and start of the week. Nothing else in the project reads a
/// clock, the zone or a random source, so a run with the same context is reproducible.
public struct Context: Sendable {
    /// The source of time.
    public var clock: any TimeSource
    /// The source of random numbers.
    public var random: any RandomSource
    /// The source of the user's zone.
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

    /// Creates a context whose zone is read from a closure and does not report changes: live views notice one at the
    /// next commit or midnight.
    public init(
        clock: any TimeSource, random: any RandomSource, currentZone: @escaping @Sendable () -> Zone, weekStart: Weekday
    ) {
        self.init(
            clock: clock, random: random, zones: UnwatchedZone(currentZone: currentZone), weekStart: weekStart)
    }

    /// The user's current zone.
    public var zone: Zone { zones.zone }

    /// The current day in the user's zone.
    public var today: Day { zone.day(of: clock.wall) }

    /// The machine's clock, random numbers and zone (``SystemZoneSource``), and the first day of the week in the
    /// environment's locale.
    public static var system: Context {
        Context(
            clock: SystemClock(),
            random: SystemRandomSource(),
            zones: SystemZoneSource.shared,
            weekStart: .firstOfWeekInEnvironment
        )
    }
}

/// The source of the user's zone.
public protocol ZoneSource: Sendable {
    /// The current zone: it changes when the user travels.
    var zone: Zone { get }

    /// Returns when the zone may no longer be `zone`; the caller checks again. Nothing runs while it waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func waitForChange(from zone: Zone) async throws
}

/// A zone that is read from a closure and does not report changes.
struct UnwatchedZone: ZoneSource {
    let currentZone: @Sendable () -> Zone

    var zone: Zone { currentZone() }

    func waitForChange(from zone: Zone) async throws {
        let never = Signal()
        try await never.wait(past: never.generation)
    }
}

/// A zone that changes only when another is set: for tests, for `--zone`, for the simulator, and for applications that
/// determine the user's zone themselves.
public final class SettableZone: ZoneSource {
    private let state: ForkSafeMutex<Zone>
    private let signal = Signal()

    /// A source that names this zone.
    public init(_ zone: Zone) {
        state = ForkSafeMutex(acrossForks: zone)
    }

    /// The zone that was set.
    public var zone: Zone { state.withLock { $0 } }

    /// Changes the zone and wakes all waiting tasks, in the order in which they started to wait. Setting the same zone
    /// wakes none.
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

/// A source of random numbers. A store takes it from its ``Context``, so that runs are reproducible.
public protocol RandomSource: Sendable {
    /// The next number, uniformly distributed.
    func next() -> UInt64

    /// A source for numbers that never become part of a record, such as those of the commit log: drawing from it does not change
    /// what this one returns, so that a seed leads to the same records however a store commits them.
    func branch() -> any RandomSource
}

extension RandomSource {
    /// The source itself: numbers that nobody can foresee need no branch.
    public func branch() -> any RandomSource { self }
}

/// Random numbers from a seed, for tests and the simulator: a seed gives the same numbers on every machine.
/// (SplitMix64; not for secrets.) Several tasks may share one source; each number is returned once.
public final class SeededRandomSource: RandomSource {
    private let state: Atomic<UInt64>

    /// Creates a source with a seed.
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

    /// A source whose seed depends on where this one is now.
    public func branch() -> any RandomSource {
        SeededRandomSource(seed: ~state.load(ordering: .relaxed))
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
