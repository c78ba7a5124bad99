import Daybook
import Threading

/// A deterministic environment for a store: clocks that move only on request, a zone to travel from, ids and random
/// numbers from a seed.
///
///     let world = try SimulatedWorld(at: "2026-03-29 00:30", zone: "Europe/Berlin", seed: 7)
///     try world.run {
///         let daybook = try DaybookStore.open(at: folder, context: world.context)
///         await world.advance(by: .hours(3))   // across the gap of daylight saving time
///     }
///
/// Everything inside ``run(_:)`` runs on one thread in a deterministic order.
public final class SimulatedWorld: Sendable {
    /// The wall clock and the monotonic clock.
    public let clock: SettableClock
    /// The zone of the user.
    public let zones: SettableZone
    /// The source of all ids and random numbers.
    public let random: SeededRandomSource
    /// The context to open a store with.
    public let context: Context
    let executor: SimulatedExecutor
    private let arrival = ForkSafeMutex<Zone?>(nil)
    private let sleeping = ForkSafeMutex(false)

    /// Creates a world at a local time in a zone.
    ///
    /// - Parameter start: what the wall clock shows, as `2026-03-29 00:30`, or an instant.
    /// - Throws: `SimulationError.malformedTime`, `CivilTimeError.unknownZone`.
    public convenience init(at start: String, zone: String, seed: UInt64 = 1, weekStart: Weekday = .monday) throws {
        guard let moment = Moment(start) else { throw SimulationError.malformedTime(start) }
        try self.init(at: moment, zone: zone, seed: seed, weekStart: weekStart)
    }

    /// - Parameter executor: one with a shorter timeout, for a test that waits for something that never happens.
    init(
        at start: Moment, zone name: String, seed: UInt64, weekStart: Weekday,
        executor: SimulatedExecutor = SimulatedExecutor()
    ) throws(CivilTimeError) {
        self.executor = executor
        let zone = try Zone(name)
        clock = SettableClock(start.instant(after: Instant(microsecondsSince1970: 0), in: zone))
        zones = SettableZone(zone)
        random = SeededRandomSource(seed: seed)
        context = Context(clock: clock, random: random, zones: zones, weekStart: weekStart)
    }

    /// Runs work and every task that it starts with ``start(_:)`` or in task groups, and returns when the work is done.
    /// Call it from outside, on a thread that may block.
    ///
    /// - Throws: what the work throws; `SimulationError.stuck` if it waits for something that never happens.
    public func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) throws -> Result {
        let outcome = ForkSafeMutex<Swift.Result<Result, any Error>?>(nil)
        let task = start {
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
        }
        let clock = clock
        let isDone = executor.run {
            outcome.withLock { $0 != nil }
        } whenStuck: {
            // Only retries wait for the monotonic clock: let that time pass at once.
            guard clock.hasMonotonicSleepers, let wait = clock.timeToNextWake else { return false }
            clock.advance(byMicroseconds: wait)
            return true
        }
        guard isDone, let outcome = outcome.withLock({ $0 }) else {
            task.cancel()
            throw SimulationError.stuck
        }
        return try outcome.get()
    }

    /// Starts a task in this world. It ends with the work, or when it is canceled.
    @discardableResult
    public func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor) { await work() }
    }

    /// Observes a live view or a change feed from now on:
    ///
    ///     let view = world.follow(daybook.tasks.changes(in: .today))
    ///     try await world.advance(to: "midnight")
    ///     #expect(try await view.next().tasks.isEmpty)
    public func follow<News: AsyncSequence & Sendable>(_ news: News) -> Follower<News.Element>
    where News.Element: Sendable {
        Follower(news, in: self)
    }

    /// Waits until every task has run as far as it can.
    public func settle() async {
        _ = await executor.settle { true }
    }

    // MARK: Time

    /// Lets a duration pass on both clocks, stopping at every moment that a task sleeps for.
    public func advance(by duration: Duration) async {
        var rest = max(0, duration.wholeMicroseconds)
        while !isAsleep, let wait = clock.timeToNextWake, wait <= rest {
            clock.advance(byMicroseconds: wait)
            rest -= wait
            await settle()
        }
        clock.advance(byMicroseconds: rest)
        await settle()
    }

    /// Lets time pass until a moment in the user's zone: `2026-03-29 08:00`, `08:00` or `midnight`. Does nothing if it
    /// has passed already.
    ///
    /// - Throws: `SimulationError.malformedTime`.
    public func advance(to moment: String) async throws(SimulationError) {
        guard let target = Moment(moment) else { throw .malformedTime(moment) }
        let now = clock.wall
        await advance(by: .microseconds(target.instant(after: now, in: zones.zone).microseconds(since: now)))
    }

    /// Sets the wall clock and advances the monotonic clock by the given duration.
    public func jump(to instant: Instant, monotonicBy duration: Duration = .zero) async {
        clock.jump(to: instant, advancingMonotonicBy: max(0, duration.wholeMicroseconds))
        await settle()
    }

    /// Moves the user to another zone. A sleeping machine notices when it wakes up.
    ///
    /// - Throws: `CivilTimeError.unknownZone`.
    public func travel(to name: String) async throws {
        let zone = try Zone(name)
        if isAsleep {
            arrival.withLock { $0 = zone }
        } else {
            zones.set(zone)
        }
        await settle()
    }

    /// Puts the machine to sleep: time can pass, but nothing runs.
    public func sleep() {
        sleeping.withLock { $0 = true }
        clock.suspend()
    }

    /// Wakes the machine, and every sleeper whose time has come.
    public func wake() async {
        sleeping.withLock { $0 = false }
        if let zone = arrival.withLock({ $0.take() }) { zones.set(zone) }
        clock.resume()
        await settle()
    }

    /// Whether the machine is asleep.
    public var isAsleep: Bool { sleeping.withLock { $0 } }
}
