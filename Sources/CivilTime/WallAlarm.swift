import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One wait for a moment of the system's wall clock.
///
/// It is a Dispatch timer with a wall deadline (on Linux an absolute timer of the kernel's CLOCK_REALTIME), since
/// `Task.sleep` counts a duration and would miss that the clock was set. Dispatch is loaded in any case: Swift's tasks
/// run on it.
final class WallAlarm: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, any Error>, any DispatchSourceTimer)
        case finished
    }

    private let state = Mutex<State>(.idle)

    /// Returns at the instant; throws `CancellationError` when the task is cancelled before. To be called once.
    func wait(until instant: Instant) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                start(at: instant, continuation)
            }
        } onCancel: {
            finish(throwing: CancellationError())
        }
    }

    private func start(at instant: Instant, _ continuation: CheckedContinuation<Void, any Error>) {
        let isCancelled = state.withLock { state in
            // The task can be cancelled before it gets here: then there is nothing to wait for.
            guard case .idle = state else { return true }
            let seconds = instant.wholeSeconds
            let microseconds = CalendarMath.floorModulo(Int(instant.microsecondsSince1970), by: 1_000_000)
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.setEventHandler { self.finish(throwing: nil) }
            timer.schedule(
                wallDeadline: DispatchWallTime(timespec: timespec(tv_sec: seconds, tv_nsec: microseconds * 1_000)))
            timer.activate()
            state = .waiting(continuation, timer)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    /// Ends the wait, once: whoever comes second finds nothing to do.
    private func finish(throwing error: (any Error)?) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { state = .finished }
            guard case .waiting(let continuation, let timer) = state else { return nil }
            timer.cancel()
            return continuation
        }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}
