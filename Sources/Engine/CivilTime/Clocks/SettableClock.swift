import Threading

/// A clock that moves only when it is set or advanced: for tests, for `--now`, for the simulator.
public final class SettableClock: TimeSource {
    private enum Moment {
        /// The end of the range, or the deadline.
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
        /// Whether the wall clock was stepped and its sleepers have not been woken yet.
        var wasSet = false
        var sleepers: [Int: Sleeper] = [:]
        var nextSleeper = 0
        var wakeCount = 0
        /// Sleepers that were cancelled before they started to wait.
        var cancelled: Set<Int> = []

        /// Microseconds until the deadline, 0 when it has passed.
        func timeLeft(to moment: Moment) -> Int64 {
            switch moment {
            case .wall(let range): range.contains(wall) ? range.upperBound.microseconds(since: wall) : 0
            case .monotonic(let time): max(0, time.microseconds(since: monotonic))
            }
        }

        func isDue(_ moment: Moment) -> Bool { wasSet && moment.isWall || timeLeft(to: moment) == 0 }

        /// Advances both times. A negative duration has no effect.
        mutating func run(_ duration: Int64) {
            let forward = max(0, duration)
            wall = wall.advanced(byMicroseconds: forward)
            monotonic = monotonic.advanced(byMicroseconds: forward)
        }

        /// Removes the sleepers to wake now, in the order in which they started to wait.
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

    /// Creates a clock with these times.
    public init(_ wall: Instant, monotonic: MonotonicTime = MonotonicTime(microseconds: 0)) {
        state = ForkSafeMutex(acrossForks: State(wall: wall, monotonic: monotonic))
    }

    /// The wall clock.
    public var wall: Instant { state.withLock { $0.wall } }

    /// The sum of the advances.
    public var monotonic: MonotonicTime { state.withLock { $0.monotonic } }

    // MARK: Moving the clock

    /// Advances both times, and wakes the sleepers whose deadline has passed. A negative duration has no effect, since
    /// monotonic time never goes back: see ``jump(to:advancingMonotonicBy:)``.
    public func advance(byMicroseconds duration: Int64) {
        change { $0.run(duration) }
    }

    /// Steps the wall clock forward or backward, as users do, and wakes all of its sleepers, which must check again.
    ///
    /// - Parameter duration: by how much the monotonic clock advances at the same time; never backward.
    public func jump(to instant: Instant, advancingMonotonicBy duration: Int64 = 0) {
        change { state in
            state.run(duration)
            state.wall = instant
            state.wasSet = true
        }
    }

    /// Sets the wall clock only.
    public func setWall(_ instant: Instant) { jump(to: instant) }

    /// Puts the machine to sleep: the clocks can be moved, and no task is woken.
    public func suspend() {
        change { $0.isSuspended = true }
    }

    /// Wakes the machine and the sleepers whose deadline has passed, and all sleepers of the wall clock if it was
    /// stepped.
    public func resume() {
        change { $0.isSuspended = false }
    }

    /// Resumes outside the lock, since the resumed code may use this clock.
    private func change(_ body: (inout State) -> Void) {
        let due = state.withLock { state in
            body(&state)
            return state.takeDue()
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    // MARK: State

    /// How many tasks are waiting; a test waits for it before it moves the clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Microseconds until the next deadline if the clock is not stepped, 0 when one has passed (the machine sleeps),
    /// nil when no task waits.
    public var timeToNextWake: Int64? {
        state.withLock { state in
            state.sleepers.values.map { state.isDue($0.moment) ? 0 : state.timeLeft(to: $0.moment) }.min()
        }
    }

    /// How many sleepers of the wall clock were woken so far, by a deadline or a step. Cancelled ones and those that
    /// did not need to sleep do not count.
    public var wakeCount: Int { state.withLock { $0.wakeCount } }

    /// Whether a task waits for a monotonic time: a back-off that only an advance ends.
    public var hasMonotonicSleepers: Bool {
        state.withLock { $0.sleepers.values.contains { !$0.moment.isWall } }
    }

    // MARK: Sleeping

    /// Returns when the clock has been advanced out of the range, or stepped.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(while range: Range<Instant>) async throws {
        try await sleep(until: .wall(range))
    }

    /// Returns when the clock has been advanced to the time; stepping the wall clock has no effect.
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
