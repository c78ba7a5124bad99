import Synchronization

/// A clock that stands still until it is told: for tests, for `--now`, for the simulator.
public final class SettableClock: Clock {
    private struct State {
        var wall: Instant
        var monotonic: MonotonicTime
        var sleepers: [Int: Sleeper] = [:]
        var nextSleeper = 0
        /// Sleepers that were cancelled before they had begun to wait.
        var cancelled: Set<Int> = []

        func hasCome(_ moment: Moment) -> Bool {
            switch moment {
            case .wall(let instant): wall >= instant
            case .monotonic(let time): monotonic >= time
            }
        }
    }

    private enum Moment {
        case wall(Instant)
        case monotonic(MonotonicTime)
    }

    private struct Sleeper {
        var moment: Moment
        var continuation: CheckedContinuation<Void, any Error>
    }

    private let state: Mutex<State>

    /// A clock that shows these two times.
    public init(_ wall: Instant, monotonic: MonotonicTime = MonotonicTime(microseconds: 0)) {
        state = Mutex(State(wall: wall, monotonic: monotonic))
    }

    /// The instant that was set.
    public var wall: Instant { state.withLock { $0.wall } }

    /// The time that the advances add up to.
    public var monotonic: MonotonicTime { state.withLock { $0.monotonic } }

    /// Moves both times on, and wakes those sleepers whose instant has come. A negative duration moves nothing, since
    /// monotonic time never goes back: see ``setWall(_:)``.
    public func advance(byMicroseconds duration: Int64) {
        wake { state in
            let forward = max(0, duration)
            state.wall = state.wall.advanced(byMicroseconds: forward)
            state.monotonic = state.monotonic.advanced(byMicroseconds: forward)
            return false
        }
    }

    /// Sets the wall clock only, forward or back, as a person does, and wakes all who sleep by it: each must look again.
    public func setWall(_ instant: Instant) {
        wake { state in
            state.wall = instant
            return true
        }
    }

    /// Returns when the clock has been advanced to the instant, or set.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until instant: Instant) async throws {
        try await sleep(until: .wall(instant))
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

    /// How many tasks wait now; a test waits for it before it moves the clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    private enum Entry { case waits, isDue, isCancelled }

    private func enlist(_ number: Int, _ sleeper: Sleeper) {
        let entry = state.withLock { state -> Entry in
            if state.cancelled.contains(number) { return .isCancelled }
            if state.hasCome(sleeper.moment) { return .isDue }
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

    /// Changes the times and resumes, outside the lock and in the order in which they came, the sleepers that are due;
    /// all who sleep by the wall clock when the change returns true.
    private func wake(after change: (inout State) -> Bool) {
        let due = state.withLock { state in
            let wakesAll = change(&state)
            let numbers = state.sleepers.filter { _, sleeper in
                if wakesAll, case .wall = sleeper.moment { return true }
                return state.hasCome(sleeper.moment)
            }.keys.sorted()
            return numbers.compactMap { state.sleepers.removeValue(forKey: $0) }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }
}
