import Dispatch
import FileSystem
import Threading

/// The machine's clock. Only this file asks the operating system for the time.
public struct SystemClock: TimeSource, BlockingTimeSource {
    /// The machine's clock.
    public init() {}

    /// The system's time of day. Cost: some 30 nanoseconds, no system call.
    public var wall: Instant {
        Instant(microsecondsSince1970: MachineClock.wall)
    }

    /// Time since the machine started, including sleep.
    public var monotonic: MonotonicTime {
        MonotonicTime(microseconds: MachineClock.sinceStart)
    }

    /// Returns when the system's wall clock has left the range, by running or by waking from sleep past its end, or
    /// when it was stepped.
    ///
    /// One kernel timer; nothing runs while it waits. A wait for more than a year may return early. On Darwin a step is
    /// noticed only when it moves the clock past the end.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(while range: Range<Instant>) async throws {
        try Task.checkCancellation()
        let now = wall
        guard range.contains(now) else { return }
        let oneYear = now.advanced(bySeconds: Int64(366 * CalendarMath.secondsPerDay))
        try await WallAlarm().wait(while: range.lowerBound..<min(range.upperBound, oneYear))
    }

    /// Returns when the machine's monotonic clock reaches the time. One kernel timer; nothing runs while it waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until time: MonotonicTime) async throws {
        let remaining = time.microseconds(since: monotonic)
        try await Task.sleep(for: Duration.microseconds(max(0, remaining)), clock: .continuous)
    }

    /// Blocks the thread until the machine's monotonic clock reaches the time.
    package func block(until time: MonotonicTime) {
        // A signal ends the sleep early.
        while case let remaining = time.microseconds(since: monotonic), remaining > 0 {
            pauseThread(microseconds: min(remaining, 500_000))
        }
    }
}

/// A wait for the system's wall clock to leave a range of instants, by running or by a step.
///
/// `Task.sleep` counts a duration and would miss a step of the clock. On Linux it is a kernel timer that is canceled
/// when the clock is stepped, read through a Dispatch source; on Darwin, and when no such timer is available, a
/// Dispatch timer with a wall deadline, which notices only a step past the end. Dispatch is loaded in any case: Swift's
/// tasks run on it.
final class WallAlarm: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, any Error>, any DispatchSourceProtocol)
        case finished
    }

    private let state = ForkSafeMutex<State>(.idle)

    /// Returns when the wall clock has left the range or was set; throws `CancellationError` when the task is cancelled
    /// before. Call it once.
    func wait(while range: Range<Instant>) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                start(continuation, at: range.upperBound)
                // Checked after the timer has started: the clock may have been stepped before.
                if !range.contains(SystemClock().wall) { finish(throwing: nil) }
            }
        } onCancel: {
            finish(throwing: CancellationError())
        }
    }

    private func start(_ continuation: CheckedContinuation<Void, any Error>, at instant: Instant) {
        let isCancelled = state.withLock { state in
            // The task can be cancelled before it gets here: then there is nothing to wait for.
            guard case .idle = state else { return true }
            let source = Self.source(at: instant)
            source.setEventHandler { self.finish(throwing: nil) }
            source.activate()
            state = .waiting(continuation, source)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    /// Ends the wait; a second call has no effect.
    private func finish(throwing error: (any Error)?) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { state = .finished }
            guard case .waiting(let continuation, let source) = state else { return nil }
            source.cancel()
            return continuation
        }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }

    private static func source(at instant: Instant) -> any DispatchSourceProtocol {
        let microseconds = CalendarMath.floorModulo(Int(instant.microsecondsSince1970), by: 1_000_000)
        if let timer = FileDescriptor.makeWallTimer(seconds: instant.wholeSeconds, microseconds: microseconds) {
            // It is never read: becoming readable is the event, and the source is canceled then.
            let source = DispatchSource.makeReadSource(fileDescriptor: timer.number, queue: .global())
            source.setCancelHandler { timer.close() }
            return source
        }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        let remaining = instant.microseconds(since: SystemClock().wall)
        timer.schedule(wallDeadline: .now() + .microseconds(Int(remaining)))
        return timer
    }
}
