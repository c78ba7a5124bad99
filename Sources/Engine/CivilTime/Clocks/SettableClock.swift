import Threading

/// A clock that stands still until it is told: for tests, for `--now`, for the simulator.
public final class SettableClock: TimeSource {
    private enum Moment {
        /// The moment when the wall clock leaves the range.
        case wall(Range<Instant>)
        case monotonic(MonotonicTime)

        var isWall: Bool {
            if case .wall = self { true } else { false }
        }
    }

    private struct Sleeper {
        var moment: Moment
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var wall: Instant
        var monotonic: MonotonicTime
        var isSuspended = false
        /// Whether the wall clock was set and those who sleep by it do not know yet.
        var wasSet = false
        var sleepers: [Int: Sleeper] = [:]
        var nextSleeper = 0
        var wakeCount = 0
        /// Sleepers that were cancelled before they had begun to wait.
        var cancelled: Set<Int> = []

        /// Microseconds until the moment comes, 0 when it has.
        func timeLeft(to moment: Moment) -> Int64 {
            switch moment {
            case .wall(let range): range.contains(wall) ? range.upperBound.microseconds(since: wall) : 0
            case .monotonic(let time): max(0, time.microseconds(since: monotonic))
            }
        }

        func isDue(_ moment: Moment) -> Bool { wasSet && moment.isWall || timeLeft(to: moment) == 0 }

        /// Moves both times on. A negative duration moves nothing.
        mutating func run(_ duration: Int64) {
            let forward = max(0, duration)
            wall = wall.advanced(byMicroseconds: forward)
            monotonic = monotonic.advanced(byMicroseconds: forward)
        }

        /// Takes out those who are to be woken now, in the order in which they came.
        mutating func takeDue() -> [Sleeper] {
            guard !isSuspended else { return [] }
            let numbers = sleepers.filter { isDue($0.value.moment) }.keys.sorted()
            let due = numbers.compactMap { sleepers.removeValue(forKey: $0) }
            wakeCount += due.count { $0.moment.isWall }
            wasSet = false
            return due
        }
    }

    private let state: ForkSafeMutex<State>

    /// A clock that shows these two times.
    public init(_ wall: Instant, monotonic: MonotonicTime = MonotonicTime(microseconds: 0)) {
        state = ForkSafeMutex(acrossForks: State(wall: wall, monotonic: monotonic))
    }

    /// The instant that was set.
    public var wall: Instant { state.withLock { $0.wall } }

    /// The time that the advances add up to.
    public var monotonic: MonotonicTime { state.withLock { $0.monotonic } }

    // MARK: Moving it

    /// Moves both times on, and wakes those sleepers whose moment has come. A negative duration moves nothing, since
    /// monotonic time never goes back: see ``jump(to:advancingMonotonicBy:)``.
    public func advance(byMicroseconds duration: Int64) {
        change { $0.run(duration) }
    }

    /// Sets the wall clock, forward or back, as a person does, and wakes all who sleep by it: each must look again.
    ///
    /// - Parameter duration: by how much the monotonic clock moves on at the same time; never back.
    public func jump(to instant: Instant, advancingMonotonicBy duration: Int64 = 0) {
        change { state in
            state.run(duration)
            state.wall = instant
            state.wasSet = true
        }
    }

    /// Sets the wall clock only.
    public func setWall(_ instant: Instant) { jump(to: instant) }

    /// Puts the machine to sleep: the clocks can be moved, and nobody is woken.
    public func suspend() {
        change { $0.isSuspended = true }
    }

    /// Wakes the machine, and those whose moment has come meanwhile; all who sleep by the wall clock if it was set.
    public func resume() {
        change { $0.isSuspended = false }
    }

    /// Resumes outside the lock: what runs then may come back to this clock.
    private func change(_ body: (inout State) -> Void) {
        let due = state.withLock { state in
            body(&state)
            return state.takeDue()
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    // MARK: Looking at it

    /// How many tasks wait now; a test waits for it before it moves the clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Microseconds until the next sleeper's moment comes if nobody sets the clock, 0 when one has come (the machine
    /// sleeps), nil when nobody waits.
    public var timeToNextWake: Int64? {
        state.withLock { state in
            state.sleepers.values.map { state.isDue($0.moment) ? 0 : state.timeLeft(to: $0.moment) }.min()
        }
    }

    /// How many who slept by the wall clock were woken so far: their moment had come, or the clock was set. Those who
    /// were cancelled do not count, nor those who came too late to sleep.
    public var wakeCount: Int { state.withLock { $0.wakeCount } }

    /// Whether anyone waits for a monotonic time: a back-off that only an advance ends.
    public var hasMonotonicSleepers: Bool {
        state.withLock { $0.sleepers.values.contains { !$0.moment.isWall } }
    }

    // MARK: Sleeping

    /// Returns when the clock has been advanced out of the range, or set.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(while range: Range<Instant>) async throws {
        try await sleep(until: .wall(range))
    }

    /// Returns when the clock has been advanced to the time; setting the wall clock changes nothing.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until time: MonotonicTime) async throws {
        try await sleep(until: .monotonic(time))
    }

    private func sleep(until moment: Moment) async throws {
        let number = state.withLock { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        defer { state.withLock { state in _ = state.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try Task.checkCancellation()
            try await withCheckedThrowingContinuation { continuation in
                enlist(number, Sleeper(moment: moment, continuation: continuation))
            }
        } onCancel: {
            cancel(number)
        }
    }

    private enum Entry { case waits, isDue, isCancelled }

    private func enlist(_ number: Int, _ sleeper: Sleeper) {
        let entry = state.withLock { state -> Entry in
            if state.cancelled.contains(number) { return .isCancelled }
            if !state.isSuspended, state.isDue(sleeper.moment) { return .isDue }
            state.sleepers[number] = sleeper
            return .waits
        }
        switch entry {
        case .waits: break
        case .isDue: sleeper.continuation.resume()
        case .isCancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ number: Int) {
        let sleeper = state.withLock { state in
            state.cancelled.insert(number)
            return state.sleepers.removeValue(forKey: number)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
