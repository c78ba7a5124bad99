import CTimerDescriptor
import Dispatch
import Threading

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One wait for the system's wall clock to leave a range of instants, by running or by being set.
///
/// `Task.sleep` counts a duration and would miss that the clock was set. On Linux it is a timer of the kernel's that is
/// cancelled when the clock is set, read through a Dispatch source; on Darwin, and should the kernel have no such timer
/// left, a Dispatch timer with a wall deadline, which notices only a setting past the end. Dispatch is loaded in any
/// case: Swift's tasks run on it.
final class WallAlarm: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, any Error>, any DispatchSourceProtocol)
        case finished
    }

    private let state = ForkSafeMutex<State>(.idle)

    /// Returns when the wall clock has left the range or was set; throws `CancellationError` when the task is cancelled
    /// before. To be called once.
    func wait(while range: Range<Instant>) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                start(continuation, at: range.upperBound)
                // Looked at once the timer runs: the clock may have been set before there was one.
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

    /// Ends the wait, once: whoever comes second finds nothing to do.
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
        let time = timespec(tv_sec: instant.wholeSeconds, tv_nsec: microseconds * 1_000)
        #if os(Linux)
            if let source = kernelTimer(at: time) { return source }
        #endif
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(wallDeadline: DispatchWallTime(timespec: time))
        return timer
    }

    #if os(Linux)
        /// Nil when too many files are open, or the kernel is one that cannot do it.
        private static func kernelTimer(at time: timespec) -> (any DispatchSourceProtocol)? {
            let descriptor = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
            guard descriptor >= 0 else { return nil }
            var setting = itimerspec()
            setting.it_value = time
            let flags = Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET)
            guard timerfd_settime(descriptor, flags, &setting, nil) == 0 else {
                close(descriptor)
                return nil
            }
            // It is never read: that it can be is all there is to know, and the source is cancelled then.
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
            source.setCancelHandler { close(descriptor) }
            return source
        }
    #endif
}
