import Daybook
import Threading

/// A world for a store to live in: clocks that move when they are told, a zone to travel from, ids and draws from a seed.
///
///     let world = try SimulatedWorld(at: "2026-03-29 00:30", zone: "Europe/Berlin", seed: 7)
///     try world.run {
///         let daybook = try DaybookStore.open(at: folder, context: world.context)
///         await world.advance(by: .hours(3))   // through the hour that does not exist
///     }
///
/// What runs inside ``run(_:)`` runs on one thread, in an order that depends on nothing outside.
public final class SimulatedWorld: Sendable {
    /// The clock on the wall and the one that never goes back.
    public let clock: SettableClock
    /// Where the person is.
    public let zones: SettableZone
    /// Where every id and draw comes from.
    public let random: SeededRandomSource
    /// What a store is opened with.
    public let context: Context
    let executor: SimulatedExecutor
    private let arrival = ForkSafeMutex<Zone?>(nil)
    private let sleeping = ForkSafeMutex(false)

    /// A world at a local time in a zone.
    ///
    /// - Parameter start: what the clock shows, as `2026-03-29 00:30`, or an instant.
    /// - Throws: `SimulationError.malformedTime`, `CivilTimeError.unknownZone`.
    public convenience init(at start: String, zone: String, seed: UInt64 = 1, weekStart: Weekday = .monday) throws {
        guard let moment = Moment(start) else { throw SimulationError.malformedTime(start) }
        try self.init(at: moment, zone: zone, seed: seed, weekStart: weekStart)
    }

    /// - Parameter executor: one that is less patient, for a test that waits for what never happens.
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

    /// Runs a piece of work and every task that it starts with ``start(_:)`` or in task groups, and returns when it is
    /// done. To be called from outside, on a thread that may be kept busy.
    ///
    /// - Throws: what the work throws; `SimulationError.stuck` when it waits for something that never happens.
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
            // Whoever waits for the monotonic clock waits to try again: that time goes by at once.
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

    /// Starts a task in this world. It ends with the work, or when it is cancelled; ``follow(_:)`` is one that listens.
    @discardableResult
    public func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor) { await work() }
    }

    /// Listens to a live view or a change feed from now on:
    ///
    ///     let view = world.follow(daybook.tasks.changes(in: .today))
    ///     try await world.advance(to: "midnight")
    ///     #expect(try await view.next().tasks.isEmpty)
    public func follow<News: AsyncSequence & Sendable>(_ news: News) -> Follower<News.Element>
    where News.Element: Sendable {
        Follower(news, in: self)
    }

    /// Returns when everyone has done what there was to do and waits for something else to happen.
    public func settle() async {
        _ = await executor.settle { true }
    }

    // MARK: Time

    /// Time goes by: both clocks move on, and stop at every moment that someone sleeps for.
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

    /// Time goes by until a moment: `2026-03-29 08:00`, `08:00` or `midnight`, for the person where he is now. One that has
    /// passed already is now.
    ///
    /// - Throws: `SimulationError.malformedTime`.
    public func advance(to moment: String) async throws(SimulationError) {
        guard let target = Moment(moment) else { throw .malformedTime(moment) }
        let now = clock.wall
        await advance(by: .microseconds(target.instant(after: now, in: zones.zone).microseconds(since: now)))
    }

    /// Someone sets the wall clock; the monotonic clock runs along by so much.
    public func jump(to instant: Instant, monotonicBy duration: Duration = .zero) async {
        clock.jump(to: instant, advancingMonotonicBy: max(0, duration.wholeMicroseconds))
        await settle()
    }

    /// The person is in another zone now. A machine that is asleep hears of it when it wakes up.
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

    /// The machine falls asleep: time goes by when it is told to, but nothing runs.
    public func sleep() {
        sleeping.withLock { $0 = true }
        clock.suspend()
    }

    /// The machine wakes up, and those whose moment has come with it.
    public func wake() async {
        sleeping.withLock { $0 = false }
        if let zone = arrival.withLock({ $0.take() }) { zones.set(zone) }
        clock.resume()
        await settle()
    }

    /// Whether the machine is asleep.
    public var isAsleep: Bool { sleeping.withLock { $0 } }
}
